/** The executor of a node, and the engine that decides the next block: the embedded one, CometBFT, or a node that is followed. */
import type { NodeEnvironment } from '../../api/node-info.ts'
import type { Application } from '../../app/types.ts'
import type { EngineSocket } from '../../consensus/cometbft/waiting.ts'
import type { BlockProduction, BlockTiming, Driver } from '../../consensus/driver.ts'
import type { Executor } from '../../consensus/execution.ts'
import { createExecutor } from '../../consensus/executor.ts'
import type { DevelopmentTools } from '../../consensus/solo/development.ts'
import type { MempoolLimits } from '../../consensus/solo/mempool.ts'
import { startSolo } from '../../consensus/solo/solo.ts'
import type { OwnValidators } from '../../consensus/validators.ts'
import { createIdentity } from '../../identity/identity.ts'
import type { Amendment } from '../../modules/evm/keeper.ts'
import { queryError } from '../../primitives/errors.ts'
import type { Progress } from '../../primitives/progress.ts'
import { NS_PER_MS } from '../../primitives/time.ts'
import type { ReadContext } from '../../sdk/context.ts'
import type { VersionedStore } from '../../store/versioned.ts'
import type { OpenedChain } from '../chain.ts'
import { parseMemory } from '../config.ts'
import type { Files } from '../files.ts'
import { createHaltHandler, type HaltNotice } from '../halts.ts'
import { localAccounts } from '../local-accounts.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { SnapshotSchedule } from '../snapshots/schedule.ts'
import { type EngineRunner, startCometEngine } from './comet.ts'
import { startReplicaEngine } from './follow.ts'

/** Limits of waiting transactions per sender, unless the operator sets one. */
const SLOTS = 64
const DEVELOPMENT_SLOTS = 1000

export interface StartedEngine {
  readonly executor: Executor
  readonly driver: Driver
  /** Absent unless the embedded engine decides. */
  readonly production: BlockProduction | undefined
  /** Serves the engine's queries by the node. */
  readonly serveQueries: (node: () => NodeEnvironment) => void
}

/**
 * Starts the executor and the engine, and adds the step that stops them to `undo`. The chain has its first block when the
 * promise resolves. Rejects with `failedPrecondition`, before any port opens, if the chain halts
 * and `onHalt` ends the process.
 */
export async function startEngine(
  parts: {
    readonly chain: OpenedChain
    readonly app: Application
    readonly store: VersionedStore
    readonly validators: OwnValidators
    readonly timing: BlockTiming
    readonly development: DevelopmentTools | undefined
    readonly metrics: Metrics | undefined
    readonly files: Files
    /** Wall clock, Unix milliseconds. */
    readonly clock: () => number
    /** Monotonic clock, milliseconds. */
    readonly elapsed: () => number
    readonly log: Log
    readonly onHalt: ((notice: HaltNotice) => void) | undefined
    /** The sockets of CometBFT and the engine; absent for the embedded one. */
    readonly socket: EngineSocket | undefined
    readonly engine: EngineRunner | undefined
    /** Absent without a home. */
    readonly snapshots: SnapshotSchedule | undefined
    readonly progress: Progress
    /** Draws bars on a terminal; absent where the log shows the work. */
    readonly bar: Progress | undefined
    /** Returns changes to the genesis state of a new chain of the embedded engine. */
    readonly amendments?: ((ctx: ReadContext) => readonly Amendment[]) | undefined
  },
  undo: (() => unknown)[],
): Promise<StartedEngine> {
  const { chain, app, store, timing, development, files, clock, elapsed, log, onHalt } = parts
  const { blocks, mempool } = chain.config
  const onListenerFailure = (error: unknown) => log('error', 'a listener of the chain failed', { error })
  let isEnding = false
  const executor = createExecutor({
    app,
    store,
    elapsed,
    onHalt: createHaltHandler({
      config: chain.config,
      data: chain.home?.paths.data,
      files,
      log,
      notify(notice) {
        isEnding = !notice.serves
        onHalt?.(notice)
      },
    }),
    onListenerFailure,
    progress: parts.progress,
    ...(parts.metrics && { onTiming: observeBlocks(parts.metrics, elapsed) }),
  })
  const limits: MempoolLimits = {
    maxTxs: mempool.maxTxs,
    maxBytes: parseMemory(mempool.maxBytes)!,
    maxTxBytes: parseMemory(mempool.maxTxBytes)!,
    byArrival: mempool.order === 'fifo',
    ...(blocks.maxTxs > 0 && { blockTxs: blocks.maxTxs }),
    slotsPerSender: mempool.slots || (development ? DEVELOPMENT_SLOTS : SLOTS),
  }
  const isLocal = localAccounts(chain.config, createIdentity(chain.profile))
  const requireRunning = (driver: Driver): void => {
    if (isEnding && onHalt) throw queryError('failedPrecondition', driver.status().halted!.reason)
  }
  const { socket, engine, snapshots } = parts
  if (snapshots) {
    executor.onBlock(({ header, nextAppHash }) => snapshots.onBlock(header.height, nextAppHash))
    undo.push(snapshots.stop)
  }
  if (chain.config.consensus.engine === 'follow') {
    const driver = await startReplicaEngine({ ...parts, executor, limits }, undo)
    return { executor, driver, production: undefined, serveQueries: () => undefined }
  }
  if (socket && engine) {
    const { driver, serveQueries } = await startCometEngine(
      { ...parts, socket, engine, executor, limits, isLocal },
      undo,
    )
    requireRunning(driver)
    return { executor, driver, production: undefined, serveQueries }
  }
  const solo = await startSolo({
    executor,
    genesis: chain.genesis,
    takeChecked: chain.takeChecked,
    signers: parts.validators.signers,
    timing,
    limits,
    isLocal,
    now: () => BigInt(clock()) * NS_PER_MS,
    elapsed,
    development,
    amendments: parts.amendments,
    onListenerFailure,
  })
  undo.push(() => solo.stop())
  requireRunning(solo)
  return { executor, driver: solo, production: solo.production, serveQueries: () => undefined }
}

/** Returns a listener that records each block's times, and the interval to the block before it. */
function observeBlocks(metrics: Metrics, elapsed: () => number) {
  let lastCommit: number | undefined
  return ({ executeMs, commitMs }: { readonly executeMs: number | undefined; readonly commitMs: number }): void => {
    const now = elapsed()
    metrics.block({ intervalMs: lastCommit === undefined ? undefined : now - lastCommit, executeMs, commitMs })
    lastCommit = now
  }
}
