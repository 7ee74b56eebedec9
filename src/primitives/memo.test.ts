import { expect, test } from 'vitest'
import { createMemo } from './memo.ts'

test('a memory keeps what is used, and never more than two generations', () => {
  const memo = createMemo<number>(10)
  memo.keep('used', 1)
  for (let i = 0; i < 1000; i++) {
    expect(memo.keep(`${i}`, i)).toBe(i)
    expect(memo.recall('used')).toBe(1)
  }
  const known = Array.from({ length: 1000 }, (_, i) => memo.recall(`${i}`)).filter((value) => value !== undefined)
  expect(known.length).toBeGreaterThan(0)
  expect(known.length).toBeLessThanOrEqual(20)
  expect(memo.recall('0')).toBeUndefined()
})
