import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import { afterAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { runCommand } from '../src/cli/commands.ts'
import { type Node, type NodeConfig, startNode } from '../src/index.ts'
import { ask } from './support/rpc.ts'

const scratch = mkdtempSync(join(tmpdir(), 'almanac-public-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const MNEMONIC = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
/** One request a second of an address and two at once, behind a proxy on this machine. */
const LIMITED: NodeConfig = { api: { rateLimit: 1, rateBurst: 2, trustedProxies: ['loopback'] } }
/** Requests at once. They take no minute, in which all of them would be allowed. */
const MANY = 60
const CHAIN_ID = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
const HEALTH = { jsonrpc: '2.0', id: 1, method: 'health', params: {} }

interface RpcReply {
  readonly error?: { readonly code: number; readonly data?: string }
}

/** Returns the headers of a request that a proxy forwards for a client, which has sent another address itself. */
const from = (client: string) => ({ 'x-forwarded-for': `203.0.113.200, ${client}` })

async function postJson<T = RpcReply>(url: string, client: string, body: unknown): Promise<T> {
  const headers = { 'content-type': 'application/json', ...from(client) }
  return (await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as T
}

/** Asks over gRPC. Resolves with the codes. */
async function askGrpc({ urls }: Node, client: string, count: number): Promise<number[]> {
  const grpc = new Client(urls.grpc, credentials.createInsecure())
  const metadata = new Metadata()
  metadata.set('x-forwarded-for', client)
  const same = (bytes: Buffer) => bytes
  const call = () =>
    new Promise<number>((resolve) =>
      grpc.makeUnaryRequest(
        '/chain.evm.v1.Query/Params',
        same,
        same,
        Buffer.alloc(0),
        metadata,
        (error: ServiceError | null) => resolve(error?.code ?? 0),
      ),
    )
  try {
    return await Promise.all(Array.from({ length: count }, call))
  } finally {
    grpc.close()
  }
}

/** Sends messages over one WebSocket. Resolves with the codes of the answers, 0 for a result. */
async function overSocket(url: string, client: string, message: unknown): Promise<number[]> {
  const socket = new WebSocket(url, { headers: from(client) })
  await once(socket, 'open')
  const codes: number[] = []
  socket.on('message', (data) => codes.push((JSON.parse(String(data)) as RpcReply).error?.code ?? 0))
  for (let i = 0; i < MANY; i++) socket.send(JSON.stringify(message))
  while (codes.length < MANY) await once(socket, 'message')
  socket.terminate()
  return codes
}

const asks = <T>(one: () => Promise<T>) => Promise.all(Array.from({ length: MANY }, one))
const restOf = (node: Node, client: string) => fetch(`${node.urls.rest}/chain/evm/v1/params`, { headers: from(client) })

test('each protocol refuses an address that sends too many requests, in its own way, and serves the others', async () => {
  await using node = await startNode(LIMITED)
  const rest = await asks(() => restOf(node, '198.51.100.1'))
  expect(rest.map(({ status }) => status)).toContain(200)
  const refused = rest.find(({ status }) => status === 429)!
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.json()).toMatchObject({ code: 8, message: expect.stringContaining('too many requests') })
  expect((await restOf(node, '198.51.100.2')).status).toBe(200)

  expect(new Set(await askGrpc(node, '198.51.100.3', MANY))).toEqual(new Set([0, 8]))
  expect(await askGrpc(node, '198.51.100.4', 1)).toEqual([0])
  const batch = await postJson<RpcReply[]>(node.urls.jsonrpc, '198.51.100.5', Array(MANY).fill(CHAIN_ID))
  expect(new Set(batch.map(({ error }) => error?.code))).toEqual(new Set([undefined, -32005]))
  const single = await asks(() => postJson(node.urls.jsonrpc, '198.51.100.6', CHAIN_ID))
  expect(new Set(single.map(({ error }) => error?.code))).toEqual(new Set([undefined, -32005]))
  expect(new Set(await overSocket(node.urls.ws, '198.51.100.7', CHAIN_ID))).toEqual(new Set([0, -32005]))
  const cometSocket = `${node.urls.comet.replace('http', 'ws')}/websocket`
  expect(new Set(await overSocket(cometSocket, '198.51.100.8', HEALTH))).toEqual(new Set([0, -32005]))
  const uris = await asks(() => fetch(`${node.urls.comet}/health`, { headers: from('198.51.100.9') }))
  expect(new Set(uris.map(({ status }) => status))).toEqual(new Set([200, 429]))
  const posts = await asks(() => postJson(node.urls.comet, '198.51.100.10', HEALTH))
  expect(posts.find(({ error }) => error)?.error).toMatchObject({ code: -32005 })
  const web = await asks(async () => {
    const headers = { 'content-type': 'application/grpc-web+proto', ...from('198.51.100.11') }
    const url = `${node.urls.rest}/chain.evm.v1.Query/Params`
    const answer = await fetch(url, { method: 'POST', headers, body: new Uint8Array(5) })
    return /grpc-status: ?(\d+)/.exec(Buffer.from(await answer.arrayBuffer()).toString('latin1'))?.[1]
  })
  expect(new Set(web)).toEqual(new Set(['0', '8']))
})

test('one bucket serves all protocols of an address', async () => {
  await using node = await startNode({ api: { rateLimit: 1, rateBurst: MANY } })
  // The batch takes every token.
  const body = JSON.stringify(Array(MANY * 2).fill(CHAIN_ID))
  await fetch(node.urls.jsonrpc, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const statuses = (await asks(() => restOf(node, '198.51.100.1'))).map(({ status }) => status)
  expect(statuses).toContain(429)
})

test('a client cannot choose its address, and a network of IPv6 is one client', async () => {
  await using node = await startNode({ api: { rateLimit: 1, rateBurst: 2 } })
  let next = 1
  const chosen = await asks(() => restOf(node, `198.51.100.${next++}`))
  expect(chosen.map(({ status }) => status)).toContain(429)
  await using proxied = await startNode(LIMITED)
  const network = await asks(() => restOf(proxied, `2001:db8:0:1::${next++}`))
  expect(network.map(({ status }) => status)).toContain(429)
  const networks = await asks(() => restOf(proxied, `2001:db8:1:${next++}::1`))
  expect(new Set(networks.map(({ status }) => status))).toEqual(new Set([200]))
})

test('a read-only node answers queries, and says why it takes no transaction', async () => {
  await using node = await startNode({ api: { readOnly: true }, node: { insecureKeys: true } })
  expect((await ask(node, 'eth_blockNumber')).result).toBeDefined()
  expect((await ask(node, 'eth_call', [{ to: `0x${'11'.repeat(20)}` }, 'latest'])).result).toBe('0x')
  const raw = `0x02f86b8201${'00'.repeat(10)}`
  const sent = await ask(node, 'eth_sendTransaction', [
    { from: node.accounts[0]!.address, to: node.accounts[1]!.address },
  ])
  expect(sent.error?.code).toBe(-32601)
  expect((await ask(node, 'evm_mine')).error).toBeDefined()
  expect((await ask(node, 'eth_sendRawTransaction', [raw])).error).toBeDefined()
  const broadcast = await fetch(`${node.urls.rest}/sdk/tx/v1beta1/txs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tx_bytes: 'AAAA', mode: 'BROADCAST_MODE_SYNC' }),
  })
  expect(await broadcast.json()).toMatchObject({ code: 9, message: expect.stringContaining('this node is read-only') })
  const comet = await (await fetch(`${node.urls.comet}/broadcast_tx_sync?tx=0x0011`)).json()
  expect(JSON.stringify(comet)).toContain('this node is read-only')
})

test('--public names everything that a public node must not have, before a home is written', async () => {
  const home = join(scratch, 'bad')
  const bad = startNode({
    home,
    node: { public: true, insecureKeys: true },
    comet: { unsafe: true },
    api: { rateLimit: 0, trustedProxies: ['10.0.0.0/8', '0.0.0.0/0'] },
    metrics: { enabled: true, host: '0.0.0.0' },
  })
  await expect(bad).rejects.toThrow(
    /a node with --public must not have:\n1\. development methods.*\n2\. unlocked accounts.*\n3\. the public mnemonic.*\n4\. node\.insecure_keys.*\n5\. methods of the CometBFT RPC.*\n6\. proxies that can be anyone, 0\.0\.0\.0\/0, so.*\n7\. no limit of requests.*\n8\. queries in the process that makes blocks.*\n9\. metrics for everyone on 0\.0\.0\.0/,
  )
})

test('--public refuses a mnemonic file that other users can read', async () => {
  const path = join(scratch, 'mnemonic')
  writeFileSync(path, MNEMONIC, { mode: 0o644 })
  const said: string[] = []
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
  const code = await runCommand([
    'start',
    '--home',
    join(scratch, 'open'),
    '--public',
    '--no-dev',
    '--mnemonic-file',
    path,
  ])
  write.mockRestore()
  expect(code).toBe(1)
  expect(said.join('')).toBe(
    `almanac: other users of this machine can read --mnemonic-file ${path}: chmod 600 ${path}\n`,
  )
})

test('a public node starts without them, with limits and the namespaces of wallets, and refuses an open keyring', async () => {
  const home = join(scratch, 'good')
  const config: NodeConfig = {
    home,
    node: { public: true, dev: false },
    chain: { mnemonic: MNEMONIC },
    api: { workers: 1 },
    compute: { workers: 1 },
  }
  {
    await using node = await startNode(config)
    expect((await ask(node, 'eth_chainId')).result).toBeDefined()
    const settings = await fetch(`${node.urls.rest}/sdk/base/node/v1beta1/config`)
    expect(await settings.json()).toMatchObject({ minimum_gas_price: '0.025unative' })
    for (const method of ['debug_traceTransaction', 'txpool_content', 'evm_mine', 'anvil_setBalance'])
      expect((await ask(node, method)).error?.code, method).toBe(-32601)
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify(Array(1000).fill(CHAIN_ID))
    const batch = (await (await fetch(node.urls.jsonrpc, { method: 'POST', headers, body })).json()) as RpcReply[]
    expect(new Set(batch.map(({ error }) => error?.code))).toEqual(new Set([undefined, -32005]))
  }
  mkdirSync(join(home, 'keyring-test'))
  writeFileSync(join(home, 'keyring-test', 'a.json'), '{}')
  await expect(startNode(config)).rejects.toThrow(
    /must not have:\n1\. an open keyring with keys in the clear, .*keyring-test/,
  )
})
