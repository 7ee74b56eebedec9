/** Names of filters and subscriptions. */
import { randomBytes } from 'node:crypto'

const BYTES = 16

/** A name that nobody can guess, as a quantity: clients take it for a number, so it has no leading zero. */
export function newId(random: (length: number) => Uint8Array = randomBytes): string {
  const bytes = Uint8Array.from(random(BYTES))
  bytes[0] = bytes[0]! | 0x80
  return `0x${Buffer.from(bytes).toString('hex')}`
}
