import { expect, test } from 'vitest'
import type { TxPlace } from '../../app/types.ts'
import type { Executor } from '../execution.ts'
import type { PooledTx } from '../solo/pooled-tx.ts'
import { createKnownTxs } from './known-txs.ts'
import { createProposals } from './proposals.ts'

/** Transactions are one byte each; the byte is their number in this table. */
const PLACES: readonly (TxPlace | undefined)[] = [
  { signers: [{ sender: 'a', nonce: 4n }], gasWanted: 10n },
  { signers: [{ sender: 'a', nonce: 5n }], gasWanted: 10n },
  { signers: [{ sender: 'b', nonce: 0n }], gasWanted: 10n },
  {
    signers: [
      { sender: 'b', nonce: 1n },
      { sender: 'a', nonce: 6n },
    ],
    gasWanted: 10n,
  },
  undefined,
]

const tx = (number: number): Uint8Array => Uint8Array.of(number)

function setUp({ maxGas = -1n, maxBytes = 1000n, hasStrangers = false } = {}) {
  const offered: number[] = []
  const selected: { readonly bytes: Uint8Array }[] = []
  const limits: { maxBytes: number; maxGas: bigint }[] = []
  const proposals = createProposals({
    executor: {
      tip: () => ({ maxGas, maxBytes }) as ReturnType<Executor['tip']>,
      checkState: { placeOf: (bytes: Uint8Array) => PLACES[bytes[0]!] } as Executor['checkState'],
    },
    pool: {
      ofHash: () => undefined,
      offer(bytes) {
        offered.push(bytes[0]!)
        selected.push({ bytes })
        return { hash: bytes, code: 0, codespace: '', log: '', gasWanted: 0n, gasUsed: 0n }
      },
      select(given) {
        limits.push(given)
        return selected as unknown as readonly PooledTx[]
      },
    },
    known: createKnownTxs({ ofHash: () => undefined }),
    hasStrangers: () => hasStrangers,
  })
  return { proposals, offered, limits }
}

test('a block whose signers’ sequences follow one another is accepted, in any order of signers', () => {
  const { proposals } = setUp()
  expect(proposals.isHonest([])).toBe(true)
  expect(proposals.isHonest([0, 1, 2, 3].map(tx))).toBe(true)
  expect(proposals.isHonest([2, 0, 1, 3].map(tx))).toBe(true)
})

test('a block with a gap, a repetition or a broken order of sequences is rejected', () => {
  const { proposals } = setUp()
  expect(proposals.isHonest([1, 0].map(tx))).toBe(false)
  expect(proposals.isHonest([0, 0].map(tx))).toBe(false)
  // The second signer of 3 has sequence 6, and 5 is missing.
  expect(proposals.isHonest([0, 2, 3].map(tx))).toBe(false)
})

test('a block with bytes that are no transaction, or with more gas than a block has, is rejected', () => {
  const { proposals } = setUp({ maxGas: 20n })
  expect(proposals.isHonest([4].map(tx))).toBe(false)
  expect(proposals.isHonest([0, 1].map(tx))).toBe(true)
  expect(proposals.isHonest([0, 1, 2].map(tx))).toBe(false)
})

test('a block with more bytes than a block has is rejected, each transaction with its tag and length', () => {
  expect(setUp({ maxBytes: 9n }).proposals.isHonest([0, 1, 2].map(tx))).toBe(true)
  expect(setUp({ maxBytes: 8n }).proposals.isHonest([0, 1, 2].map(tx))).toBe(false)
})

test('a block of another implementation is judged neither by its order nor by its gas', () => {
  const { proposals } = setUp({ maxGas: 20n, maxBytes: 9n, hasStrangers: true })
  expect(proposals.isHonest([1, 0, 2].map(tx))).toBe(true)
  expect(proposals.isHonest([1, 4].map(tx))).toBe(false)
  expect(proposals.isHonest([1, 1].map(tx))).toBe(false)
  expect(proposals.isHonest([0, 1, 2, 3].map(tx))).toBe(false)
})

test('a proposal is made of the pool, which first takes what only the engine has', () => {
  const { proposals, offered, limits } = setUp({ maxGas: 50n })
  expect(proposals.prepare([0, 1].map(tx), 1000n)).toEqual([0, 1].map(tx))
  expect(offered).toEqual([0, 1])
  expect(limits).toEqual([{ maxBytes: 1000, maxGas: 50n }])
})

test('a proposal has the first transactions that fit with their tags and lengths', () => {
  const { proposals } = setUp()
  expect(proposals.prepare([0, 1, 2].map(tx), 6n)).toEqual([0, 1].map(tx))
  expect(proposals.prepare([], 2n)).toEqual([])
})
