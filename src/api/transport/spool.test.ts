import { expect, test } from 'vitest'
import { createBase64Encoder } from './spool.ts'

test('parts of any length become one base64 text, even if each reuses the memory of the last', () => {
  const whole = Uint8Array.from({ length: 1000 }, (_, i) => (i * 7) & 0xff)
  const memory = new Uint8Array(64)
  const encode = createBase64Encoder()
  let text = ''
  for (let at = 0, length = 1; at < whole.length; at += length, length = 1 + ((length * 5) % 64)) {
    const piece = whole.subarray(at, at + length)
    memory.fill(0xff)
    memory.set(piece)
    text += encode(memory.subarray(0, piece.length))
  }
  expect(text + encode(undefined)).toBe(Buffer.from(whole).toString('base64'))
})
