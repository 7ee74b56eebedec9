/** The node's reaction to a halt: it writes `upgrade-info.json`, then the log, then notifies its owner (D10, D31). */
import type { Halt } from '../app/halt.ts'
import type { ExecutorOptions } from '../consensus/executor.ts'
import { type Files, freeBytes } from './files.ts'
import type { Log } from './log.ts'
import type { Config } from './settings.ts'
import { writeUpgradeInfo } from './upgrade-info.ts'

/** A halt, as reported to the process that runs the node. */
export interface HaltNotice {
  /** Exit code of a process that ends because of the halt. */
  readonly exitCode: number
  /** The line that supervisors look for; undefined if a failure is the cause. */
  readonly line: string | undefined
  /** Whether a supervisor is to start the next build: `upgrade-info.json` was written for it. */
  readonly callsSupervisor: boolean
  /** Whether the node continues to answer queries. */
  readonly serves: boolean
}

const FAILURE_EXIT_CODE = 1
/** Free bytes below which the disk counts as full: many times the size of a block. */
const FULL_DISK_BYTES = 16 << 20

/** Whether the node continues to answer queries. A build of the wrong version must not read state that a later one wrote. */
function keepsServing(config: Config, halt: Halt | undefined): boolean {
  return config.upgrade.halt === 'serve' && halt?.reason !== 'wrongVersion'
}

/** Creates the function that reacts to a halt. */
export function createHaltHandler(parts: {
  readonly config: Config
  /** Folder of `upgrade-info.json`; undefined for a temporary chain. */
  readonly data: string | undefined
  readonly files: Files
  readonly log: Log
  readonly notify: ((notice: HaltNotice) => void) | undefined
  /** Replaces `freeBytes` in tests. */
  readonly free?: typeof freeBytes
}): ExecutorOptions['onHalt'] {
  const { config, data, files, log, notify, free = freeBytes } = parts

  /** Logs a full disk, which the database reports only as a failed write. */
  function noteFullDisk(folder: string): void {
    const left = free(folder)
    if (left === undefined || left >= FULL_DISK_BYTES) return
    log('error', 'the disk of the chain is full: free some space, then start the node again', {
      data: folder,
      left_bytes: left,
    })
  }

  function writeFile(text: string): void {
    if (data === undefined) return
    try {
      writeUpgradeInfo(data, text, files)
    } catch (error) {
      log('error', 'upgrade-info.json could not be written; write its text by hand', { data, text, error })
    }
  }

  return ({ reason, next, height }, { halt, error }) => {
    if (halt?.file !== undefined) writeFile(halt.file)
    const serves = keepsServing(config, halt)
    if (halt) log('error', halt.line)
    log('error', 'the chain has halted', { height: height - 1n, reason, next, ...(!halt && { error }) })
    if (!halt && data !== undefined) noteFullDisk(data)
    if (serves) log('warn', 'no blocks are made; queries are answered at the last height', { height: height - 1n })
    notify?.({
      exitCode: halt?.exitCode ?? FAILURE_EXIT_CODE,
      line: halt?.line,
      callsSupervisor: halt?.file !== undefined,
      serves,
    })
  }
}
