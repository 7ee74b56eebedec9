/** Ids of filters and subscriptions. */
import { randomBytes } from 'node:crypto'

const BYTES = 16

/** Returns an id that cannot be guessed. It is a quantity without leading zeros, since clients parse it as a number. */
export function newId(random: (length: number) => Uint8Array = randomBytes): string {
  const bytes = Uint8Array.from(random(BYTES))
  bytes[0] = bytes[0]! | 0x80
  return `0x${Buffer.from(bytes).toString('hex')}`
}
