/** The block that is not made yet, executed in the compute pool: at most one execution at a time, shared by all requests. */
import { emptyPending, withinPending } from '../app/pending.ts'
import type { StoredBlock } from '../app/records.ts'
import type { PendingOutcome } from '../app/types.ts'
import type { NextBlock } from '../consensus/driver.ts'
import { EMPTY } from '../primitives/bytes.ts'
import { cachePerObject } from '../primitives/cache.ts'
import { ChainError } from '../primitives/errors.ts'
import { NS_PER_SECOND } from '../primitives/time.ts'
import type { ReadContext } from '../sdk/context.ts'
import type { GatewayNode } from './gateway.ts'

export interface PendingBlock {
  readonly outcome: PendingOutcome
  /** The block as a block index would have it. Its hash and app hash are not those that it will have. */
  readonly block: StoredBlock
  /** Height of the state before the block. */
  readonly parent: bigint
}

/** An execution that takes longer than this is followed by a pause, so that a pool that changes leaves room for calls. Unit: milliseconds. */
const SHORT_MS = 50
const PAUSE_RATIO = 3
const LONGEST_PAUSE_MS = 500
/** Executions of one request, each with half as many transactions as one that took too long. */
const MOST_TRIES = 3
/** Time for which an execution is used again. */
const MOST_AGE_NS = 5n * NS_PER_SECOND

function blockOf({ input, blockId, lastCommit }: NextBlock, outcome: PendingOutcome): StoredBlock {
  const { evmTxs, evmGasUsed, baseFeeWei, coinbase, prevRandao, facts } = outcome
  return {
    header: input.header!,
    hash: input.hash,
    blockId,
    txs: input.txs,
    results: [],
    lastCommit,
    commit: { height: input.height, round: 0, blockId, signatures: [] },
    blockEvents: [],
    evmTxs,
    evmGasUsed,
    baseFeeWei,
    gasLimit: facts.gasLimit,
    coinbase,
    ...(prevRandao && { prevRandao }),
    nextAppHash: EMPTY,
  }
}

/** Creates the function that returns the pending block; undefined if this chain makes no further one. */
function createPendingBlocks(node: GatewayNode): () => PendingBlock | undefined | Promise<PendingBlock | undefined> {
  let last: { readonly key: string; readonly made: PendingBlock } | undefined
  /** The execution in progress, and the one that begins after it. */
  let running: Promise<unknown> = Promise.resolve()
  let scheduled: Promise<PendingBlock | undefined> | undefined
  let pauseUntilMs = 0
  /** Limit of executed transactions: half of those that took too long. */
  let most = Number.POSITIVE_INFINITY

  /** Returns a text that changes with the chain and with the pool. */
  function keyNow(): string {
    const { latestHeight, rollbacks } = node.driver.status()
    return `${latestHeight} ${rollbacks} ${node.driver.pool!.version()}`
  }

  /** Returns the last pending block, unless chain or pool have changed, or its time is too old. */
  function found(): PendingBlock | undefined {
    if (last?.key !== keyNow()) return undefined
    const { timeNs } = last.made.block.header
    const oldNs = node.driver.pool!.nextTimeNs() - timeNs
    const isRecent = oldNs >= 0n && oldNs < (last.made.block.txs.length > 0 ? MOST_AGE_NS : NS_PER_SECOND)
    return isRecent ? last.made : undefined
  }

  function keep(key: string, next: NextBlock, outcome: PendingOutcome): PendingBlock {
    const made = { outcome, block: blockOf(next, outcome), parent: next.input.height - 1n }
    last = { key, made }
    return made
  }

  function empty(): PendingBlock {
    const key = keyNow()
    const next = node.driver.pool!.next(0)
    return keep(
      key,
      next,
      node.withContext(next.input.height - 1n, (ctx) => emptyPending(ctx, next.input)),
    )
  }

  /** Executes the ready transactions, or the first half of them, quarter and so on if they take too long. */
  async function execute(tries = MOST_TRIES): Promise<PendingBlock> {
    const known = found()
    if (known) return known
    const key = keyNow()
    const next = node.driver.pool!.next(most)
    const { input } = next
    try {
      const options = { height: input.height - 1n, timeoutMs: node.settings.evmTimeoutMs }
      const outcome = (await node.compute.run('pendingBlock', { input }, options)) as PendingOutcome
      most = Math.max(1, most * 2)
      return keep(key, next, outcome)
    } catch (error) {
      const isLate = error instanceof ChainError && error.status === 'deadlineExceeded'
      if (isLate) most = Math.floor(Math.min(most, input.txs.length) / 2)
      if (!isLate || tries === 1) throw error
    }
    return await execute(tries - 1)
  }

  /** Executes, and sets the pause after a long execution. */
  async function executeTimed(): Promise<PendingBlock> {
    const started = performance.now()
    try {
      return await execute()
    } finally {
      const took = performance.now() - started
      if (took > SHORT_MS) pauseUntilMs = performance.now() + Math.min(took * PAUSE_RATIO, LONGEST_PAUSE_MS)
    }
  }

  /** Executes the pool as it will be when the execution in progress, and the pause after it, are over. */
  async function afterwards(): Promise<PendingBlock | undefined> {
    await running.catch(() => undefined)
    const pauseMs = pauseUntilMs - performance.now()
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    scheduled = undefined
    const execution = executeTimed()
    running = execution
    return await execution
  }

  return () => {
    const { pool } = node.driver
    if (!pool || node.driver.status().halted) return undefined
    const known = found()
    if (known) return known
    if (!pool.hasReady()) return empty()
    scheduled ??= afterwards()
    return scheduled
  }
}

const pendingBlocks = cachePerObject(createPendingBlocks)

/** Returns the pending block, with the ready transactions of the pool; undefined if the chain makes no further block. */
export const pendingBlock = (node: GatewayNode): PendingBlock | undefined | Promise<PendingBlock | undefined> =>
  pendingBlocks(node)()

/** Reads the state within the pending block; the latest state if the chain makes no further block. */
export function withPending<T>(node: GatewayNode, read: (ctx: ReadContext) => T): T | Promise<T> {
  const readIn = (pending: PendingBlock | undefined): T =>
    pending
      ? node.withContext(pending.parent, (ctx) => read(withinPending(ctx, pending.outcome)))
      : node.withContext(undefined, read)
  const pending = pendingBlock(node)
  return pending instanceof Promise ? pending.then(readIn) : readIn(pending)
}
