import { expect, test } from 'vitest'
import { startNode } from '../start.ts'

test('API workers serve REST from their own reads, hand transactions to the main process, and end with it', async () => {
  const node = await startNode({ api: { workers: 2 }, comet: { enabled: false } })
  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(node.urls.rest + path, init)
    return { status: response.status, height: response.headers.get('x-sdk-block-height'), body: await response.json() }
  }
  const address = node.accounts[1]!.address
  expect(await ask(`/chain/evm/v1/balances/${address}`)).toMatchObject({
    status: 200,
    height: '1',
    body: { balance_wei: '10000000000000000000000' },
  })
  expect(await node.nextBlock()).toBe(2n)
  expect(await ask('/chain/evm/v1/params')).toMatchObject({ status: 200, height: '2' })
  expect(await ask('/readyz')).toMatchObject({ status: 200, body: { ready: true } })
  // Heavy work and admission come back from the main process.
  const args = btoa(JSON.stringify({ from: address, to: node.accounts[2]!.address, value: '0x1' }))
  expect(await ask(`/chain/evm/v1/estimate_gas?args=${encodeURIComponent(args)}`)).toMatchObject({
    status: 200,
    body: { gas: '21000' },
  })
  const sent = await ask('/sdk/tx/v1beta1/txs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tx_bytes: 'AAAA', mode: 'BROADCAST_MODE_SYNC' }),
  })
  expect(sent.body).toMatchObject({ tx_response: { codespace: 'sdk', code: 2 } })
  await node.stop()
  await expect(ask('/chain/evm/v1/params')).rejects.toThrow()
})

test('a port that API workers cannot have is named', async () => {
  await using other = await startNode({
    grpc: { enabled: false },
    jsonrpc: { enabled: false },
    comet: { enabled: false },
  })
  const port = Number(new URL(other.urls.rest).port)
  await expect(startNode({ api: { workers: 1 }, rest: { port } })).rejects.toThrow(
    `127.0.0.1:${port}: the port is taken`,
  )
})
