/** The executor of a node, and the engine that decides the next block: today always the embedded one. */
import type { Application } from '../../app/types.ts'
import type { BlockProduction, BlockTiming, Driver } from '../../consensus/driver.ts'
import { createExecutor, type Executor } from '../../consensus/executor.ts'
import type { DevelopmentTools } from '../../consensus/solo/development.ts'
import { startSolo } from '../../consensus/solo/solo.ts'
import type { OwnValidators } from '../../consensus/validators.ts'
import { createIdentity } from '../../identity/identity.ts'
import { queryError } from '../../primitives/errors.ts'
import { NS_PER_MS } from '../../primitives/time.ts'
import type { VersionedStore } from '../../store/versioned.ts'
import type { OpenedChain } from '../chain.ts'
import { parseMemory } from '../config.ts'
import type { Files } from '../files.ts'
import { createHaltHandler, type HaltNotice } from '../halts.ts'
import { localAccounts } from '../local-accounts.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'

/** Limits of waiting transactions per sender, unless the operator sets one. */
const SLOTS = 64
const DEVELOPMENT_SLOTS = 1000

export interface StartedEngine {
  readonly executor: Executor
  readonly driver: Driver
  readonly production: BlockProduction
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
  },
  undo: (() => unknown)[],
): Promise<StartedEngine> {
  const { chain, app, store, timing, development, files, clock, elapsed, log, onHalt } = parts
  const { mempool } = chain.config
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
    ...(parts.metrics && { onTiming: observeBlocks(parts.metrics, elapsed) }),
  })
  const solo = await startSolo({
    executor,
    genesis: chain.genesis,
    signers: parts.validators.signers,
    timing,
    limits: {
      maxTxs: mempool.maxTxs,
      maxBytes: parseMemory(mempool.maxBytes)!,
      maxTxBytes: parseMemory(mempool.maxTxBytes)!,
      slotsPerSender: mempool.slots || (development ? DEVELOPMENT_SLOTS : SLOTS),
    },
    isLocal: localAccounts(chain.config, createIdentity(chain.profile)),
    now: () => BigInt(clock()) * NS_PER_MS,
    elapsed,
    development,
    onListenerFailure,
  })
  undo.push(() => solo.stop())
  if (isEnding && onHalt) throw queryError('failedPrecondition', solo.status().halted!.reason)
  return { executor, driver: solo, production: solo.production }
}

/** Returns a listener that records each block's times, and the interval to the block before it. */
function observeBlocks(metrics: Metrics, elapsed: () => number) {
  let lastCommit: number | undefined
  return ({ executeMs, commitMs }: { readonly executeMs: number; readonly commitMs: number }): void => {
    const now = elapsed()
    metrics.block({ intervalMs: lastCommit === undefined ? undefined : now - lastCommit, executeMs, commitMs })
    lastCommit = now
  }
}
