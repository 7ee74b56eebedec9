import { execFileSync } from 'node:child_process'
import cluster from 'node:cluster'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startNode } from '../start.ts'

test('API workers serve REST from their own reads, forward transactions to the main process, and end with it', async () => {
  await using node = await startNode({ api: { workers: 2 }, comet: { enabled: false } })
  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(node.urls.rest + path, init)
    return { status: response.status, height: response.headers.get('x-sdk-block-height'), body: await response.json() }
  }
  const address = node.accounts[1]!.address
  expect(await ask(`/chain/evm/v1/balances/${address}`)).toMatchObject({
    status: 200,
    height: '1',
    body: { balance_wei: '1000000000000000000000000' },
  })
  expect(await node.nextBlock()).toBe(2n)
  expect(await ask('/chain/evm/v1/params')).toMatchObject({ status: 200, height: '2' })
  expect(await ask('/readyz')).toMatchObject({ status: 200, body: { ready: true } })
  // The worker does heavy work, the main process admission.
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

/** Sends requests from another process while this one is blocked. Each is a URL, or a URL and a JSON body. Returns the answers. */
function askWhileBlocked(requests: readonly (readonly [url: string, body?: unknown])[]): string[] {
  const program = `
    const requests = JSON.parse(process.argv[1])
    const send = async ([url, body]) => {
      const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      return (await fetch(url, body && post)).text()
    }
    Promise.all(requests.map(send)).then((texts) => console.log(JSON.stringify(texts)))`
  const args = ['-e', program, JSON.stringify(requests)]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 30_000 })) as string[]
}

test('API workers accept connections and answer what committed blocks determine while the main process is busy', async () => {
  await using node = await startNode({ api: { workers: 1 }, compute: { workers: 1 }, grpc: { enabled: false } })
  const { jsonrpc, rest, comet } = node.urls
  const [from, to] = [node.accounts[0]!.address, `0x${'0'.repeat(36)}beef`]
  const call = (method: string, ...params: unknown[]) => [jsonrpc, { jsonrpc: '2.0', id: 1, method, params }] as const
  const sent = await fetch(jsonrpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(call('eth_sendTransaction', { from, to, value: '0x5' })[1]),
  })
  const { result: hash } = (await sent.json()) as { result: string }
  const spin = { [to]: { code: '0x5b5f56' } }
  const answers = askWhileBlocked([
    call('eth_getTransactionByHash', hash),
    call('eth_getTransactionCount', from, 'latest'),
    call('eth_gasPrice'),
    call('web3_clientVersion'),
    call('eth_estimateGas', { from, to, value: '0x1' }),
    call('eth_call', { to }, 'latest', spin),
    [`${rest}/chain/evm/v1/balances/${to}`],
    [`${comet}/status`],
  ])
  expect(answers.map((text) => text.replace(/^.*"(result|error)":/, ''))).toEqual([
    expect.stringContaining(hash),
    '"0x1"}\n',
    expect.stringMatching(/^"0x[1-9a-f]/),
    expect.stringContaining('anvil/compatible/Almanac'),
    '"0x5208"}\n',
    expect.stringContaining('out of gas'),
    expect.stringContaining('"balance_wei":"5"'),
    expect.stringContaining('"latest_block_height":"2"'),
  ])
})

test('API workers serve the CometBFT RPC, prints of contracts and the minimum gas price as the main process does', async () => {
  const lines: string[] = []
  await using node = await startNode(
    { api: { workers: 1 }, blocks: { time: 'manual' }, grpc: { enabled: false } },
    { log: (_level, _message, fields) => void lines.push(String(fields?.['line'])) },
  )
  const rpc = async (method: string, ...params: unknown[]) => {
    const response = await fetch(node.urls.jsonrpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return ((await response.json()) as { result?: unknown }).result
  }
  const comet = async (path: string) =>
    ((await (await fetch(`${node.urls.comet}/${path}`)).json()) as { result: Record<string, unknown> }).result
  const [from, to] = [node.accounts[0]!.address, node.accounts[1]!.address]
  await rpc('eth_sendTransaction', { from, to, value: '0x5' })
  expect(await comet('num_unconfirmed_txs')).toMatchObject({ n_txs: '1' })
  expect(await comet('unconfirmed_txs?limit=5')).toMatchObject({ txs: [expect.any(String)] })
  expect(await comet('check_tx?tx=0x00')).toMatchObject({ code: 2, codespace: 'sdk' })
  await rpc('hardhat_setMinGasPrice', '0x48c27395000')
  expect(await rpc('eth_gasPrice')).toBe('0x48c27395000')
  // Copies its calldata to the console of Hardhat, `log(uint256)`.
  const overrides = { [to]: { code: '0x365f5f375f5f365f6a636f6e736f6c652e6c6f675afa' } }
  await rpc('eth_call', { to, data: `0xf82c50f1${'7'.padStart(64, '0')}` }, 'latest', overrides)
  await expect.poll(() => lines).toContain('7')
})

test('a second node of one process has API workers only on ports that it names', async () => {
  await using first = await startNode({ api: { workers: 1 }, grpc: { enabled: false }, comet: { enabled: false } })
  await expect(startNode({ api: { workers: 1 } })).rejects.toThrow('another node in this process has API workers')
  expect((await fetch(`${first.urls.rest}/healthz`)).status).toBe(200)
})

test('an API worker tells subscribers of admitted transactions, and one that subscribes again of later ones only', async () => {
  await using node = await startNode({ api: { workers: 1 }, blocks: { time: 'manual' }, comet: { enabled: false } })
  const { provider, accounts } = node
  const socket = new WebSocket(node.urls.ws)
  const received: { id?: number; result?: string; params?: { result: string } }[] = []
  socket.onmessage = ({ data }) => void received.push(JSON.parse(String(data)))
  await new Promise((resolve) => {
    socket.onopen = resolve
  })
  const pushed = () => received.flatMap(({ params }) => (params ? [params.result] : []))
  async function ask(id: number, method: string, param: string): Promise<string | undefined> {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params: [param] }))
    const result = () => received.find((one) => one.id === id)?.result
    await expect.poll(result).toBeDefined()
    return result()
  }
  const send = async (i: number): Promise<string> => {
    const tx = { from: accounts[i]!.address, to: accounts[9]!.address, value: '0x1' }
    return String(await provider.request({ method: 'eth_sendTransaction', params: [tx] }))
  }
  const first = await ask(1, 'eth_subscribe', 'newPendingTransactions')
  const sent = [await send(0), await send(1)]
  await expect.poll(pushed).toEqual(sent)
  await ask(2, 'eth_unsubscribe', first!)
  await send(2)
  await ask(3, 'eth_subscribe', 'newPendingTransactions')
  sent.push(await send(3))
  await expect.poll(pushed).toEqual(sent)
  socket.close()
})
