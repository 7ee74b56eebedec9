/** The changes of blocks from another Almanac, which has them for every height that it has executed or followed. */
import { setTimeout as delay } from 'node:timers/promises'
import { parseBase64 } from '../../../primitives/bytes.ts'
import { ChainError, queryError } from '../../../primitives/errors.ts'
import type { Change } from '../../../store/types.ts'
import { mergedRuns, parseRecords } from '../files/stream-file.ts'
import type { NodeRpc } from '../rpc/node-rpc.ts'
import { type ChangeSource, type Gap, isGap, type StreamedBlock } from '../source.ts'

/** Blocks of a request. The peer sends fewer if they are large. */
const BATCH_BLOCKS = 500n
/** Blocks ahead at which the next ones are asked for. */
const FETCH_AT_BLOCKS = 250
/** Time between two questions for a block that the peer does not have yet. Unit: milliseconds. */
const POLL_MS = 50

/** Asks a peer. It has no files to delete. */
export function createPeerChanges(rpc: NodeRpc): ChangeSource & Required<Pick<ChangeSource, 'now'>> {
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

  /** Looks once. Resolves with undefined if the peer does not have the height yet. */
  async function look(height: bigint, signal: AbortSignal): Promise<StreamedBlock | Gap | undefined> {
    for (const old of ahead.keys()) if (old < height) ahead.delete(old)
    while (fetching && !ahead.has(height)) {
      await fetching
      signal.throwIfAborted()
    }
    const gap = ahead.has(height) ? undefined : await fetchFrom(height, signal)
    if (gap) return gap
    const changes = ahead.get(height)
    if (!changes) return undefined
    fetchAhead(signal)
    return { height, changes }
  }

  return {
    async next(height, signal) {
      for (;;) {
        const found = await look(height, signal)
        if (found) return found
        await delay(POLL_MS, undefined, { signal })
      }
    },
    now: async (height, signal) =>
      (await look(height, signal)) ?? { until: undefined, reason: `the peer does not have height ${height} yet` },
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

/** Returns a source that asks a peer for what the stream lacks, and for what is wrong in it. */
export function withPeer(stream: ChangeSource, peer: ChangeSource & Required<Pick<ChangeSource, 'now'>>): ChangeSource {
  /** Resolves with the peer's changes instead of a wrong file. Rejects with the error about the file if the peer lacks them. */
  async function insteadOfFile(height: bigint, error: unknown, signal: AbortSignal): Promise<StreamedBlock> {
    if (!(error instanceof ChainError) || error.status !== 'dataLoss') throw error
    const other = await peer.now(height, signal).catch(() => undefined)
    signal.throwIfAborted()
    if (!other || isGap(other)) throw error
    return { ...other, insteadOf: error.message }
  }

  return {
    ...stream,
    async next(height, signal) {
      let found: StreamedBlock | Gap
      try {
        found = await stream.next(height, signal)
      } catch (error) {
        return insteadOfFile(height, error, signal)
      }
      if (!isGap(found)) return { ...found, instead: (asking) => peer.now(height, asking) }
      const other = await peer.next(height, signal)
      return isGap(other) ? { ...found, reason: `${found.reason}; ${other.reason}` } : other
    },
    forget(height) {
      stream.forget(height)
      peer.forget(height)
    },
  }
}
