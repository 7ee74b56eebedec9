import { expect, test } from 'vitest'
import type { PendingTx } from '../../../consensus/driver.ts'
import type { GatewayNode } from '../../gateway.ts'
import type { LogFilter } from '../params.ts'
import { MAX_CRITERIA, MAX_CRITERIA_OF_ADDRESS } from './criteria.ts'
import { createFilters, FILTER_EXPIRY_MS, MAX_FILTERS } from './filters.ts'
import { MAX_PENDING_HASHES } from './pending-hashes.ts'

const { signal } = new AbortController()

/** Creates filters, at most `filterLimit` of an address, on a node whose clock and pool the test moves. */
function world(filterLimit: number) {
  let now = 0
  const listeners = new Set<(tx: PendingTx) => void>()
  const node = {
    now: () => now,
    settings: { filterLimit },
    blocks: { latestHeight: () => 1n },
    driver: {
      onRollback: () => () => {},
      onPending(listener: (tx: PendingTx) => void) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
  } as unknown as GatewayNode
  const arrive = (i: number) => {
    const hash = new Uint8Array(32)
    new DataView(hash.buffer).setUint32(28, i)
    for (const listener of listeners) listener({ evm: { hash } } as PendingTx)
  }
  const wait = (ms: number) => {
    now += ms
  }
  return { filters: createFilters(node), arrive, wait, listeners }
}

const nameOf = (i: number) => `0x${i.toString(16).padStart(64, '0')}`

test('an address has its own limit of filters, and cannot take those of others', () => {
  const { filters } = world(3)
  for (let i = 0; i < 3; i++) filters.newBlocks('greedy')
  expect(() => filters.newPending('greedy')).toThrow('too many filters, at most 3 of one address')
  const id = filters.newBlocks('honest')
  expect(filters.remove(id)).toBe(true)
  expect(() => filters.newBlocks('honest')).not.toThrow()
})

test('if all filters are in use, the address with the most loses the one that was not polled for the longest time', () => {
  const { filters } = world(MAX_FILTERS)
  const honest = filters.newBlocks('honest')
  const first = filters.newBlocks('greedy')
  const second = filters.newBlocks('greedy')
  for (let i = 3; i < MAX_FILTERS; i++) filters.newBlocks('greedy')
  filters.changes(first, signal)
  filters.newBlocks('other')
  expect(() => filters.changes(second, signal)).toThrow('filter not found')
  expect(filters.changes(first, signal)).toEqual([])
  expect(filters.changes(honest, signal)).toEqual([])
})

/** A filter of addresses and topics, as many of both as a request can have. */
const HEAVY = {
  addresses: Array(1000).fill(new Uint8Array(20)),
  topics: Array(4).fill(Array(1000).fill(new Uint8Array(32))),
} as unknown as LogFilter
const PLAIN = { addresses: [], topics: [] } as unknown as LogFilter
const HEAVY_CRITERIA = 5000

test('the addresses and topics in the filters of an address are limited, and those of removed filters do not count', () => {
  const { filters } = world(MAX_FILTERS)
  const heavy = () => filters.newLogs('greedy', HEAVY)
  const ids = Array.from({ length: Math.floor(MAX_CRITERIA_OF_ADDRESS / HEAVY_CRITERIA) }, heavy)
  expect(heavy).toThrow('too many addresses and topics in filters, at most 65536 of one address')
  expect(() => filters.newLogs('greedy', PLAIN)).not.toThrow()
  expect(() => filters.newLogs('honest', HEAVY)).not.toThrow()
  filters.remove(ids[0]!)
  expect(heavy).not.toThrow()
})

test('if all filters have too many addresses and topics, the address with the most loses its oldest filter that has any', async () => {
  const { filters } = world(MAX_FILTERS)
  const honest = filters.newLogs('honest', HEAVY)
  const light = filters.newBlocks('greedy 0')
  const perAddress = Math.floor(MAX_CRITERIA_OF_ADDRESS / HEAVY_CRITERIA)
  const count = Math.floor(MAX_CRITERIA / HEAVY_CRITERIA)
  const ids = Array.from({ length: count }, (_, i) => filters.newLogs(`greedy ${Math.floor(i / perAddress)}`, HEAVY))
  await expect(filters.changes(honest, signal)).resolves.toEqual([])
  expect(() => filters.changes(ids[0]!, signal)).toThrow('filter not found')
  expect(filters.changes(light, signal)).toEqual([])
  expect(() => filters.changes(ids[1]!, signal)).not.toThrow()
})

test('a filter that is not polled for five minutes ends and leaves its place', () => {
  const { filters, wait } = world(2)
  const idle = filters.newBlocks('a')
  const polled = filters.newBlocks('a')
  wait(FILTER_EXPIRY_MS - 1)
  filters.changes(polled, signal)
  wait(1001)
  expect(() => filters.changes(idle, signal)).toThrow('filter not found')
  expect(filters.changes(polled, signal)).toEqual([])
  expect(() => filters.newBlocks('a')).not.toThrow()
})

test('all filters of pending transactions share one list of hashes', () => {
  const { filters, arrive, listeners } = world(10)
  const first = filters.newPending('a')
  arrive(1)
  const second = filters.newPending('b')
  arrive(2)
  expect(listeners.size).toBe(1)
  expect(filters.changes(first, signal)).toEqual([nameOf(1), nameOf(2)])
  expect(filters.changes(second, signal)).toEqual([nameOf(2)])
  expect(filters.changes(second, signal)).toEqual([])
  for (let i = 0; i < MAX_PENDING_HASHES + 5; i++) arrive(i)
  const hashes = filters.changes(first, signal) as string[]
  expect([hashes.length, hashes[0], hashes.at(-1)]).toEqual([
    MAX_PENDING_HASHES,
    nameOf(5),
    nameOf(MAX_PENDING_HASHES + 4),
  ])
  filters.close()
  expect(listeners.size).toBe(0)
})
