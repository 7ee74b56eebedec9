/** Answers through a shared cache: the configuration of nginx that the documents recommend, before the built program. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { createPublicClient, createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { freePort } from './support/ports.ts'
import { type NodeProcess, startProcess } from './support/process.ts'
import { findProgram } from './support/programs.ts'
import { rpc } from './support/rpc.ts'

const program = findProgram(['nginx'], 'shared caches')

/** Longest silence of a request in this test, in place of that of the configuration. WebSockets keep theirs. Unit: milliseconds. */
const QUIET_MS = 4000

const ORIGINS = ['https://a.example', 'https://b.example'] as const

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Whether the answer came from the cache. */
  readonly isHit: boolean
}

/** A node behind its own nginx. */
interface Site extends AsyncDisposable {
  readonly node: NodeProcess
  readonly port: number
}

let site: Site

/** Returns the recommended configuration with the addresses and folders of this test. */
function configuration(node: NodeProcess, scratch: string, port: number): string {
  const { rest, jsonrpc, comet } = node.config.urls
  const isRoot = process.getuid?.() === 0
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(scratch, name)};`,
  )
  const recommended = readFileSync(resolve(import.meta.dirname, '../docs/nginx.conf'), 'utf8')
    .replace('127.0.0.1:1317', new URL(rest).host)
    .replace('127.0.0.1:8545', new URL(jsonrpc).host)
    .replace('127.0.0.1:26657', new URL(comet).host)
    .replaceAll('listen 80;', `listen 127.0.0.1:${port};`)
    .replace('/var/cache/almanac', join(scratch, 'cache'))
    .replace('proxy_read_timeout 120s', `proxy_read_timeout ${QUIET_MS}ms`)
  return `${isRoot ? 'user root;' : ''} worker_processes 1; daemon off; pid ${join(scratch, 'pid')};
    error_log stderr warn; events {} http { access_log off; ${folders.join(' ')} ${recommended} }`
}

/** Starts a node of which blocks come with transactions, and nginx in front of it. */
async function startSite(nginxProgram: string, flags: readonly string[]): Promise<Site> {
  const node = await startProcess(['--ephemeral', '--api-cors', ORIGINS.join(','), ...flags])
  const scratch = mkdtempSync(join(tmpdir(), 'almanac-nginx-'))
  const port = await freePort()
  const file = join(scratch, 'nginx.conf')
  writeFileSync(file, configuration(node, scratch, port))
  const args = ['-c', file, '-p', scratch, '-e', 'stderr']
  execFileSync(nginxProgram, [...args, '-t'], { stdio: 'pipe' })
  const nginx: ChildProcess = spawn(nginxProgram, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const isUp = () =>
    ask('rest', '/healthz', {}, port).then(
      ({ status }) => status === 200,
      () => false,
    )
  while (!(await isUp())) await new Promise((done) => setTimeout(done, 50))
  return {
    node,
    port,
    async [Symbol.asyncDispose]() {
      nginx.kill('SIGTERM')
      if (nginx.exitCode === null) await once(nginx, 'exit')
      await node[Symbol.asyncDispose]()
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}

beforeAll(async () => {
  if (program) site = await startSite(program, ['--no-dev', '--insecure-keys', '--block-time', 'arrival'])
})
afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
})

async function ask(
  name: 'rest' | 'evm' | 'comet',
  path: string,
  headers: Readonly<Record<string, string>> = {},
  port = site.port,
): Promise<Answer> {
  const asked = request({ host: '127.0.0.1', port, path, headers: { host: `${name}.example.org`, ...headers } })
  asked.end()
  const [response] = await once(asked, 'response')
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part)
  const body = Buffer.concat(parts)
  const isGzip = response.headers['content-encoding'] === 'gzip'
  return {
    status: response.statusCode,
    headers: response.headers,
    text: (isGzip ? gunzipSync(body) : body).toString('utf8'),
    isHit: response.headers['x-cache-status'] === 'HIT',
  }
}

const onNginx = test.runIf(program !== undefined)
const HEIGHT_HEADERS = [
  'x-sdk-block-height',
  'x-cosmos-block-height',
  'grpc-metadata-x-sdk-block-height',
  'grpc-metadata-x-cosmos-block-height',
]

/** Returns the path of the balance of the first account. */
const balancePath = ({ node }: Site = site) => `/chain/evm/v1/balances/${node.config.accounts[0]!.address}`

/** Makes a block at which the balance of the first account is another one. Returns its height. */
async function changeBalance(): Promise<number> {
  const { urls, accounts, evm_chain_id } = site.node.config
  const transport = http(urls.jsonrpc)
  const chain = { ...foundry, id: evm_chain_id }
  const wallet = createWalletClient({ account: privateKeyToAccount(accounts[0]!.private_key), chain, transport })
  const hash = await wallet.sendTransaction({ to: accounts[1]!.address, value: 10n ** 18n })
  const reads = createPublicClient({ chain, transport, pollingInterval: 50 })
  return Number((await reads.waitForTransactionReceipt({ hash })).blockNumber)
}

onNginx(
  'an answer that a header pinned never reaches another client, and an answer for the latest height is not stored',
  async () => {
    const old = await changeBalance()
    const before = await ask('rest', balancePath())
    for (const header of HEIGHT_HEADERS) {
      await changeBalance()
      const pinned = await ask('rest', balancePath(), { [header]: String(old) })
      expect([pinned.text, pinned.isHit]).toEqual([before.text, false])
      const latest = await ask('rest', balancePath())
      expect(latest.isHit).toBe(false)
      expect(latest.text).not.toBe(before.text)
      expect((await ask('rest', balancePath(), { [header]: String(old) })).isHit).toBe(false)
    }
  },
)

onNginx('an answer whose URL names its height is shared, and no other answer takes its place', async () => {
  const height = await changeBalance()
  const path = `${balancePath()}?height=${height}`
  await changeBalance()
  const first = await ask('rest', path)
  const second = await ask('rest', path)
  expect([first.isHit, second.isHit, second.text]).toEqual([false, true, first.text])
  // Another height in a header is an error of the client. It never changes what the URL names.
  for (const header of HEIGHT_HEADERS) {
    await ask('rest', path, { [header]: String(height - 1) })
    expect((await ask('rest', path)).text).toBe(first.text)
  }
  const other = `${balancePath()}?height=${height + 1}`
  expect((await ask('rest', other, { [HEIGHT_HEADERS[0]!]: String(height) })).status).toBe(400)
  expect((await ask('rest', other)).text).not.toBe(first.text)
})

onNginx('encodings and origins are not mixed', async () => {
  const path = `/sdk/auth/v1beta1/accounts?height=${await changeBalance()}`
  const plain = await ask('rest', path)
  expect(plain.text.length).toBeGreaterThan(1024)
  for (const isStored of [false, true]) {
    const packed = await ask('rest', path, { 'accept-encoding': 'gzip' })
    expect([packed.headers['content-encoding'], packed.isHit, packed.text]).toEqual(['gzip', isStored, plain.text])
    expect((await ask('rest', path)).headers['content-encoding']).toBeUndefined()
    for (const [name, target] of [
      ['rest', path],
      ['comet', '/block?height=1'],
    ] as const) {
      for (const origin of ORIGINS) {
        const { headers, isHit } = await ask(name, target, { origin })
        expect([headers['access-control-allow-origin'], isHit]).toEqual([origin, isStored])
      }
      const stranger = await ask(name, target, { origin: 'https://c.example' })
      expect(stranger.headers['access-control-allow-origin']).toBeUndefined()
    }
  }
})

onNginx('errors are not stored', async () => {
  const next = (await changeBalance()) + 1
  const path = `${balancePath()}?height=${next}`
  for (let i = 0; i < 2; i++) {
    const early = await ask('rest', path)
    expect([early.status, early.isHit]).toEqual([400, false])
    expect((await ask('comet', `/block?height=${next}`)).isHit).toBe(false)
  }
  await changeBalance()
  expect((await ask('rest', path)).status).toBe(200)
  const block = await ask('comet', `/block?height=${next}`)
  expect([block.status, JSON.parse(block.text).result.block.header.height]).toEqual([200, String(next)])
})

onNginx(
  'no answer of a development chain is stored, so that none outlives a revert, and its methods stay closed',
  async () => {
    await using developed = await startSite(program!, ['--block-time', 'manual'])
    const { config } = developed.node
    const at = async (path: string) => ask('rest', path, {}, developed.port)
    const setBalance = (balance: string) =>
      rpc(config, 'anvil_setBalance', [config.accounts[0]!.address, balance]).then(() => rpc(config, 'evm_mine'))
    const before = await rpc<string>(config, 'evm_snapshot')
    await setBalance('0xde0b6b3a7640000')
    const height = Number(await rpc<string>(config, 'eth_blockNumber'))
    await rpc(config, 'evm_mine')
    const path = `${balancePath(developed)}?height=${height}`
    const first = await at(path)
    const block = await ask('comet', `/block?height=${height}`, {}, developed.port)
    expect([first.status, block.status]).toEqual([200, 200])
    await rpc(config, 'evm_revert', [before])
    await setBalance('0x1bc16d674ec80000')
    await rpc(config, 'evm_mine')
    const second = await at(path)
    expect([second.status, second.isHit]).toEqual([200, false])
    expect(second.text).not.toBe(first.text)
    expect((await ask('comet', `/block?height=${height}`, {}, developed.port)).isHit).toBe(false)
    const socket = new WebSocket(`ws://127.0.0.1:${developed.port}`, { headers: { host: 'evm.example.org' } })
    await once(socket, 'open')
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_mine', params: [] }))
    const [data] = await once(socket, 'message')
    expect(JSON.parse(String(data)).error).toMatchObject({ code: 4100 })
    socket.terminate()
  },
)

onNginx('JSON-RPC passes over WebSocket', async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${site.port}`, { headers: { host: 'evm.example.org' } })
  await once(socket, 'open')
  const call = async (method: string) => {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }))
    const [data] = await once(socket, 'message')
    return JSON.parse(String(data))
  }
  expect((await call('eth_chainId')).result).toBe('0x1b12')
  socket.terminate()
})

onNginx('equal requests of an answer that cannot be shared do not wait for one another', async () => {
  const timeOf = async (one: () => Promise<unknown>) => {
    const start = performance.now()
    await Promise.all(Array.from({ length: 20 }, one))
    return performance.now() - start
  }
  const direct = await timeOf(async () => (await fetch(new URL(balancePath(), site.node.config.urls.rest))).text())
  const proxied = await timeOf(async () => expect((await ask('rest', balancePath())).status).toBe(200))
  // nginx would look for the lock of a cached answer each 500 ms, one request after the other.
  expect(proxied).toBeLessThan(direct + 2000)
})

onNginx('a quiet WebSocket of JSON-RPC stays open for longer than a request', { timeout: 30_000 }, async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${site.port}`, { headers: { host: 'evm.example.org' } })
  await once(socket, 'open')
  await new Promise((done) => setTimeout(done, QUIET_MS + 1000))
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }))
  const [data] = await once(socket, 'message')
  expect(JSON.parse(String(data)).result).toBe('0x1b12')
  socket.terminate()
})
