import { keccak_256 } from '@noble/hashes/sha3.js'
import { expect, test } from 'vitest'
import { formatHex, utf8 } from './bytes.ts'
import { keccak256, loadKeccak } from './keccak.ts'

test('the WebAssembly hashes like JavaScript, across block and page boundaries', () => {
  const built = loadKeccak()
  expect(built).toBeDefined()
  for (const length of [0, 1, 31, 32, 64, 135, 136, 137, 271, 272, 273, 5_000, 70_000, 400_000]) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 7) & 255)
    expect(formatHex(built!(bytes))).toBe(formatHex(keccak_256(bytes)))
  }
})

test('each call returns its own copy of the digest', () => {
  const first = keccak256(utf8('abc'))
  keccak256(utf8('other'))
  expect(formatHex(first)).toBe('4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45')
  expect(first.buffer.byteLength).toBe(32)
})
