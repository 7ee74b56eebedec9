import { expect, test } from 'vitest'
import { cachePerObject, createCache } from './cache.ts'

test('a cache keeps entries in use, and never more than two generations', () => {
  const cache = createCache<number>(10)
  cache.set('used', 1)
  for (let i = 0; i < 1000; i++) {
    expect(cache.set(`${i}`, i)).toBe(i)
    expect(cache.get('used')).toBe(1)
  }
  const known = Array.from({ length: 1000 }, (_, i) => cache.get(`${i}`)).filter((value) => value !== undefined)
  expect(known.length).toBeGreaterThan(0)
  expect(known.length).toBeLessThanOrEqual(20)
  expect(cache.get('0')).toBeUndefined()
})

test('a result for an object is computed once', () => {
  let count = 0
  const name = cachePerObject((object: { readonly name: string }) => {
    count++
    return object.name
  })
  const [a, b] = [{ name: '' }, { name: 'b' }]
  expect([name(a), name(a), name(b), name(b), count]).toEqual(['', '', 'b', 'b', 2])
})
