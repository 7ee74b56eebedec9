/** Reads the input of a precompile, which is padded with zeros to any length. */

/** Returns `length` bytes from `offset`, with zeros after the end of the input. */
export function slice(input: Uint8Array, offset: number, length: number): Uint8Array {
  const end = offset + length
  if (end <= input.length) return input.subarray(offset, end)
  const out = new Uint8Array(length)
  if (offset < input.length) out.set(input.subarray(offset))
  return out
}

/** Returns the number of 32-byte words of the input, rounded up. */
export function words(input: Uint8Array): bigint {
  return BigInt(Math.ceil(input.length / 32))
}

export function isZero(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== 0) return false
  return true
}
