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
  options: { stateNonce?: number; gas?: bigint; evm?: boolean } = {},
): PooledTx {
  const bytes = utf8(`${sender}/${nonce}`)
  return {
    bytes,
    hash: sha256(bytes),
    gasWanted: options.gas ?? 21_000n,
    order: {
      sender,
      nonce: BigInt(nonce),
      priority: 0n,
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

test('a block includes senders by arrival, and the transactions of each by nonce', () => {
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
  expect(() => pool.requireRoom(1)).toThrow('mempool is full')
  expect(() => createMempool(limits).requireRoom(501)).toThrow('tx too large')
  expect(() => createMempool({ ...limits, maxBytes: 400 }).requireRoom(401)).toThrow('mempool is full')
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
  expect(pool.add(first)).toBeUndefined()
  for (const [cap, tip] of [
    [109n, 11n],
    [110n, 10n],
    [200n, 10n],
  ] as const) {
    expect(() => pool.add(offer('other', cap, tip))).toThrow('another transaction with nonce 0 waits')
  }
  const second = offer('second', 110n, 11n)
  expect(pool.add(second)).toBe(first)
  expect(pool.pending()).toEqual([second])
  expect(pool.drop(first.hash)).toBeUndefined()
  expect(pool.drop(second.hash)).toBe(second)
  expect(pool.size()).toEqual({ count: 0, sizeBytes: 0 })
})
