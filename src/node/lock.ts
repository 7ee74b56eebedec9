/** One process at a time in a home. The lock of a process that was killed is not in the way. */
import { readFileSync } from 'node:fs'
import { queryError } from '../primitives/errors.ts'
import type { Files } from './files.ts'

/** Whether a program of ours may still run under the number. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  try {
    // A number that was given again to another program does not hold our lock.
    return /node|almanac/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
  } catch {
    return true
  }
}

/** Returns what releases the lock. Throws `unavailable` naming the process that runs in this home. */
export function acquireLock(path: string, files: Files): () => void {
  const holder = Number(files.read(path)?.trim() ?? '')
  if (holder > 0 && holder !== process.pid && isAlive(holder)) {
    throw queryError('unavailable', `process ${holder} already runs in this home (${path}); stop it, or use --home DIR`)
  }
  files.write(path, `${process.pid}\n`)
  return () => files.remove(path)
}
