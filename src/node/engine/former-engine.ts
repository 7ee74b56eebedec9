/** The engine of a node that was killed: it can live on for seconds, and holds the lock of its home as long. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { queryError } from '../../primitives/errors.ts'
import type { Files } from '../files.ts'
import type { Log } from '../log.ts'

/** Time in which a former engine ends by itself, since its application is gone. Beyond: it is killed. */
const END_MS = 5000
/** Time in which a killed process is gone. */
const KILL_MS = 5000
const POLL_MS = 50

/** Returns the path of the file with the process id of an engine that runs. */
export const enginePidFile = (home: string): string => join(home, 'engine.pid')

/** Returns the command line of a process; an empty text if it has ended. */
function commandLineOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

/** Returns the process id of the engine in a home; undefined if none runs there. The system can reuse the id for another program. */
function runningEngine(home: string, files: Pick<Files, 'read'>): number | undefined {
  const pid = Number.parseInt(files.read(enginePidFile(home)) ?? '', 10)
  return pid > 0 && ` ${commandLineOf(pid)} `.includes(` --home ${home} `) ? pid : undefined
}

/** Resolves with whether the engine of a home has ended within a time. */
async function hasEnded(home: string, files: Files, withinMs: number): Promise<boolean> {
  const begun = performance.now()
  while (runningEngine(home, files) !== undefined) {
    if (performance.now() - begun > withinMs) return false
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  return true
}

/**
 * Ends the engine that a killed node left behind, and waits for its end. Call it under the lock of the node's home. Rejects with
 * `unavailable` if it cannot be ended.
 */
export async function endFormerEngine(home: string, files: Files, log: Log): Promise<void> {
  const pid = runningEngine(home, files)
  if (pid !== undefined) {
    log('info', 'ending the engine that an earlier process of this home left behind', { pid })
    for (const [signal, withinMs] of [
      ['SIGTERM', END_MS],
      ['SIGKILL', KILL_MS],
    ] as const) {
      try {
        process.kill(pid, signal)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw refused(home, pid, (error as Error).message)
      }
      if (await hasEnded(home, files, withinMs)) break
    }
    if (runningEngine(home, files) !== undefined) throw refused(home, pid, 'it does not end')
  }
  files.remove(enginePidFile(home))
}

const refused = (home: string, pid: number, reason: string) =>
  queryError('unavailable', `process ${pid} is an engine in ${home}, and cannot be ended: ${reason}`)
