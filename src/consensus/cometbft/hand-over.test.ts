import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { PooledTx } from '../solo/pooled-tx.ts'
import { createHandOver } from './hand-over.ts'

const txOf = (number: number, nonce: bigint): PooledTx =>
  ({ hash: Uint8Array.of(number), bytes: Uint8Array.of(number), order: { sender: 'a', nonce } }) as PooledTx

function setUp(pool: PooledTx[], answer: (number: number) => { code: number; log: string } | { error: string }) {
  const sent: number[][] = []
  let listings = 0
  const dropped: [number, string][] = []
  const handOver = createHandOver({
    rpc: {
      async broadcast(txs) {
        sent.push(txs.map(([number]) => number!))
        return txs.map(([number]) => answer(number!) as never)
      },
      isCatchingUp: async () => false,
    },
    pending() {
      listings++
      return pool
    },
    isWaiting: (tx) => pool.includes(tx),
    isReady: () => true,
    drop: ({ hash }, reason) => dropped.push([hash[0]!, reason]),
    onFailure: (error) => {
      throw error
    },
  })
  return { handOver, sent, dropped, listings: () => listings }
}

const ok = { code: 0, log: '' }

test('what is ready is handed over once, by nonce, and not what the engine has from a peer', async () => {
  const { handOver, sent } = setUp([txOf(2, 5n), txOf(1, 4n), txOf(3, 6n)], () => ok)
  handOver.note(Uint8Array.of(3))
  handOver.run()
  await setTimeout(1)
  handOver.run()
  await setTimeout(1)
  expect(sent).toEqual([[1, 2]])
  // An engine that starts again has lost them.
  handOver.forget()
  handOver.run()
  await setTimeout(1)
  expect(sent.slice(1)).toEqual([[1, 2, 3]])
  handOver.stop()
})

test('many are handed over in batches from one listing of the pool, and not those that have left it', async () => {
  const pool = Array.from({ length: 100 }, (_, i) => txOf(i, BigInt(i)))
  const { handOver, sent, listings } = setUp(pool, (number) => {
    if (number === 0) pool.splice(90)
    return ok
  })
  handOver.run()
  await setTimeout(10)
  expect(sent.flat()).toEqual(Array.from({ length: 90 }, (_, i) => i))
  expect(sent.every((batch) => batch.length <= 10)).toBe(true)
  expect(listings()).toBeLessThan(4)
  handOver.stop()
})

test('what the engine refuses leaves the pool, unless the engine has it already', async () => {
  const answers = [ok, { code: 5, log: 'insufficient funds' }, { error: 'tx already exists in cache' }]
  const { handOver, dropped } = setUp([txOf(0, 0n), txOf(1, 1n), txOf(2, 2n)], (number) => answers[number]!)
  handOver.run()
  await setTimeout(1)
  expect(dropped).toEqual([[1, 'insufficient funds']])
  handOver.stop()
})
