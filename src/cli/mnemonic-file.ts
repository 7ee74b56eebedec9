/** The mnemonic of `--mnemonic-file`, which other users do not see in the list of processes. */
import { readInputText } from '../node/input-file.ts'
import { queryError } from '../primitives/errors.ts'

/** Size of the file. Beyond: it is refused. */
const MAX_BYTES = 4096

/**
 * Reads the mnemonic of `--mnemonic-file`; `-` is standard input. `flag` is the value of `--mnemonic`. Throws `invalidArgument` if
 * both are given, and `notFound` without the file.
 */
export function readMnemonicFile(path: string, flag: unknown): string {
  if (flag !== undefined) throw queryError('invalidArgument', '--mnemonic and --mnemonic-file exclude each other')
  return readInputText(path, { name: `--mnemonic-file ${path}`, maxBytes: MAX_BYTES })
    .trim()
    .split(/\s+/)
    .join(' ')
}
