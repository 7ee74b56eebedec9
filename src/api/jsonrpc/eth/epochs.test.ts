import { expect, test } from 'vitest'
import { startNode } from '../../../node/start.ts'

const ADDRESS = '0x00000000000000000000000000000000000000aa'
type Block = { readonly number: string } | null

test('safe and finalized are one and two epochs behind, and never before the first block', async () => {
  await using node = await startNode({ ports: false, rpc: { slotsInAnEpoch: 3 } })
  const heights = async () => {
    const blocks = await Promise.all(
      ['latest', 'safe', 'finalized'].map((tag) => node.rpc<Block>('eth_getBlockByNumber', tag, false)),
    )
    return blocks.map((block) => Number(block?.number))
  }
  expect(await heights()).toEqual([1, 1, 1])
  await node.rpc('anvil_mine', 4)
  expect(await heights()).toEqual([5, 2, 1])
  await node.rpc('anvil_setBalance', ADDRESS, 7n)
  await node.rpc('anvil_mine', 4)
  expect(await heights()).toEqual([9, 6, 3])
  const balances = ['latest', 'safe', 'finalized'].map((tag) => node.rpc('eth_getBalance', ADDRESS, tag))
  expect(await Promise.all(balances)).toEqual(['0x7', '0x7', '0x0'])
})

test('every block is safe and final without a number of slots', async () => {
  await using node = await startNode({ ports: false })
  await node.rpc('anvil_mine', 4)
  for (const tag of ['safe', 'finalized']) {
    expect(await node.rpc('eth_getBlockByNumber', tag, false)).toMatchObject({ number: '0x5' })
  }
})
