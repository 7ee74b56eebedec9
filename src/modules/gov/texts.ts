/** Texts that come with proposals and votes. */
import { utf8 } from '../../primitives/bytes.ts'
import { errors } from './errors.ts'

const LONGEST_BYTES = 255

/** Throws gov 15 for a text of more than 255 bytes. */
export function requireShort(name: string, text: string): void {
  const length = utf8(text).length
  if (length > LONGEST_BYTES) throw errors.metadataTooLong(`${name} has ${length} bytes, the most is ${LONGEST_BYTES}`)
}
