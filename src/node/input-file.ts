/** Files that people name: a file or a pipe, up to a size. What is endless, such as a device, is refused before it is read. */
import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { ChainError, queryError } from '../primitives/errors.ts'

/** Size of a file on the command line, such as a transaction. Beyond: the command ends with the limit. */
const MAX_INPUT_BYTES = 64 << 20
const CHUNK_BYTES = 1 << 16
const STANDARD_INPUT = 0

export interface InputOptions {
  /** Name in errors, such as a flag with its value; the path by default. */
  readonly name?: string
  readonly maxBytes?: number
}

/** Throws `invalidArgument` unless a path leads to a file or a pipe. */
export function requireFileOrPipe(found: Stats, name: string): void {
  if (found.isDirectory()) throw queryError('invalidArgument', `${name}: must be a file, and is a folder`)
  if (!found.isFile() && !found.isFIFO())
    throw queryError('invalidArgument', `${name}: must be a file or a pipe, and is a device`)
}

/** Reads a file or a pipe. Throws `notFound` with the reason of the system, and `invalidArgument` for anything else or too much. */
export function readInputBytes(
  path: string,
  { name = path, maxBytes = MAX_INPUT_BYTES }: InputOptions = {},
): Uint8Array {
  try {
    const file = openSync(path, 'r')
    try {
      requireFileOrPipe(fstatSync(file), name)
      return readUpTo(file, name, maxBytes)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (error instanceof ChainError) throw error
    throw queryError('notFound', `${name}: cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

/** Reads a text; `-` is standard input, which can be a terminal too. */
export function readInputText(path: string, options: InputOptions = {}): string {
  const { name = path, maxBytes = MAX_INPUT_BYTES } = options
  const bytes = path === '-' ? readUpTo(STANDARD_INPUT, name, maxBytes) : readInputBytes(path, options)
  return Buffer.from(bytes).toString('utf8')
}

function readUpTo(file: number, name: string, maxBytes: number): Uint8Array {
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const chunk = new Uint8Array(CHUNK_BYTES)
    const length = readSync(file, chunk)
    if (length === 0) return Buffer.concat(chunks)
    size += length
    if (size > maxBytes) throw queryError('invalidArgument', `${name}: above the limit of ${maxBytes} bytes`)
    chunks.push(chunk.subarray(0, length))
  }
}
