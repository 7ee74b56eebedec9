import { expect, test } from 'vitest'
import { createMemo, oncePerObject } from './memo.ts'

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

test('what is worked out for an object is worked out once', () => {
  let count = 0
  const name = oncePerObject((object: { readonly name: string }) => {
    count++
    return object.name
  })
  const [a, b] = [{ name: '' }, { name: 'b' }]
  expect([name(a), name(a), name(b), name(b), count]).toEqual(['', '', 'b', 'b', 2])
})
