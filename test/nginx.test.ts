/** Answers through a shared cache: the configuration of nginx that the documents recommend, before the built program. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
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

let node: NodeProcess
let nginx: ChildProcess
let scratch: string
let port: number
let balances = 0

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

/** Returns the recommended configuration with the addresses and folders of this test. */
function configuration(): string {
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

beforeAll(async () => {
  if (!program) return
  node = await startProcess(['--ephemeral', '--block-time', 'manual', '--api-cors', ORIGINS.join(',')])
  scratch = mkdtempSync(join(tmpdir(), 'almanac-nginx-'))
  port = await freePort()
  const file = join(scratch, 'nginx.conf')
  writeFileSync(file, configuration())
  const args = ['-c', file, '-p', scratch, '-e', 'stderr']
  execFileSync(program, [...args, '-t'], { stdio: 'pipe' })
  nginx = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const isUp = () =>
    ask('rest', '/healthz').then(
      ({ status }) => status === 200,
      () => false,
    )
  while (!(await isUp())) await new Promise((done) => setTimeout(done, 50))
})
afterAll(async () => {
  if (!program) return
  nginx?.kill('SIGTERM')
  if (nginx && nginx.exitCode === null) await once(nginx, 'exit')
  await node?.[Symbol.asyncDispose]()
  rmSync(scratch, { recursive: true, force: true })
})

async function ask(
  name: 'rest' | 'evm' | 'comet',
  path: string,
  headers: Readonly<Record<string, string>> = {},
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
const balancePath = () => `/chain/evm/v1/balances/${node.config.accounts[0]!.address}`

/** Makes a block at which the balance of the first account is another one. Returns its height. */
async function changeBalance(): Promise<number> {
  const balance = `0x${(10n ** 18n * BigInt(++balances)).toString(16)}`
  await rpc(node.config, 'evm_mine')
  // This changes the state of the latest height.
  await rpc(node.config, 'anvil_setBalance', [node.config.accounts[0]!.address, balance])
  return Number(await rpc<string>(node.config, 'eth_blockNumber'))
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
  // The latest block of a development chain can still change.
  await changeBalance()
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
  'JSON-RPC passes over HTTP and WebSocket, without keys and development methods for other machines',
  async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`, { headers: { host: 'evm.example.org' } })
    await once(socket, 'open')
    const call = async (method: string) => {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }))
      const [data] = await once(socket, 'message')
      return JSON.parse(String(data))
    }
    expect((await call('eth_chainId')).result).toBe('0x1b12')
    expect((await call('evm_mine')).error).toMatchObject({ code: 4100 })
    socket.terminate()
  },
)

onNginx('equal requests of an answer that cannot be shared do not wait for one another', async () => {
  const timeOf = async (one: () => Promise<unknown>) => {
    const start = performance.now()
    await Promise.all(Array.from({ length: 20 }, one))
    return performance.now() - start
  }
  const direct = await timeOf(async () => (await fetch(new URL(balancePath(), node.config.urls.rest))).text())
  const proxied = await timeOf(async () => expect((await ask('rest', balancePath())).status).toBe(200))
  // nginx would look for the lock of a cached answer each 500 ms, one request after the other.
  expect(proxied).toBeLessThan(direct + 2000)
})

onNginx('a quiet WebSocket of JSON-RPC stays open for longer than a request', { timeout: 30_000 }, async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { headers: { host: 'evm.example.org' } })
  await once(socket, 'open')
  await new Promise((done) => setTimeout(done, QUIET_MS + 1000))
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }))
  const [data] = await once(socket, 'message')
  expect(JSON.parse(String(data)).result).toBe('0x1b12')
  socket.terminate()
})
