import { expect, test } from 'vitest'
import { utf8 } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import { createKnownTxs } from './known-txs.ts'

test('a transaction of a proposal or of a block is the array of the pool, else that of the latest proposal', () => {
  const pooled = utf8('pooled')
  const known = createKnownTxs({
    ofHash: (hash) => (hash.every((byte, i) => byte === sha256(pooled)[i]) ? { bytes: pooled } : undefined),
  })
  const [first, other] = [utf8('other'), utf8('other')]
  expect(known.of(utf8('pooled')).bytes).toBe(pooled)
  expect(known.of(first)).toEqual({ bytes: first, hash: sha256(first) })
  expect(known.propose([utf8('pooled'), first]).map(({ bytes }) => bytes)).toEqual([pooled, first])
  expect(known.of(other).bytes).toBe(first)
  known.propose([])
  expect(known.of(other).bytes).toBe(other)
})
