/** Snapshots of a running node: made at an interval by a process of their own, kept for peers, and served to them. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { StoreList } from '../../app/stores.ts'
import type { ServedSnapshots } from '../../consensus/cometbft/serve-state.ts'
import { formatHex } from '../../primitives/bytes.ts'
import type { VersionedStore } from '../../store/versioned.ts'
import { isAlive } from '../lock.ts'
import { type Log, moduleLog } from '../log.ts'
import { snapshotEntry } from '../worker-programs.ts'
import { openSnapshotFolder } from './folder.ts'
import type { FromSnapshotWorker, SnapshotJob } from './messages.ts'

interface ScheduleOptions {
  readonly data: string
  readonly snapshots: string
  readonly stores: StoreList
  readonly store: Pick<VersionedStore, 'pin'>
  /** A snapshot at heights divisible by it; 0 makes none. */
  readonly interval: number
  /** Number of snapshots to keep; 0 keeps all. */
  readonly keepRecent: number
  /** Monotonic clock, milliseconds. */
  readonly elapsed: () => number
  readonly log: Log
}

/** Time for which a snapshot stays after a peer saw it in the list, and after a peer fetched a chunk of it. */
const LISTED_MS = 60_000
const FETCHED_MS = 300_000

export interface SnapshotSchedule extends ServedSnapshots {
  /** Makes a snapshot of a height that is committed, if one is due. */
  onBlock(height: bigint, appHash: Uint8Array): void
  stop(): Promise<void>
}

/** A snapshot in the making. */
interface Running {
  readonly height: bigint
  readonly ended: Promise<void>
  kill(): void
}

export function createSnapshotSchedule(options: ScheduleOptions): SnapshotSchedule {
  const { data, snapshots, stores, store, interval, keepRecent, elapsed } = options
  const log = moduleLog(options.log, 'snapshots')
  const folder = openSnapshotFolder(snapshots)
  let running: Running | undefined
  let stopped = false
  let oldest: bigint | undefined
  /** Snapshots that peers may be about to fetch, and until when. */
  const held = new Map<bigint, number>()
  folder.clean(isAlive)

  /** Reads the snapshots, which commands can change meanwhile. */
  function list() {
    const records = folder.list()
    oldest = records.at(-1)?.height
    return records
  }
  list()

  function hold(height: bigint, ms: number): void {
    held.set(height, Math.max(held.get(height) ?? 0, elapsed() + ms))
  }

  function isHeld(height: bigint): boolean {
    if ((held.get(height) ?? 0) > elapsed()) return true
    held.delete(height)
    return false
  }

  function make(height: bigint, appHash: Uint8Array): Running {
    const release = store.pin(height)
    const started = elapsed()
    const child = fork(fileURLToPath(snapshotEntry()), { execArgv: [], stdio: 'ignore' })
    let outcome: Exclude<FromSnapshotWorker, { kind: 'open' }> | undefined
    child.on('message', (message: FromSnapshotWorker) => {
      if (message.kind === 'open') release()
      else outcome = message
    })
    child.on('error', (error) => {
      outcome = { kind: 'failed', reason: error.message }
    })
    child.send({ data, snapshots, stores, height: String(height) } satisfies SnapshotJob, () => undefined)
    const ended = new Promise<void>((resolve) => {
      child.once('close', () => {
        release()
        settle(height, appHash, outcome, Math.round(elapsed() - started))
        resolve()
      })
    })
    return { height, ended, kill: () => child.kill('SIGKILL') }
  }

  function settle(
    height: bigint,
    appHash: Uint8Array,
    outcome: Exclude<FromSnapshotWorker, { kind: 'open' }> | undefined,
    ms: number,
  ): void {
    running = undefined
    folder.clean(isAlive)
    if (stopped) return
    if (outcome?.kind !== 'made') {
      log('warn', 'could not make a snapshot', { height, reason: outcome?.reason ?? 'its process ended' })
    } else if (outcome.appHash !== formatHex(appHash)) {
      folder.remove(height)
      log('error', 'deleted a snapshot that gives another app hash', { height, app_hash: outcome.appHash })
    } else {
      log('info', 'made a snapshot', { height, chunks: outcome.chunks, ms })
      const deleted = folder.prune(keepRecent, isHeld)
      for (const old of deleted) held.delete(old)
      if (deleted.length > 0) log('info', 'deleted old snapshots', { heights: deleted.join(', ') })
    }
    list()
  }

  return {
    list() {
      const records = list()
      for (const { height } of records) hold(height, LISTED_MS)
      return records
    },
    chunk(height, format, index) {
      if (folder.has(height)) hold(height, FETCHED_MS)
      return folder.chunk(height, format, index)
    },
    oldest: () => {
      if (running && (oldest === undefined || running.height < oldest)) return running.height
      return oldest
    },
    onBlock(height, appHash) {
      if (stopped || interval === 0 || height % BigInt(interval) !== 0n) return
      if (running) {
        log('warn', 'made no snapshot: the one before is not ready', { height, before: running.height })
        return
      }
      if (!folder.has(height)) running = make(height, appHash)
    },
    async stop() {
      stopped = true
      running?.kill()
      await running?.ended
    },
  }
}
