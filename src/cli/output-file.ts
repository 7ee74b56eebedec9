/** Files that flags name for writing. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { diskFiles, type Files } from '../node/files.ts'
import { systemReason } from '../node/system-reason.ts'
import { type ChainError, queryError } from '../primitives/errors.ts'

/** Creates the error for a file that cannot be written. `reason` is that of the system. */
const unwritable = (flag: string, path: string, reason: string): ChainError =>
  queryError('failedPrecondition', `${flag} ${path}: cannot be written: ${reason}`)

/** Returns the nearest folder above a path that exists. */
function existingFolder(path: string): string {
  const folder = dirname(path)
  return folder === path || existsSync(folder) ? folder : existingFolder(folder)
}

/** Throws `failedPrecondition` with the flag unless a file can be written at a path. Creates nothing. */
export function requireWritable(flag: string, path: string): void {
  try {
    if (existsSync(path) && !statSync(path).isFile()) throw unwritable(flag, path, 'it is no file')
    const folder = existingFolder(path)
    if (!statSync(folder).isDirectory()) throw unwritable(flag, path, `${folder} is no folder`)
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    const reason = systemReason(error)
    throw reason === undefined ? error : unwritable(flag, path, reason)
  }
}

/** Writes the file of a flag as `Files.write` does. Throws `failedPrecondition` with flag and reason if the system refuses it. */
export function writeOutputFile(
  flag: string,
  path: string,
  text: string,
  { secret = false, files = diskFiles }: { readonly secret?: boolean; readonly files?: Pick<Files, 'write'> } = {},
): void {
  try {
    files.write(path, text, { secret })
  } catch (error) {
    const reason = systemReason(error)
    throw reason === undefined ? error : unwritable(flag, path, reason)
  }
}
