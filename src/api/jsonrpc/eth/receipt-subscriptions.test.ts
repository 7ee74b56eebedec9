import { createWalletClient, custom, publicActions, webSocket } from 'viem'
import { expect, test } from 'vitest'
import { startNode } from '../../../node/start.ts'

const EMITTER = '0x00000000000000000000000000000000000000aa'

test('a subscriber gets the receipts of each block in one list, all or those of the named transactions', async () => {
  await using node = await startNode({ blocks: { time: 'manual' } })
  const transport = webSocket(node.urls.ws!)
  const client = createWalletClient({ transport: custom(node.provider) }).extend(publicActions)
  const { subscribe, getRpcClient } = transport({}).value!
  const heard = async (...params: unknown[]) => {
    const lists: unknown[] = []
    await subscribe({ params: params as never, onData: ({ result }) => lists.push(result) })
    return lists
  }
  const [from] = await client.getAddresses()
  await node.rpc('anvil_setCode', EMITTER, '0x5f5fa000')
  const nonce = await client.getTransactionCount({ address: from! })
  const send = (next: number) =>
    client.sendTransaction({ account: from!, chain: null, to: EMITTER, gas: 50_000n, nonce: nonce + next })

  const all = await heard('transactionReceipts')
  const hashes = [await send(0), await send(1)]
  const [, second] = hashes
  const one = await heard('transactionReceipts', { transactionHashes: [second] })
  const none = await heard('transactionReceipts', { transactionHashes: [`0x${'11'.repeat(32)}`] })
  await node.rpc('evm_mine')
  await node.rpc('evm_mine')
  hashes.push(await send(2))
  await node.rpc('evm_mine')
  const receipts = await Promise.all(hashes.map((hash) => node.rpc('eth_getTransactionReceipt', hash)))
  await expect.poll(() => all).toEqual([receipts.slice(0, 2), receipts.slice(2)])
  expect(receipts[0]).toMatchObject({ status: '0x1', logs: [{ address: EMITTER }] })
  expect(one).toEqual([[receipts[1]]])
  expect(none).toEqual([])
  const many = Array(201).fill(second)
  await expect(heard('transactionReceipts', { transactionHashes: many })).rejects.toThrow(/exceed max number .*: 200/)
  await expect(heard('transactionReceipts', { transactionHashes: 'x' })).rejects.toThrow('is not a list')
  ;(await getRpcClient()).close()
})
