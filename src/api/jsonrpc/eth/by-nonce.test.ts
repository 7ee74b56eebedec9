import { expect, test } from 'vitest'
import { startNode } from '../../../node/start.ts'
import { firstHeightWhere } from './by-nonce.ts'

test('the first height of a fact that stays true is found with few reads', () => {
  for (const first of [3n, 57n, 1000n, 999_999n]) {
    let reads = 0
    const holds = (height: bigint): boolean => {
      reads++
      return height >= first
    }
    expect(firstHeightWhere(3n, 1_000_000n, holds)).toBe(first)
    expect(reads).toBeLessThan(25)
  }
  expect(firstHeightWhere(1n, 10n, () => false)).toBeUndefined()
  expect(firstHeightWhere(5n, 4n, () => true)).toBeUndefined()
})

test('a transaction older than the first stored state is found by the index of events', async () => {
  await using node = await startNode({ store: { keep: 4 } })
  const { address } = node.accounts.find(({ kind }) => kind === 'eth')!
  const sent: unknown[] = []
  for (let i = 0; i < 12; i++) {
    sent.push(await node.rpc('eth_sendTransaction', { from: address, to: address, value: '0x1' }))
  }
  await expect(node.rpc('eth_getBalance', address, '0x2')).rejects.toThrow('is pruned')
  for (const nonce of [0, 1, 6, 11]) {
    const found = await node.rpc('eth_getTransactionBySenderAndNonce', address, `0x${nonce.toString(16)}`)
    expect(found).toMatchObject({ hash: sent[nonce], nonce: `0x${nonce.toString(16)}` })
  }
  expect(await node.rpc('eth_getTransactionBySenderAndNonce', address, '0xc')).toBeNull()
})
