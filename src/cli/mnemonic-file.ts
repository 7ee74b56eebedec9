/** The mnemonic of `--mnemonic-file`, which other users do not see in the list of processes. */
import { readFileSync } from 'node:fs'
import { diskFiles } from '../node/files.ts'
import { queryError } from '../primitives/errors.ts'

/**
 * Reads the mnemonic of `--mnemonic-file`; `-` is standard input. `flag` is the value of `--mnemonic`. Throws `invalidArgument` if
 * both are given, and `notFound` without the file.
 */
export function readMnemonicFile(path: string, flag: unknown): string {
  if (flag !== undefined) throw queryError('invalidArgument', '--mnemonic and --mnemonic-file exclude each other')
  const text = path === '-' ? readFileSync(0, 'utf8') : diskFiles.read(path)
  if (text === undefined) throw queryError('notFound', `--mnemonic-file ${path}: no such file`)
  return text.trim().split(/\s+/).join(' ')
}
