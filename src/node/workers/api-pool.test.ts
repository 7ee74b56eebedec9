import cluster from 'node:cluster'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startNode } from '../start.ts'

test('API workers serve REST from their own reads, forward transactions to the main process, and end with it', async () => {
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
  // The main process does heavy work and admission.
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

test('API workers see blocks that were made while they started', async () => {
  await using node = await startNode({
    ...{ api: { workers: 2 }, blocks: { time: '2ms' } },
    ...{ grpc: { enabled: false }, jsonrpc: { enabled: false }, comet: { enabled: false } },
  })
  const height = node.height
  const response = await fetch(`${node.urls.rest}/chain/evm/v1/params`)
  expect(response.status).toBe(200)
  expect(Number(response.headers.get('x-sdk-block-height'))).toBeGreaterThanOrEqual(Number(height))
})

test('killed API workers are replaced on the same ports while blocks are made', async () => {
  const only = { grpc: { enabled: false }, jsonrpc: { enabled: false }, comet: { enabled: false } }
  await using node = await startNode({ ...only, api: { workers: 2 }, blocks: { time: '2ms' } })
  const killed = Object.values(cluster.workers!).map((worker) => worker!)
  expect(killed).toHaveLength(2)
  await Promise.all(
    killed.map((worker) => {
      worker.process.kill('SIGKILL')
      return new Promise((done) => worker.once('exit', done))
    }),
  )
  const before = node.height
  const answered = () =>
    fetch(`${node.urls.rest}/healthz`).then(
      ({ status }) => status,
      () => 'nobody',
    )
  await expect.poll(answered, { timeout: 60_000 }).toBe(200)
  expect(node.height).toBeGreaterThan(before)
})

test('a taken port of API workers is named', async () => {
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

test('API workers serve JSON-RPC: they read themselves, and forward filters, keys and development methods', async () => {
  await using node = await startNode({ api: { workers: 2 }, comet: { enabled: false } })
  // A new connection for each request, so that both workers receive some.
  const rpc = async (method: string, ...params: unknown[]) => {
    const response = await fetch(node.urls.jsonrpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return (await response.json()) as { result?: never; error?: { code: number; message: string } }
  }
  const [from, to] = [node.accounts[0]!.address, `0x${'0'.repeat(36)}beef`]
  const socket = new WebSocket(node.urls.ws)
  const pushed: { method?: string; params?: { result: { number: string } } }[] = []
  await new Promise((resolve) => {
    socket.onopen = resolve
  })
  socket.onmessage = ({ data }) => void pushed.push(JSON.parse(String(data)))
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
  while (pushed.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  const { result: filter } = await rpc('eth_newBlockFilter')
  const { result: snapshot } = await rpc('evm_snapshot')
  const { result: hash } = await rpc('eth_sendTransaction', { from, to, value: '0x5' })
  for (let i = 0; i < 4; i++) {
    expect(await rpc('eth_getBalance', to, 'latest')).toMatchObject({ result: '0x5' })
    expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ result: { status: '0x1' } })
    expect(await rpc('eth_getTransactionCount', from, 'pending')).toMatchObject({ result: '0x1' })
    expect(await rpc('eth_estimateGas', { from, to })).toMatchObject({ result: '0x5208' })
  }
  expect((await rpc('eth_getFilterChanges', filter)).result).toHaveLength(1)
  expect(await rpc('eth_uninstallFilter', filter)).toMatchObject({ result: true })
  expect(await rpc('eth_getFilterChanges', filter)).toMatchObject({ error: { message: 'filter not found' } })
  expect(await rpc('eth_call', { to, data: '0x', gas: '0x1' })).toMatchObject({ error: { code: -32000 } })
  while (pushed.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(pushed[1]).toMatchObject({ method: 'eth_subscription', params: { result: { number: '0x2' } } })
  socket.close()
  expect(await rpc('evm_revert', snapshot)).toMatchObject({ result: true })
  for (let i = 0; i < 4; i++) {
    expect(await rpc('eth_getBalance', to, 'latest')).toMatchObject({ result: '0x0' })
    expect(await rpc('eth_getTransactionByHash', hash)).toMatchObject({ result: null })
    expect(await rpc('eth_blockNumber')).toMatchObject({ result: '0x1' })
  }
})
