/** Length limit of the texts of proposals and votes. */
import { utf8 } from '../../primitives/bytes.ts'
import { errors } from './errors.ts'

const MAX_BYTES = 255

/** Throws gov 15 for a text of more than 255 bytes. */
export function requireShort(name: string, text: string): void {
  const length = utf8(text).length
  if (length > MAX_BYTES) throw errors.metadataTooLong(`${name} has ${length} bytes, at most ${MAX_BYTES} are allowed`)
}
