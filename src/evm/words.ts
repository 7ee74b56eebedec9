/** Addresses and numbers as words of the interpreter. */

/** Writes an address as a little-endian word. */
export function writeAddress(target: Uint8Array, at: number, address: Uint8Array): void {
  for (let i = 0; i < 20; i++) target[at + i] = address[19 - i]!
  target.fill(0, at + 20, at + 32)
}

/** Writes an address as a big-endian word. */
export function writeAddressBigEndian(target: Uint8Array, at: number, address: Uint8Array): void {
  target.fill(0, at, at + 12)
  target.set(address, at + 12)
}

/** Writes a number below 2^256 as a little-endian word. */
export function writeNumber(target: DataView, at: number, value: bigint): void {
  let rest = value
  for (let i = 0; i < 32; i += 8) {
    target.setBigUint64(at + i, BigInt.asUintN(64, rest), true)
    rest >>= 64n
  }
}
