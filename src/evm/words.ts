/** Addresses and numbers as the words of the machine. */
import { concat, encodeUint } from '../primitives/bytes.ts'

const ADDRESS_PADDING = new Uint8Array(12)

/** An address as the word in A. */
export function encodeAddress(address: Uint8Array): Uint8Array {
  return concat(ADDRESS_PADDING, address)
}

/** A number as a little-endian word. */
export function encodeWordLittleEndian(value: bigint): Uint8Array {
  return encodeUint(value, 32).reverse()
}
