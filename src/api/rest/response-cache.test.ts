import { expect, test } from 'vitest'
import { createPayload } from '../transport/http.ts'
import { createResponseCache } from './response-cache.ts'

const payload = (text: string) => createPayload(text, [])

test('responses at the latest height are dropped when it changes, pinned ones stay', () => {
  const cache = createResponseCache(1_000_000)
  cache.set('/a', 5n, false, payload('latest at 5'))
  cache.set('/a', 5n, true, payload('pinned at 5'))
  expect(cache.get('/a', 5n, false)?.text).toBe('latest at 5')
  cache.set('/b', 6n, false, payload('latest at 6'))
  expect(cache.get('/a', 5n, false)).toBeUndefined()
  expect(cache.get('/a', 6n, false)).toBeUndefined()
  expect(cache.get('/b', 6n, false)?.text).toBe('latest at 6')
  expect(cache.get('/a', 5n, true)?.text).toBe('pinned at 5')
})

test('a response of an earlier height is not cached as the latest', () => {
  const cache = createResponseCache(1_000_000)
  cache.set('/b', 6n, false, payload('6'))
  cache.set('/a', 5n, false, payload('5'))
  expect(cache.get('/a', 5n, false)).toBeUndefined()
  expect(cache.get('/b', 6n, false)?.text).toBe('6')
})

test('memory is bounded: the oldest response is evicted, and one that is too large is not cached', () => {
  const cache = createResponseCache(100_000)
  for (let i = 0; i < 1000; i++) cache.set(`/${i}`, 5n, false, payload('x'.repeat(200)))
  const kept = Array.from({ length: 1000 }, (_, i) => cache.get(`/${i}`, 5n, false)).filter((entry) => entry)
  expect(kept.length * 500).toBeLessThanOrEqual(100_000 * 0.75)
  expect(kept.length).toBeGreaterThan(100)
  expect(cache.get('/0', 5n, false)).toBeUndefined()
  expect(cache.get('/999', 5n, false)).toBeDefined()
  cache.set('/large', 5n, false, payload('x'.repeat(50_000)))
  expect(cache.get('/large', 5n, false)).toBeUndefined()
})

test('ten thousand balances fit into the default of 16 MiB', () => {
  const cache = createResponseCache(16 * 1024 * 1024)
  const body = '{"balance_wei":"10000000000000000000000","bank":null,"erc20":null}'
  const target = (i: number) => `/chain/evm/v1/balances/0x${i.toString(16).padStart(40, '0')}`
  for (let i = 0; i < 10_000; i++) cache.set(target(i), 5n, false, payload(body))
  expect(cache.get(target(0), 5n, false)).toBeDefined()
})

test('a limit of 0 caches nothing', () => {
  const cache = createResponseCache(0)
  cache.set('/a', 5n, false, payload('a'))
  expect(cache.get('/a', 5n, false)).toBeUndefined()
})
