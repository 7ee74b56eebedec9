/** The changes of blocks from another Almanac, which has them for every height that it has executed or followed. */
import { setTimeout as delay } from 'node:timers/promises'
import { parseBase64 } from '../../../primitives/bytes.ts'
import { type ChainError, queryError } from '../../../primitives/errors.ts'
import type { Change } from '../../../store/types.ts'
import { mergedRuns, parseRecords } from '../files/stream-file.ts'
import type { NodeRpc } from '../rpc/node-rpc.ts'
import type { ChangeSource, Gap, StreamedBlock } from '../source.ts'

/** Blocks of a request. The peer sends fewer if they are large. */
const BATCH_BLOCKS = 500n
/** Blocks ahead at which the next ones are asked for. */
const FETCH_AT_BLOCKS = 250
/** Time between two questions for a block that the peer does not have yet. Unit: milliseconds. */
const POLL_MS = 50

/** Asks a peer. It has no files to delete. */
export function createPeerChanges(rpc: NodeRpc): ChangeSource {
  /** Blocks that the peer has sent before they were asked for. */
  const ahead = new Map<bigint, readonly Change[]>()
  let seen: bigint | undefined
  /** The request for the blocks after `seen`, while they are taken over. */
  let fetching: Promise<unknown> | undefined
  /** Whether the latest answer had several blocks, so that the peer may have more. */
  let hasMore = false
  /** Raised when what was asked for before no longer counts. */
  let round = 0

  /** Fetches blocks from a height on. Returns a gap if the peer will never have it, undefined if it does not have it yet. */
  async function fetchFrom(height: bigint, signal: AbortSignal): Promise<Gap | undefined> {
    const asked = round
    const params = { from: String(height), count: String(BATCH_BLOCKS) }
    const outcome = (await rpc.batch([{ method: 'changes', params }], signal))[0]!
    if (asked !== round) return undefined
    if ('refused' in outcome) {
      hasMore = false
      if (/must be less than or equal to/.test(outcome.refused)) return undefined
      return { until: undefined, reason: `the peer does not have the changes of height ${height}: ${outcome.refused}` }
    }
    const blocks = outcome.result['blocks']
    if (!Array.isArray(blocks) || blocks.length === 0) throw wrong('blocks must be a list with entries')
    for (const [i, block] of (blocks as readonly Record<string, unknown>[]).entries()) {
      const expected = height + BigInt(i)
      if (String(block['height']) !== String(expected)) throw wrong(`blocks[${i}].height must be ${expected}`)
      ahead.set(expected, readBlock(expected, String(block['changes'])))
      seen = expected
    }
    hasMore = blocks.length > 1
    return undefined
  }

  /** Asks for the next blocks while the last ones are taken over. A failure is found again when they are needed. */
  function fetchAhead(signal: AbortSignal): void {
    if (fetching || !hasMore || ahead.size > FETCH_AT_BLOCKS) return
    fetching = fetchFrom(seen! + 1n, signal)
      .catch(() => undefined)
      .finally(() => {
        fetching = undefined
      })
  }

  return {
    async next(height, signal): Promise<StreamedBlock | Gap> {
      for (const old of ahead.keys()) if (old < height) ahead.delete(old)
      for (;;) {
        const changes = ahead.get(height)
        if (changes) {
          fetchAhead(signal)
          return { height, changes }
        }
        if (fetching) {
          await fetching
          signal.throwIfAborted()
          continue
        }
        const gap = await fetchFrom(height, signal)
        if (gap) return gap
        if (!ahead.has(height)) await delay(POLL_MS, undefined, { signal })
      }
    },
    release: () => undefined,
    forget(height) {
      round++
      hasMore = false
      for (const one of ahead.keys()) if (one >= height) ahead.delete(one)
    },
    latest: () => seen,
    close: () => undefined,
  }
}

function readBlock(height: bigint, text: string): readonly Change[] {
  const bytes = parseBase64(text)
  const found = bytes && parseRecords(bytes, 0)
  if (found?.kind === 'complete') return mergedRuns(found.changes)
  throw wrong(`the changes of height ${height} must be records of the change stream`)
}

const wrong = (what: string): ChainError => queryError('dataLoss', `the answer of the peer is wrong: ${what}`)

/** Returns a source that asks a peer for what the stream lacks. */
export function withPeer(stream: ChangeSource, peer: ChangeSource): ChangeSource {
  return {
    ...stream,
    async next(height, signal) {
      const found = await stream.next(height, signal)
      if (!('reason' in found)) return found
      const other = await peer.next(height, signal)
      return 'reason' in other ? { ...found, reason: `${found.reason}; ${other.reason}` } : other
    },
    forget(height) {
      stream.forget(height)
      peer.forget(height)
    },
  }
}
