/** Unsigned varints (seven bits a byte, low bits first), and copies of short byte strings. */

/** Writes a varint. Returns the address after it. */
export function putVarint(at: usize, value: u64): usize {
  for (; value >= 0x80; value >>= 7) store<u8>(at++, (value as u8) | 0x80)
  store<u8>(at++, value as u8)
  return at
}

/** Returns the number of bytes that `putVarint` writes. */
export function varintLength(value: u64): u32 {
  let length: u32 = 1
  for (; value >= 0x80; value >>= 7) length++
  return length
}

/** Copies short byte strings in words of 8, so it also copies up to seven bytes after the end. */
@inline export function copyBytes(to: usize, from: usize, length: u32): void {
  for (let i: u32 = 0; i < length; i += 8) store<u64>(to + i, load<u64>(from + i))
}
