/** The lock of a home: one node at a time. The lock of a killed process is replaced. */
import { readFileSync } from 'node:fs'
import { type ChainError, queryError } from '../primitives/errors.ts'
import type { Files } from './files.ts'

/** Whether a process of this program can still run under a process id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  try {
    // The system can reuse the id for another program.
    return /node|almanac/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
  } catch {
    return true
  }
}

/**
 * Returns the text of this process's locks: its id and its start time, since after a restart of a container another process
 * can have the same id.
 */
const ownText = (): string => `${process.pid} ${Math.round(performance.timeOrigin)}\n`

/** Returns the process id in a lock; undefined if that process has ended. */
function holderOf(text: string): number | undefined {
  const pid = Number.parseInt(text, 10)
  if (!(pid > 0)) return undefined
  const holds = pid === process.pid ? text === ownText() : isAlive(pid)
  return holds ? pid : undefined
}

/** Returns the id of the process that runs in a home; undefined if there is no such process. */
export function lockHolder(path: string, files: Pick<Files, 'read'>): number | undefined {
  return holderOf(files.read(path) ?? '')
}

function held(path: string, holder: number | undefined): ChainError {
  const who = holder === process.pid ? 'this process' : holder === undefined ? 'another process' : `process ${holder}`
  return queryError('unavailable', `${who} already runs in this home (${path}); stop it, or use --home DIR`)
}

/** Acquires a lock and returns the function that releases it. Throws `unavailable` with the process that runs in this home. */
export function acquireLock(path: string, files: Files): () => void {
  if (!files.create(path, ownText())) replaceDead(path, files)
  return () => {
    if (files.read(path) === ownText()) files.remove(path)
  }
}

/**
 * Replaces the lock of a dead process. A second lock, held meanwhile, keeps other processes from doing the same: the next
 * process that acquires it finds the lock of a living process.
 */
function replaceDead(path: string, files: Files): void {
  const holder = lockHolder(path, files)
  if (holder !== undefined) throw held(path, holder)
  const turn = `${path}.turn`
  if (!files.create(turn, ownText())) {
    const other = lockHolder(turn, files)
    if (other !== undefined) throw held(path, other)
    // Its owner was killed while it replaced a lock.
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
