import { expect, test } from 'vitest'
import { newId } from './ids.ts'

test('an id is a quantity without a leading zero, for any random bytes', () => {
  expect(newId((length) => new Uint8Array(length))).toMatch(/^0x[1-9a-f][0-9a-f]{31}$/)
  expect(newId((length) => new Uint8Array(length).fill(0xff))).toBe(`0x${'ff'.repeat(16)}`)
  expect(newId()).not.toBe(newId())
})
