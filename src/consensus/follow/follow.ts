/**
 * The driver of a replica: it reads the changes and the blocks of another node, verifies each block, and commits it. Gateways
 * read on meanwhile. Source: docs/follow.md.
 */
import { setMaxListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Validator } from '../../app/records.ts'
import { EMPTY, equal } from '../../primitives/bytes.ts'
import { ChainError, queryError } from '../../primitives/errors.ts'
import type { VersionedStore } from '../../store/versioned.ts'
import type { FollowStatus, Halted } from '../driver.ts'
import type { PreparedBlock } from '../execution.ts'
import { stoppingError } from '../halted.ts'
import { createHolding, type HoldLimits } from '../holding.ts'
import { lastCommon } from './last-common.ts'
import type { TrustedBlock } from './light/trust.ts'
import type { NodeBlock } from './node-block.ts'
import { type BlockSource, type ChangeSource, type Gap, isGap, type NodeTip, type StreamedBlock } from './source.ts'
import { createStatus } from './status.ts'
import { createTaking, type Stated, type TakingOptions } from './take-block.ts'
import { difference, isSetOf, requireLink, requireOutcome, requireSigned, requireWhole } from './verify.ts'

export interface FollowOptions extends Omit<TakingOptions, 'stated' | 'write' | 'signal' | 'log'> {
  readonly store: Pick<VersionedStore, 'latestHeight' | 'earliestHeight' | 'atTip'>
  readonly changes: ChangeSource
  /** The first block as the operator's trust gives it; absent if the node is trusted for it. */
  readonly anchor?: Pick<TrustedBlock, 'height' | 'hash'> | undefined
  readonly blocks: BlockSource
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number
  /** Monotonic clock, milliseconds. */
  readonly elapsed: () => number
  /** Called when the follower stops, waits for what fails, goes back, or goes on. */
  readonly log: (level: 'info' | 'warn' | 'error', message: string, facts: Readonly<Record<string, unknown>>) => void
}

export interface Following {
  /** Resolves once a block of the node is committed here; at once if there is one. */
  readonly firstBlock: Promise<void>
  status(): FollowStatus
  /** Returns why the replica does not go on. */
  stopped(): Halted | undefined
  /** Calls the listener when the status changes without a block. */
  onStatus(listener: () => void): () => void
  stop(): Promise<void>
}

/** Time between two questions for the latest block of the node. Unit: milliseconds. */
const TIP_MS = 1000
/** Time after which a failed step is tried again: it doubles from the first to the last. Unit: milliseconds. */
const FIRST_RETRY_MS = 20
const LAST_RETRY_MS = 5000
/** The most that is held while the replica catches up: those blocks are as many waits for the disk. */
const HOLD_LIMITS: HoldLimits = { blocks: 20, ms: 100 }
/** Time after which a block of the node whose changes do not come is logged. Unit: milliseconds. */
const CHANGES_MS = 5000
/** Time between two tries from which the next URL is asked. Unit: milliseconds. */
const TURN_MS = 300

/** Begins to follow. */
export function startFollowing(options: FollowOptions): Following {
  const { executor, store, genesis, changes, blocks, verifies, now, log } = options
  const chainId = genesis.chain_id
  const abort = new AbortController()
  const { signal } = abort
  let waitsFor: string | undefined
  /** The height whose changes are waited for, and since when; whether it is logged. */
  let wanted: { readonly height: bigint; readonly sinceMs: number; isLogged: boolean } | undefined
  /** Ends the wait for the next block, since the node went back. */
  let interrupt = new AbortController()
  signal.addEventListener('abort', () => interrupt.abort(signal.reason))
  // Each of the requests that are made ahead listens.
  setMaxListeners(0, signal)

  const latest = (): bigint => executor.committedHeight()
  const isFirst = (): boolean => executor.isEmpty()
  /** Whether the latest block was restored with its state, so that its results are not known. */
  const isRestored = (): boolean => executor.tip().resultsHash.length === 0

  /** Forgets what was read ahead of the node from a height on. */
  function forget(height: bigint): void {
    blocks.forget(height)
    changes.forget(height)
  }

  const status = createStatus({
    latest: () => (latest() === 0n ? { height: 0n, timeNs: 0n } : executor.tip()),
    streamed: changes.latest,
    verifies,
    confirmed: latest(),
    now,
    onListenerFailure: (error) => log('error', 'a listener of the follower failed', { error }),
  })
  const { take, fill } = createTaking({ ...options, stated, write, signal })
  executor.onBlock(status.refresh)
  executor.onRollback(status.refresh)

  /** Asks the node for its latest block. */
  async function askTip(): Promise<NodeTip> {
    const found = await blocks.tip(signal)
    if (found.chainId !== chainId) {
      throw queryError('failedPrecondition', `the node is of chain ${found.chainId}, and this replica of ${chainId}`)
    }
    status.setTip(found)
    return found
  }

  const holding = createHolding({
    executor,
    limits: HOLD_LIMITS,
    flush() {
      try {
        executor.flush()
      } catch (error) {
        log('error', 'the latest blocks are not durable', { error })
      }
    },
    elapsed: options.elapsed,
  })

  /** Makes a block durable, or holds it if the next one is here: a crash loses none that the sources do not have. */
  function write(height: bigint, prepared: Pick<PreparedBlock, 'commit' | 'hold'>): void {
    const hasNext = (changes.latest() ?? 0n) > height && (status.tip()?.height ?? 0n) > height
    if (!hasNext || !holding.takes()) {
      prepared.commit()
      return
    }
    prepared.hold()
    holding.note()
  }

  /** Goes back to a height. */
  function goBack(to: bigint): void {
    executor.flush()
    executor.rollback(to)
    forget(to + 1n)
  }

  /** Resolves with the outcome of a block as the node states it: in the next header, or as its application reports the app hash. */
  async function stated(height: bigint, block: NodeBlock): Promise<Stated> {
    for (;;) {
      if ((status.tip()?.height ?? 0n) > height) {
        const { header } = await blocks.block(height + 1n, signal)
        return { appHash: header.appHash, resultsHash: header.lastResultsHash }
      }
      const appHash = block.appHash ?? (await blocks.appHashAfter(height, signal))
      if (appHash) return { appHash }
      if ((await askTip()).height <= height) await delay(FIRST_RETRY_MS, undefined, { signal })
    }
  }

  /** Returns the validators of a block, and whether they are another set than the previous one rotated. */
  async function validatorsOf({ header }: NodeBlock): Promise<{ set: readonly Validator[]; isNew: boolean }> {
    // A restored state has the sets of two more heights, and does not say whose turn it is to propose.
    const isMadeUp = isFirst() || isRestored() || executor.blocks.restored(latest() - 1n) !== undefined
    const known = isMadeUp ? undefined : executor.tip().validators
    if (known && isSetOf(header.validatorsHash, known)) return { set: known, isNew: false }
    const set = await blocks.validators(header.height, signal)
    if (!isSetOf(header.validatorsHash, set))
      throw difference(header.height, 'the validators that the node names are not those of its header')
    return { set, isNew: true }
  }

  /** Whether the node's latest block is at a height with another block here. */
  function isOnOtherBranch(): boolean {
    const tip = status.tip()
    if (!tip || isFirst() || tip.height > latest() || tip.height < store.earliestHeight()) return false
    const ours = hashHere(tip.height)
    return ours !== undefined && !equal(ours, tip.hash)
  }

  const hashHere = (height: bigint): Uint8Array | undefined =>
    (executor.blocks.header(height) ?? executor.blocks.restored(height))?.hash

  /** Goes back to the last height that the node has too, if it is on another branch. */
  async function followRollback(): Promise<boolean> {
    const { height: top, earliest: bottom } = await askTip()
    const newest = top < latest() ? top : latest()
    const earliest = bottom > store.earliestHeight() ? bottom : store.earliestHeight()
    if (newest < earliest) return false
    const common = await lastCommon(earliest, newest, async (height) => {
      blocks.forget(height)
      const ours = hashHere(height)
      return ours !== undefined && equal((await blocks.block(height, signal)).blockId.hash, ours)
    })
    if (common === newest) return false
    if (common < earliest) {
      throw queryError(
        'dataLoss',
        `the node has another block at every height from ${earliest} on: it is another chain with the same name, or went back further than this replica reaches`,
      )
    }
    const next = await blocks.block(common + 1n, signal)
    requireWhole(next, chainId)
    if (equal(next.blockId.hash, hashHere(common + 1n) ?? EMPTY))
      throw difference(common + 1n, 'the node answered another block for it before')
    if (verifies) requireSigned(chainId, next, executor.blocks.validators(common + 1n) ?? [])
    log('warn', 'the node went back: so does this replica', { from: latest(), to: common })
    goBack(common)
    status.confirm(common)
    return true
  }

  /** Resolves with the changes of a block. A fault in the source is a gap too: executing the block may fill it. */
  async function nextChanges(height: bigint): Promise<StreamedBlock | Gap> {
    wanted = { height, sinceMs: options.elapsed(), isLogged: false }
    try {
      return await changes.next(height, interrupt.signal)
    } catch (error) {
      if (isFirst() || !isDifference(error)) throw error
      return { until: height + 1n, reason: error.message }
    } finally {
      wanted = undefined
    }
  }

  /** Logs a wait for changes that the node has made long ago: its stream may be off, or go elsewhere. */
  function noteWait({ height: nodeHeight }: NodeTip): void {
    if (!wanted || wanted.isLogged || nodeHeight <= wanted.height) return
    if (options.elapsed() - wanted.sinceMs < CHANGES_MS) return
    wanted.isLogged = true
    log('warn', 'waits for the changes of a block: does the node stream them, and here?', {
      height: wanted.height,
      node_height: nodeHeight,
    })
  }

  /** Follows one block. */
  async function step(): Promise<void> {
    const height = isFirst() ? BigInt(genesis.initial_height) : latest() + 1n
    if (interrupt.signal.aborted) interrupt = new AbortController()
    if (isOnOtherBranch() && (await followRollback())) return
    const tip = status.tip()
    if (tip && tip.earliest > height) throw prunedBlock(height, tip)
    const streamed = await nextChanges(height)
    const block = await blocks.block(height, signal)
    if (!isFirst() && !equal(block.header.lastBlockId.hash, executor.tip().hash) && (await followRollback())) return
    const { set, isNew } = await validatorsOf(block)
    if (verifies) verifyBlock(block, set)
    if (isGap(streamed)) await fill(block, streamed)
    else await takeStreamed(block, streamed, isNew ? set : undefined)
    changes.release(height - BigInt(executor.heldCount()))
  }

  /**
   * Takes the changes of a source over. If they are wrong, takes those of another source, or executes the block. Rejects as `take` of
   * the first.
   */
  async function takeStreamed(
    block: NodeBlock,
    { changes: written, insteadOf, instead }: StreamedBlock,
    set: readonly Validator[] | undefined,
  ): Promise<void> {
    const { height } = block.header
    const noteFault = (reason: string): void =>
      log('warn', 'took the changes of a block from the peer: those of the stream are wrong', { height, reason })
    try {
      await take(block, written, set)
      if (insteadOf !== undefined) noteFault(insteadOf)
    } catch (error) {
      signal.throwIfAborted()
      if (!isDifference(error)) throw error
      const other = await instead?.(signal).catch(() => undefined)
      const ways = [
        ...(other && !isGap(other) ? [() => take(block, other.changes, set).then(() => noteFault(error.message))] : []),
        ...(isFirst() ? [] : [() => fill(block, { until: height + 1n, reason: error.message })]),
      ]
      for (const way of ways) {
        signal.throwIfAborted()
        const isTaken = await way().then(
          () => true,
          () => false,
        )
        if (isTaken) return
      }
      signal.throwIfAborted()
      throw error
    }
  }

  /** Verifies what the block itself says. Its app hash is that of the state before it. */
  function verifyBlock(block: NodeBlock, set: readonly Validator[]): void {
    requireWhole(block, chainId)
    const { anchor } = options
    if (anchor?.height === block.header.height && !equal(anchor.hash, block.blockId.hash))
      throw difference(anchor.height, 'it is not the block that the trusted one vouches for')
    if (isFirst()) {
      requireSigned(chainId, block, set)
      return
    }
    const { height, hash } = executor.tip()
    const last = executor.blocks.header(height) ?? executor.blocks.restored(height)
    requireLink(block, { height, hash, nextValidatorsHash: last?.header.nextValidatorsHash ?? EMPTY })
    requireSigned(chainId, block, set)
    try {
      requireOutcome(block, executor.tip())
    } catch (error) {
      takeBack(height)
      throw error
    }
    status.confirm(height)
  }

  /** Takes the latest block back, whose outcome is another one in the next header, which validators signed. */
  function takeBack(height: bigint): void {
    if (isRestored() || height <= store.earliestHeight()) return
    log('warn', 'takes back a block that the next header contradicts', { height })
    goBack(height - 1n)
  }

  async function run(): Promise<void> {
    let retryMs = FIRST_RETRY_MS
    while (!signal.aborted) {
      try {
        await step()
        if (status.stopped() || waitsFor !== undefined) {
          log('info', 'follows again', { height: latest() })
          waitsFor = undefined
          status.stop(undefined)
        }
        retryMs = FIRST_RETRY_MS
      } catch (error) {
        if (signal.aborted) return
        if (interrupt.signal.aborted) continue
        note(error, retryMs)
        await delay(retryMs, undefined, { signal }).catch(() => undefined)
        retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
      }
    }
  }

  /** Notes why no block follows. A difference stops the replica until the cause is gone; anything else is waited for. */
  function note(error: unknown, retryMs: number): void {
    const reason = error instanceof Error ? error.message : String(error)
    if (isDifference(error) || (error instanceof ChainError && error.status === 'failedPrecondition')) {
      if (status.stopped()?.reason !== reason) log('error', 'stopped following', { height: latest() + 1n, reason })
      status.stop(reason)
      // A wrong answer can be of one URL only.
      forget(0n)
      blocks.turn()
    } else {
      // Another node may have what this one lacks.
      if (retryMs > TURN_MS) blocks.turn()
      // A node that has not written its block yet is no news.
      if (waitsFor !== reason && retryMs > FIRST_RETRY_MS * 16) {
        const unexpected = error instanceof ChainError ? {} : { error }
        log('warn', 'waits for the node', { height: latest() + 1n, reason, ...unexpected })
        waitsFor = reason
      }
    }
  }

  async function watchTip(): Promise<void> {
    while (!signal.aborted) {
      try {
        noteWait(await askTip())
        if (isOnOtherBranch()) interrupt.abort()
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof ChainError && error.status === 'failedPrecondition') note(error, 0)
      }
      status.refresh()
      await delay(TIP_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  const firstBlock =
    !isFirst() && executor.blocks.block(latest())
      ? Promise.resolve()
      : new Promise<void>((resolve) => {
          const remove = executor.onBlock(() => {
            remove()
            resolve()
          })
        })
  const running = Promise.all([run(), watchTip()])

  return {
    firstBlock,
    onStatus: status.onChange,
    status: status.current,
    stopped: status.stopped,
    async stop() {
      abort.abort(stoppingError())
      changes.close()
      await running
      holding.stop()
      executor.flush()
    },
  }
}

const isDifference = (error: unknown): error is ChainError => error instanceof ChainError && error.status === 'dataLoss'

/** Returns the error of a node that no longer has the next block. */
function prunedBlock(height: bigint, { earliest }: NodeTip): ChainError {
  return queryError(
    'failedPrecondition',
    `the node has blocks from height ${earliest} on, and the next one here is ${height}: name a node with more of them, or begin again from a newer snapshot`,
  )
}
