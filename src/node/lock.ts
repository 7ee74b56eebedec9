/** One node at a time in a home. The lock of a process that was killed is not in the way. */
import { readFileSync } from 'node:fs'
import { type ChainError, queryError } from '../primitives/errors.ts'
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

/**
 * What this process writes into its locks: its number, and when it began, since after a restart of a container another process
 * may have the number.
 */
const ownText = (): string => `${process.pid} ${Math.round(performance.timeOrigin)}\n`

/** The process that a lock says holds it; undefined if it does not run any more. */
function holderOf(text: string): number | undefined {
  const pid = Number.parseInt(text, 10)
  if (!(pid > 0)) return undefined
  const holds = pid === process.pid ? text === ownText() : isAlive(pid)
  return holds ? pid : undefined
}

/** The process that runs in a home, by its lock. */
export function lockHolder(path: string, files: Pick<Files, 'read'>): number | undefined {
  return holderOf(files.read(path) ?? '')
}

function held(path: string, holder: number | undefined): ChainError {
  const who = holder === process.pid ? 'this process' : holder === undefined ? 'another process' : `process ${holder}`
  return queryError('unavailable', `${who} already runs in this home (${path}); stop it, or use --home DIR`)
}

/** Returns what releases the lock. Throws `unavailable` naming the process that runs in this home. */
export function acquireLock(path: string, files: Files): () => void {
  if (!files.create(path, ownText())) replaceDead(path, files)
  return () => {
    if (files.read(path) === ownText()) files.remove(path)
  }
}

/**
 * Puts our lock into the place of a dead process's. A second lock, held for this moment, keeps others from doing the same: who gets
 * it next finds the lock of a living process.
 */
function replaceDead(path: string, files: Files): void {
  const holder = lockHolder(path, files)
  if (holder !== undefined) throw held(path, holder)
  const turn = `${path}.turn`
  if (!files.create(turn, ownText())) {
    const other = lockHolder(turn, files)
    if (other !== undefined) throw held(path, other)
    // Of a process that was killed in such a moment.
    files.remove(turn)
    if (!files.create(turn, ownText())) throw held(path, lockHolder(turn, files))
  }
  try {
    const text = files.read(path)
    const living = holderOf(text ?? '')
    if (living !== undefined) throw held(path, living)
    if (text !== undefined) files.write(path, ownText())
    else if (!files.create(path, ownText())) throw held(path, lockHolder(path, files))
  } finally {
    files.remove(turn)
  }
}
