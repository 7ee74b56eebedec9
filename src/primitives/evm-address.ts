/** EVM addresses as bytes of messages and as checksummed text, without anything of Node.js: browsers run this code, too. */

const LENGTH = 20
const LOWER = '0123456789abcdef'
const UPPER = '0123456789ABCDEF'

/** Formats 20 bytes as an EIP-55 checksummed address, with the given Keccak-256. */
export function checksummed(bytes: Uint8Array, keccak256: (bytes: Uint8Array) => Uint8Array): string {
  const digits = new Uint8Array(2 * LENGTH)
  for (let i = 0; i < digits.length; i++) digits[i] = LOWER.charCodeAt(nibble(bytes, i))
  const check = keccak256(digits)
  let text = '0x'
  for (let i = 0; i < digits.length; i++) text += (nibble(check, i) >= 8 ? UPPER : LOWER)[nibble(bytes, i)]
  return text
}

const nibble = (bytes: Uint8Array, i: number): number => (i % 2 === 0 ? bytes[i >> 1]! >> 4 : bytes[i >> 1]! & 15)

const EVM_TEXT = /^[\t-\r ]*(?:0[xX])?([0-9a-fA-F]{40})[\t-\r ]*$/

/**
 * Returns the 20 bytes of an EVM address in a message, read as the reference reads them: 20 bytes as they are; the ASCII text
 * of an address, `0x` optional; else the last 20 bytes, shorter ones with zeros in front (D60).
 */
export function readEvm(bytes: Uint8Array): Uint8Array {
  if (bytes.length === LENGTH) return bytes
  const digits = bytes.length < 2 * LENGTH ? undefined : EVM_TEXT.exec(latin1(bytes))?.[1]
  const out = new Uint8Array(LENGTH)
  if (digits === undefined) out.set(bytes.subarray(-LENGTH), Math.max(0, LENGTH - bytes.length))
  else for (let i = 0; i < LENGTH; i++) out[i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16)
  return out
}

function latin1(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}
