/** What a node does when its chain halts: first the file, then the log, then whoever started it hears (D10, D31). */
import type { Halt } from '../app/halt.ts'
import type { SoloOptions } from '../consensus/solo.ts'
import { type Files, freeBytes } from './files.ts'
import type { Log } from './log.ts'
import type { Config } from './settings.ts'
import { writeUpgradeInfo } from './upgrade-info.ts'

/** A halt as the process that holds the node sees it. */
export interface HaltNotice {
  /** Of a process that ends because of it. */
  readonly exitCode: number
  /** The line that supervisors look for; absent where a failure is the reason. */
  readonly line: string | undefined
  /** Whether it is for a supervisor to start the next build: `upgrade-info.json` is written. */
  readonly callsSupervisor: boolean
  /** Whether the node goes on answering queries. */
  readonly serves: boolean
}

const FAILURE_EXIT_CODE = 1
/** What a disk must have left for a block to fail for another reason: many times what a block takes. */
const ENOUGH_BYTES = 16 << 20

/** Whether the node goes on answering: a build that came too late cannot tell what a later one wrote. */
function goesOn(config: Config, halt: Halt | undefined): boolean {
  return config.upgrade.halt === 'serve' && halt?.reason !== 'wrongVersion'
}

export function createHaltDuty(parts: {
  readonly config: Config
  /** Folder of `upgrade-info.json`; undefined for a chain that leaves nothing behind. */
  readonly data: string | undefined
  readonly files: Files
  readonly log: Log
  readonly tell: ((notice: HaltNotice) => void) | undefined
  /** As `freeBytes`. */
  readonly free?: typeof freeBytes
}): SoloOptions['onHalt'] {
  const { config, data, files, log, tell, free = freeBytes } = parts

  /** The database says no more of a full disk than that it could not write. */
  function noteFullDisk(folder: string): void {
    const left = free(folder)
    if (left === undefined || left >= ENOUGH_BYTES) return
    log('error', 'the disk of the chain is full: make room, and start the node again', {
      data: folder,
      left_bytes: left,
    })
  }

  function writeFile(text: string): void {
    if (data === undefined) return
    try {
      writeUpgradeInfo(data, text, files)
    } catch (error) {
      log('error', 'upgrade-info.json could not be written; what it should hold', { data, text, error })
    }
  }

  return ({ reason, next, height }, { halt, error }) => {
    if (halt?.file !== undefined) writeFile(halt.file)
    const serves = goesOn(config, halt)
    if (halt) log('error', halt.line)
    log('error', 'the chain has halted', { height: height - 1n, reason, next, ...(!halt && { error }) })
    if (!halt && data !== undefined) noteFullDisk(data)
    if (serves) log('warn', 'no blocks are made; queries are answered at the last height', { height: height - 1n })
    tell?.({
      exitCode: halt?.exitCode ?? FAILURE_EXIT_CODE,
      line: halt?.line,
      callsSupervisor: halt?.file !== undefined,
      serves,
    })
  }
}
