import { expect, test } from 'vitest'
import type { CheckResult } from '../../app/types.ts'
import { EMPTY, utf8 } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import { createMempool, type MempoolLimits, type PooledTx } from './mempool.ts'

const limits: MempoolLimits = { maxTxs: 5, maxBytes: 1000, maxTxBytes: 500, slotsPerSender: 3 }
const wide = { maxBytes: 1_000_000, maxGas: -1n }

function tx(
  sender: string,
  nonce: number,
  options: { stateNonce?: number; gas?: bigint; evm?: boolean; price?: bigint } = {},
): PooledTx {
  const bytes = utf8(`${sender}/${nonce}`)
  return {
    bytes,
    hash: sha256(bytes),
    sinceMs: 0,
    gasWanted: options.gas ?? 21_000n,
    order: {
      sender,
      nonce: BigInt(nonce),
      priority: options.price ?? 0n,
      ...(options.stateNonce !== undefined && { stateNonce: BigInt(options.stateNonce) }),
    },
    ...(options.evm && { evm: { hash: sha256(bytes), raw: bytes, from: EMPTY, nonce: BigInt(nonce) } }),
  }
}
const names = (txs: readonly PooledTx[]) => txs.map(({ order }) => `${order.sender}${order.nonce}`)
const passed = (order: PooledTx['order']): CheckResult => ({
  code: 0,
  codespace: '',
  log: '',
  data: EMPTY,
  gasWanted: 0n,
  gasUsed: 0n,
  events: [],
  order,
})

test('a block includes senders of equal prices by arrival, and the transactions of each by nonce', () => {
  const pool = createMempool(limits)
  for (const one of [tx('a', 1, { stateNonce: 0 }), tx('b', 7), tx('a', 0, { stateNonce: 0 }), tx('b', 8)])
    pool.add(one)
  expect(names(pool.take(wide))).toEqual(['a0', 'b7', 'a1', 'b8'])
  expect(pool.size()).toEqual({ count: 0, sizeBytes: 0 })
})

test('a transaction behind a nonce gap waits until the gap is filled', () => {
  const pool = createMempool(limits)
  const ahead = tx('a', 2, { stateNonce: 0 })
  pool.add(ahead)
  expect([pool.isReady(ahead), pool.hasReady()]).toEqual([false, false])
  expect(names(pool.take(wide))).toEqual([])
  pool.add(tx('a', 0, { stateNonce: 0 }))
  expect(names(pool.take(wide))).toEqual(['a0'])
  pool.recheck((one) => passed({ ...one.order, stateNonce: 1n }))
  pool.add(tx('a', 1, { stateNonce: 1 }))
  expect([pool.isReady(ahead), pool.hasReady()]).toEqual([true, true])
  expect(names(pool.take(wide))).toEqual(['a1', 'a2'])
})

test('a block stays within gas and bytes, and later transactions of a sender do not overtake earlier ones', () => {
  const pool = createMempool(limits)
  for (const one of [
    tx('a', 0, { gas: 50n }),
    tx('b', 0, { gas: 60n }),
    tx('b', 1, { gas: 1n }),
    tx('c', 0, { gas: 50n }),
  ]) {
    pool.add(one)
  }
  expect(names(pool.take({ maxBytes: 1000, maxGas: 100n }))).toEqual(['a0', 'c0'])
  expect(names(pool.take({ maxBytes: 3, maxGas: -1n }))).toEqual(['b0'])
  expect(names(pool.pending())).toEqual(['b1'])
})

test('duplicates, taken nonces, full slots and a full pool are refused', () => {
  const pool = createMempool(limits)
  pool.add(tx('a', 0))
  expect(() => pool.add(tx('a', 0))).toThrow('tx already in mempool')
  expect(() => pool.add({ ...tx('a', 0), hash: sha256(utf8('other')) })).toThrow(
    'another transaction with nonce 0 waits',
  )
  for (const nonce of [0, 1, 2]) pool.add(tx('e', nonce, { evm: true }))
  expect(() => pool.add(tx('e', 3, { evm: true }))).toThrow('3 transactions of the sender wait: mempool is full')
  pool.add(tx('f', 0))
  expect(() => pool.add(tx('g', 0))).toThrow('mempool is full')
  expect(() => createMempool(limits).requireSize(501)).toThrow('tx too large')
  expect(() => createMempool({ ...limits, maxBytes: 2 }).add(tx('a', 0))).toThrow('mempool is full')
})

test('a block takes the best price first, keeps the nonces of a sender in order, and fills up behind what does not fit', () => {
  const pool = createMempool({ ...limits, maxTxs: 10 })
  for (const one of [
    tx('cheap', 0, { price: 1n, gas: 10n }),
    tx('large', 0, { price: 9n, gas: 95n }),
    tx('best', 0, { price: 3n, gas: 10n }),
    tx('best', 1, { price: 8n, gas: 10n }),
    tx('large', 1, { price: 9n, gas: 1n }),
    tx('mean', 0, { price: 2n, gas: 10n }),
  ]) {
    pool.add(one)
  }
  expect(names(pool.take({ maxBytes: 1000, maxGas: 40n }))).toEqual(['best0', 'best1', 'mean0', 'cheap0'])
  expect(names(pool.take(wide))).toEqual(['large0', 'large1'])
})

test('a full pool evicts what waits behind a gap, then the lowest price, from the end of a sender', () => {
  const pool = createMempool({ ...limits, maxTxs: 4 })
  const gapped = tx('gap', 5, { stateNonce: 0, price: 9n })
  for (const one of [tx('low', 0, { price: 1n }), tx('low', 1, { price: 7n }), gapped, tx('mid', 0, { price: 4n })]) {
    pool.add(one)
  }
  expect(names(pool.add(tx('a', 0, { price: 0n })).evicted)).toEqual(['gap5'])
  expect(() => pool.add(tx('b', 3, { stateNonce: 0, price: 2n }))).toThrow('mempool is full')
  expect(names(pool.add(tx('c', 0, { price: 5n })).evicted)).toEqual(['a0'])
  expect(names(pool.add(tx('d', 0, { price: 6n })).evicted)).toEqual(['mid0'])
  expect(names(pool.add(tx('e', 0, { price: 8n })).evicted)).toEqual(['c0'])
  expect(names(pool.pending())).toEqual(['low0', 'low1', 'd0', 'e0'])
})

test('a transaction that needs more room than it may take evicts nothing', () => {
  const pool = createMempool({ ...limits, maxTxs: 9, maxBytes: 8 })
  for (const one of [tx('a', 0, { price: 1n }), tx('b', 0, { price: 5n })]) pool.add(one)
  expect(() => pool.add({ ...tx('c', 0, { price: 3n }), bytes: utf8('c/0000') })).toThrow('mempool is full')
  expect(names(pool.pending()).sort()).toEqual(['a0', 'b0'])
})

test('a recheck removes and returns transactions that no longer pass', () => {
  const pool = createMempool(limits)
  for (const one of [tx('a', 1), tx('b', 1), tx('a', 2)]) pool.add(one)
  const failed = pool.recheck(({ order }) => (order.sender === 'b' ? { ...passed(order), code: 5 } : passed(order)))
  expect(names(failed.map(({ tx: one }) => one))).toEqual(['b1'])
  expect(names(pool.take(wide))).toEqual(['a1', 'a2'])
})

test('an Ethereum transaction is replaced by one that offers a tenth more cap and tip', () => {
  const pool = createMempool(limits)
  const offer = (name: string, feeCapWei: bigint, tipCapWei: bigint): PooledTx => {
    const one = tx('a', 0, { evm: true })
    return { ...one, hash: sha256(utf8(name)), order: { ...one.order, feeCapWei, tipCapWei } }
  }
  const first = offer('first', 100n, 10n)
  expect(pool.add(first)).toEqual({ evicted: [] })
  for (const [cap, tip] of [
    [109n, 11n],
    [110n, 10n],
    [200n, 10n],
  ] as const) {
    expect(() => pool.add(offer('other', cap, tip))).toThrow('another transaction with nonce 0 waits')
  }
  const second = offer('second', 110n, 11n)
  expect(pool.add(second).replaced).toBe(first)
  expect(pool.pending()).toEqual([second])
  expect(pool.drop(first.hash)).toBeUndefined()
  expect(pool.drop(second.hash)).toBe(second)
  expect(pool.size()).toEqual({ count: 0, sizeBytes: 0 })
})
