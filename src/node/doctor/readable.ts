/** A look at the database of a home before a command reads it whole, or a node opens it. */
import { closeSync, existsSync, fstatSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { ChainError, queryError } from '../../primitives/errors.ts'
import { isOfMachine } from '../../primitives/host-errors.ts'
import { DATABASE, readMeta } from '../database-meta.ts'
import { diskFiles } from '../files.ts'
import type { HomePaths } from '../home-paths.ts'
import { doctorEntry } from '../worker-programs.ts'
import { textOf } from './check.ts'
import { isInWords, RESTORE } from './home.ts'

/** Time for the look, which reads the records of the latest height. */
const LIMIT_MS = 60_000

const damage = (found: string, fix: string): ChainError =>
  queryError('dataLoss', `${found}; ${fix}. \`almanac doctor --deep\` says more`)

/** Whether the system or the machine refused a step. LMDB gives the number of such an error, its own numbers are negative. */
function isOfSystem(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' || (typeof code === 'number' && code > 0) || isOfMachine(error)
}

/** Returns `dataLoss` for an error that reading a database threw. Expected failures, and those of the system, stay what they are. */
export function asDamage(error: unknown): unknown {
  if (error instanceof ChainError || isOfSystem(error)) return error
  return damage(`the database is damaged: ${isInWords(error) ? textOf(error) : 'a record cannot be read'}`, RESTORE)
}

/**
 * Rejects with `dataLoss` for a database whose latest state cannot be read. Another process looks, because a damaged file can end the
 * one that reads it.
 */
export async function requireReadable({ root }: HomePaths): Promise<void> {
  const { checkStoreApart } = await import('./store-process.ts')
  const results = await checkStoreApart({ root, isDeep: false, limitMs: LIMIT_MS })
  const failed = results.find(({ state }) => state === 'fail')
  if (failed) throw damage(failed.found, failed.fix ?? RESTORE)
}

/**
 * Rejects as `requireReadable` does for a file that is shorter than its latest commit says. Opening it could end the process with
 * a signal. It can also end before pages that are free, so that its size alone is no proof. Bundles that others make of the
 * library have no program for the look, and open the file at once.
 */
export async function requireReadableIfShort(paths: HomePaths): Promise<void> {
  if (isShort(join(paths.data, DATABASE)) && existsSync(doctorEntry())) await requireReadable(paths)
}

function isShort(path: string): boolean {
  if (!diskFiles.exists(path)) return false
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    if (size === 0) return false
    const { lastPage, pageSize } = readMeta(file)
    return size < (lastPage + 1) * pageSize
  } catch {
    // No meta page that can be read.
    return true
  } finally {
    closeSync(file)
  }
}
