import { expect, test } from 'vitest'
import type { CheckResult } from '../../app/types.ts'
import { EMPTY, utf8 } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import { createMempool, type Mempool, type MempoolLimits } from './mempool.ts'
import type { PooledTx } from './pooled-tx.ts'
import type { BlockLimits } from './selection.ts'

const limits: MempoolLimits = { maxTxs: 5, maxBytes: 1000, maxTxBytes: 500, slotsPerSender: 3 }
const wide = { maxBytes: 1_000_000, maxGas: -1n }

function tx(
  sender: string,
  nonce: number,
  options: {
    stateNonce?: number
    gas?: bigint
    evm?: boolean
    price?: bigint
    costWei?: bigint
    others?: readonly { sender: string; nonce: bigint }[]
    isDueVote?: boolean
    isLocal?: boolean
    heldBytes?: number
  } = {},
): PooledTx {
  const { others, isDueVote, isLocal, costWei = 0n } = options
  const bytes = utf8(`${sender}/${nonce}`)
  return {
    bytes,
    hash: sha256(bytes),
    sinceMs: 0,
    gasWanted: options.gas ?? 21_000n,
    ...(isLocal && { isLocal }),
    order: {
      sender,
      nonce: BigInt(nonce),
      priority: options.price ?? 0n,
      payer: sender,
      costWei,
      spendableWei: 100n,
      heldBytes: options.heldBytes ?? bytes.length,
      ...(others && { others }),
      ...(isDueVote && { isDueVote }),
      ...(options.stateNonce !== undefined && { stateNonce: BigInt(options.stateNonce) }),
    },
    ...(options.evm && { evm: { hash: sha256(bytes), raw: bytes, from: EMPTY, nonce: BigInt(nonce) } }),
  }
}
const names = (txs: readonly PooledTx[]) => txs.map(({ order }) => `${order.sender}${order.nonce}`)
const pass = (one: PooledTx): CheckResult => passed(one.order)
const take = (pool: Mempool, blockLimits: BlockLimits) => names(pool.take(blockLimits, pass).taken)
/** Resets the check state, and checks everything again. */
const recheck = (pool: Mempool, check: (one: PooledTx) => CheckResult) => {
  pool.age()
  return pool.recheckSome(check, () => false).failed
}
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
  expect(take(pool, wide)).toEqual(['b7', 'a0', 'a1', 'b8'])
  expect(pool.size()).toEqual({ count: 0, sizeBytes: 0 })
})

test('a transaction behind a nonce gap waits until the gap is filled', () => {
  const pool = createMempool(limits)
  const ahead = tx('a', 2, { stateNonce: 0 })
  pool.add(ahead)
  expect([pool.isReady(ahead), pool.hasReady()]).toEqual([false, false])
  expect(take(pool, wide)).toEqual([])
  pool.add(tx('a', 0, { stateNonce: 0 }))
  expect(take(pool, wide)).toEqual(['a0'])
  recheck(pool, (one) => passed({ ...one.order, stateNonce: 1n }))
  pool.add(tx('a', 1, { stateNonce: 1 }))
  expect([pool.isReady(ahead), pool.hasReady()]).toEqual([true, true])
  expect(take(pool, wide)).toEqual(['a1', 'a2'])
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
  expect(take(pool, { maxBytes: 1000, maxGas: 100n })).toEqual(['a0', 'c0'])
  expect(take(pool, { maxBytes: 3, maxGas: -1n })).toEqual(['b0'])
  expect(names(pool.pending())).toEqual(['b1'])
})

test('duplicates, taken nonces, full slots and a full pool are refused', () => {
  const pool = createMempool(limits)
  pool.add(tx('a', 0))
  expect(() => pool.add(tx('a', 0))).toThrow('tx already in mempool')
  expect(() => pool.add({ ...tx('a', 0), hash: sha256(utf8('other')) })).toThrow(
    'another transaction with nonce 0 waits',
  )
  for (const nonce of [0, 1, 2]) pool.add(tx('e', nonce, { evm: nonce > 0 }))
  for (const evm of [true, false]) {
    expect(() => pool.add(tx('e', 3, { evm }))).toThrow('3 transactions of the sender wait: mempool is full')
  }
  pool.add(tx('f', 0))
  expect(() => pool.add(tx('g', 0))).toThrow('mempool is full')
  expect(() => createMempool(limits).requireSize(501)).toThrow('tx too large')
  expect(() => createMempool({ ...limits, maxBytes: 2 }).add(tx('a', 0))).toThrow('mempool is full')
})

test('the next transaction of a sender has a place although later ones have taken all slots', () => {
  const pool = createMempool({ ...limits, maxTxs: 100 })
  const own = (nonce: number) => tx('a', nonce, { stateNonce: 0 })
  for (const nonce of [10, 11, 12]) pool.add(own(nonce))
  expect(() => pool.add(own(13))).toThrow('3 transactions of the sender wait')
  expect(() => pool.add(own(5))).toThrow('3 transactions of the sender wait')
  for (let nonce = 0; nonce < 9; nonce++) pool.add(own(nonce))
  expect(() => pool.add(own(9))).toThrow('12 transactions of the sender wait')
  expect(take(pool, { maxBytes: 1000, maxGas: -1n })).toHaveLength(9)
  pool.add(own(9))
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
  expect(take(pool, { maxBytes: 1000, maxGas: 40n })).toEqual(['best0', 'best1', 'mean0', 'cheap0'])
  expect(take(pool, wide)).toEqual(['large0', 'large1'])
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
  expect(() => pool.add(tx('c', 0, { price: 3n, heldBytes: 6 }))).toThrow('mempool is full')
  expect(names(pool.pending()).sort()).toEqual(['a0', 'b0'])
})

test('a recheck removes and returns transactions that no longer pass', () => {
  const pool = createMempool(limits)
  for (const one of [tx('a', 1), tx('b', 1), tx('a', 2)]) pool.add(one)
  const failed = recheck(pool, ({ order }) => (order.sender === 'b' ? { ...passed(order), code: 5 } : passed(order)))
  expect(names(failed.map(({ tx: one }) => one))).toEqual(['b1'])
  expect(take(pool, wide)).toEqual(['a1', 'a2'])
})

test('the memory of what waits is bounded, however short its bytes are, also if it replaces something lighter', () => {
  const pool = createMempool({ ...limits, maxBytes: 1000 })
  const evm = true
  const priced = (sender: string, heldBytes: number, wei: bigint): PooledTx => {
    const one = tx(sender, 0, { price: 3n, evm, heldBytes })
    return { ...one, hash: sha256(utf8(`${heldBytes}`)), order: { ...one.order, feeCapWei: wei, tipCapWei: wei } }
  }
  pool.add(tx('a', 1, { price: 1n, evm, heldBytes: 400, stateNonce: 0 }))
  pool.add(tx('b', 0, { price: 2n, evm, heldBytes: 400 }))
  pool.add(priced('c', 100, 1n))
  expect(pool.size()).toEqual({ count: 3, sizeBytes: 9 })
  expect(() => pool.add(tx('d', 0, { price: 1n, evm, heldBytes: 700 }))).toThrow(
    '3 transactions of 9 bytes wait, which take 900 bytes of memory, and this one of 700 does not pay more than any of them: mempool is full',
  )
  const { evicted, replaced } = pool.add(priced('c', 900, 9n))
  expect([names(evicted), replaced?.order.heldBytes]).toEqual([['a1', 'b0'], 100])
  pool.add(priced('e', 100, 9n))
  expect(() => pool.add(priced('e', 101, 18n))).toThrow('mempool is full')
  expect(pool.pending().map(({ order }) => order.heldBytes)).toEqual([900, 100])
})

test('a sender takes at most a quarter of the memory, except for the transaction that its others wait for', () => {
  const pool = createMempool({ ...limits, slotsPerSender: 9, maxTxs: 99 })
  pool.add(tx('a', 0, { heldBytes: 900 }))
  pool.drop(tx('a', 0).hash)
  pool.add(tx('a', 1, { heldBytes: 200, stateNonce: 0 }))
  expect(() => pool.add(tx('a', 2, { heldBytes: 51, stateNonce: 0 }))).toThrow(
    'transactions of the sender take 200 bytes of memory, this one 51, and mempool.max_bytes allows 250 to a sender: mempool is full',
  )
  pool.add(tx('b', 0, { heldBytes: 51 }))
  pool.add(tx('a', 0, { heldBytes: 300, stateNonce: 0 }))
  expect(take(pool, wide)).toEqual(['b0', 'a0', 'a1'])
  pool.add(tx('a', 2, { heldBytes: 250 }))
})

test('due votes and local accounts find room in a full pool of better prices, and nobody else takes it from them', () => {
  const pool = createMempool({ ...limits, maxTxs: 3, slotsPerSender: 1 })
  for (const name of ['a', 'b', 'c']) pool.add(tx(name, 0, { price: 8n }))
  const isDueVote = true
  expect(names(pool.add(tx('own', 0, { isLocal: true })).evicted)).toEqual(['c0'])
  expect(names(pool.add(tx('feeder', 0, { price: 9n, isDueVote })).evicted)).toEqual(['b0'])
  expect(names(pool.add(tx('feeder', 1, { price: 9n, isDueVote })).evicted)).toEqual(['a0'])
  expect(() => pool.add(tx('d', 0, { price: 99n }))).toThrow('mempool is full')
  expect(() => pool.add(tx('own', 1, { isLocal: true, price: 99n }))).toThrow('1 transactions of the sender wait')
  expect(names(pool.add(tx('more', 0, { price: 9n, isDueVote })).evicted)).toEqual(['own0'])
  expect(names(pool.pending())).toEqual(['feeder0', 'feeder1', 'more0'])
})

test('what waits of a sender never costs more than the sender has', () => {
  const pool = createMempool(limits)
  const evm = true
  pool.add(tx('a', 0, { evm, costWei: 60n }))
  const dear = { ...tx('a', 1, { evm, costWei: 41n }), hash: sha256(utf8('dear')) }
  expect(() => pool.add(dear)).toThrow(
    'insufficient funds for gas * price + value: balance 100, queued cost 60, tx cost 41, overshot 1',
  )
  expect(names(pool.pending())).toEqual(['a0'])
  pool.add(tx('a', 1, { evm, costWei: 40n }))
  const one = tx('a', 1, { evm, costWei: 41n })
  const offer = (tipCapWei: bigint): PooledTx => ({
    ...one,
    hash: sha256(utf8(`tip ${tipCapWei}`)),
    order: { ...one.order, feeCapWei: tipCapWei, tipCapWei },
  })
  pool.drop(tx('a', 1).hash)
  pool.add({ ...offer(10n), order: { ...offer(10n).order, costWei: 40n } })
  expect(() => pool.add(offer(11n))).toThrow('balance 100, queued cost 100, tx bumped 1, overshot 1')
  // The balance falls: the earlier nonces stay as long as it pays for them.
  const poorer = (each: PooledTx): CheckResult => passed({ ...each.order, spendableWei: 99n })
  const failed = recheck(pool, poorer)
  expect(names(failed.map(({ tx: each }) => each))).toEqual(['a1'])
  expect(failed[0]!.result.log).toContain('balance 99, queued cost 60, tx cost 40, overshot 1')
})

test('a transaction of several signers waits for the earlier ones of each, and they for no one else', () => {
  const pool = createMempool({ ...limits, maxTxs: 9 })
  pool.add(tx('b', 0, { price: 1n }))
  pool.add(tx('a', 0, { price: 9n, others: [{ sender: 'b', nonce: 1n }] }))
  pool.add(tx('b', 2, { price: 8n }))
  pool.add(tx('c', 0, { price: 5n }))
  expect(names(pool.select(wide))).toEqual(['c0', 'b0', 'a0', 'b2'])
  expect(pool.hasLater(tx('b', 0))).toBe(true)
  // The last one of each signer leaves first, so that no other one is left behind.
  const full = createMempool({ ...limits, maxTxs: 3 })
  full.add(tx('a', 0, { price: 1n, others: [{ sender: 'b', nonce: 0n }] }))
  full.add(tx('b', 1, { price: 3n }))
  full.add(tx('c', 0, { price: 7n }))
  expect(names(full.add(tx('d', 0, { price: 8n })).evicted)).toEqual(['b1'])
  expect(names(full.add(tx('e', 0, { price: 8n })).evicted)).toEqual(['a0'])
  expect(take(full, wide)).toEqual(['d0', 'e0', 'c0'])
})

test('a block checks what no check state has seen, and passes over a sender whose transaction fails', () => {
  const pool = createMempool({ ...limits, maxTxs: 9 })
  for (const one of [tx('a', 0), tx('b', 0), tx('b', 1), tx('c', 0)]) pool.add(one)
  pool.age()
  const seen: string[] = []
  const { taken, failed } = pool.take({ maxBytes: 6, maxGas: -1n }, (one) => {
    seen.push(...names([one]))
    return one.order.sender === 'b' ? { ...pass(one), code: 5 } : pass(one)
  })
  expect([names(taken), names(failed.map(({ tx: one }) => one))]).toEqual([['a0', 'c0'], ['b0']])
  expect(seen).toEqual(['a0', 'b0', 'c0'])
  expect(names(pool.pending())).toEqual(['b1'])
})

test('checks after a block pause, ordinary transactions come first, and none is checked twice', () => {
  const pool = createMempool({ ...limits, maxTxs: 9 })
  const evm = true
  for (const one of [tx('a', 1, { evm, stateNonce: 0 }), tx('a', 0, { evm, stateNonce: 0 }), tx('b', 0)]) pool.add(one)
  pool.age()
  const seen: string[] = []
  const step = () =>
    pool.recheckSome(
      (one) => {
        seen.push(...names([one]))
        return pass(one)
      },
      () => true,
    )
  expect(step()).toMatchObject({ done: false, doneOrdinary: false })
  pool.add(tx('d', 0))
  expect(step()).toMatchObject({ done: false, doneOrdinary: true })
  pool.drop(tx('a', 1).hash)
  expect(step()).toMatchObject({ failed: [], done: true, doneOrdinary: true })
  expect(seen).toEqual(['b0', 'a0'])
})

test('prices of another base fee change the order in which transactions run and leave', () => {
  const pool = createMempool({ ...limits, maxTxs: 3 })
  const prices: Record<string, bigint> = { a: 9n, b: 5n, c: 7n }
  for (const name of ['a', 'b', 'c']) pool.add(tx(name, 0, { price: prices[name]! }))
  expect(() => pool.add(tx('d', 0, { price: 1n }))).toThrow('mempool is full')
  expect(names(pool.select(wide))).toEqual(['a0', 'c0', 'b0'])
  Object.assign(prices, { a: 3n, b: 8n })
  recheck(pool, ({ order }) => passed({ ...order, priority: prices[order.sender]! }))
  expect(names(pool.select(wide))).toEqual(['b0', 'c0', 'a0'])
  expect(names(pool.add(tx('d', 0, { price: 4n })).evicted)).toEqual(['a0'])
})

test('an eviction order that changes all the time stays right', () => {
  const pool = createMempool({ ...limits, maxTxs: 20 })
  let seed = 7
  const next = (most: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % most
  }
  for (let i = 0; i < 20; i++) pool.add(tx(`s${i}`, 0, { price: BigInt(next(1000)) }))
  for (let i = 20; i < 400; i++) {
    const lowest = pool.pending().reduce((low, { order }) => (order.priority < low ? order.priority : low), 10n ** 9n)
    const price = BigInt(next(1000))
    if (price <= lowest) expect(() => pool.add(tx(`s${i}`, 0, { price }))).toThrow('mempool is full')
    else expect(pool.add(tx(`s${i}`, 0, { price })).evicted[0]!.order.priority).toBe(lowest)
    if (next(4) === 0) {
      pool.drop(pool.pending()[next(20)]!.hash)
      pool.add(tx(`r${i}`, 0, { price: BigInt(next(1000)) }))
    }
  }
  expect(pool.size().count).toBe(20)
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

test('by arrival, a block ignores prices, but keeps the nonces of a sender in order', () => {
  const pool = createMempool({ ...limits, byArrival: true })
  const waiting = [
    tx('a', 1, { stateNonce: 0, price: 9n }),
    tx('b', 0, { price: 1n }),
    tx('a', 0, { stateNonce: 0, price: 9n }),
    tx('c', 0, { price: 5n }),
  ]
  for (const one of waiting) pool.add(one)
  expect(names(pool.select(wide))).toEqual(['b0', 'a0', 'a1', 'c0'])
  expect(take(pool, wide)).toEqual(['b0', 'a0', 'a1', 'c0'])
})

test('a block has at most the number of transactions of its limit; the others wait', () => {
  const pool = createMempool({ ...limits, blockTxs: 2 })
  for (const one of [tx('a', 0, { price: 1n }), tx('b', 0, { price: 3n }), tx('c', 0, { price: 2n })]) pool.add(one)
  expect(names(pool.select(wide))).toEqual(['b0', 'c0'])
  expect(take(pool, wide)).toEqual(['b0', 'c0'])
  expect(take(pool, wide)).toEqual(['a0'])
})
