import { expect, test } from 'vitest'
import { startNode } from '../../../node/start.ts'

test('state at earliest is that of the first stored height of a pruned chain', async () => {
  await using node = await startNode({ blocks: { time: 'manual' }, store: { keep: 4 } })
  for (let i = 0; i < 12; i++) await node.nextBlock()
  const { address } = node.accounts.find(({ kind }) => kind === 'eth')!
  const ask = async (method: string, params: readonly unknown[]): Promise<{ result?: unknown; error?: unknown }> => {
    const response = await fetch(node.urls.jsonrpc!, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return (await response.json()) as { result?: unknown; error?: unknown }
  }
  // The first state that `eth_capabilities` names is the oldest that a number reads.
  const { result } = await ask('eth_capabilities', [])
  const oldest = (result as { state: { oldestBlock: string } }).state.oldestBlock
  const status = await (await fetch(`${node.urls.rest}/sdk/base/node/v1beta1/status`)).json()
  expect(status).toMatchObject({ earliest_store_height: BigInt(oldest).toString() })
  const before = `0x${(BigInt(oldest) - 1n).toString(16)}`
  expect(await ask('eth_getBalance', [address, before])).toMatchObject({ error: { message: /is pruned/ } })

  for (const [method, ...params] of [
    ['eth_getBalance', address],
    ['eth_getTransactionCount', address],
    ['eth_getCode', address],
    ['eth_getStorageAt', address, '0x0'],
    ['eth_getProof', address, []],
    ['eth_call', { to: address }],
  ]) {
    const earliest = await ask(String(method), [...params, 'earliest'])
    expect(earliest).toEqual(await ask(String(method), [...params, oldest]))
    expect(earliest.error, String(method)).toBeUndefined()
  }
})
