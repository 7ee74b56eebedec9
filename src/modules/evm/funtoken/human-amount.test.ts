import { expect, test } from 'vitest'
import { formatHuman } from './human-amount.ts'

test('amounts have no trailing zeros and no rounding', () => {
  expect(formatHuman(420n, 6)).toBe('0.00042')
  expect(formatHuman(1_234_567n, 6)).toBe('1.234567')
  expect(formatHuman(7_000_000n, 6)).toBe('7')
  expect(formatHuman(2_500_000n, 6)).toBe('2.5')
  expect(formatHuman(123n, 18)).toBe('0.000000000000000123')
  expect(formatHuman(0n, 6)).toBe('0')
  expect(formatHuman(15n, 0)).toBe('15')
})

test('more than 255 decimals give empty text', () => {
  expect(formatHuman(1n, 255)).toBe(`0.${'0'.repeat(254)}1`)
  expect(formatHuman(1n, 4_294_967_295)).toBe('')
})
