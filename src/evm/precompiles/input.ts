/** Reading the input of a precompile, which is as if followed by endless zeros. */

/** `length` bytes from `offset`, zeros behind the end. */
export function slice(input: Uint8Array, offset: number, length: number): Uint8Array {
  const end = offset + length
  if (end <= input.length) return input.subarray(offset, end)
  const out = new Uint8Array(length)
  if (offset < input.length) out.set(input.subarray(offset))
  return out
}

/** Words of 32 bytes that hold the input. */
export function words(input: Uint8Array): bigint {
  return BigInt(Math.ceil(input.length / 32))
}

export function isZero(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== 0) return false
  return true
}
