/** A public node behind nginx with TLS, by the configuration of `deploy/`: honest clients, and one that attacks. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { request } from 'node:https'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ATTACKER_ADDRESS } from './support/attacks/target.ts'
import { type NodeProcess, startProcess } from './support/process.ts'
import { findProgram } from './support/programs.ts'

const nginxProgram = findProgram(['nginx'], 'a public node')
const openssl = findProgram(['openssl'], 'a public node')
const onNginx = test.runIf(nginxProgram !== undefined && openssl !== undefined)
const MNEMONIC = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
/** Address of the honest clients and of nginx. The attacker's is another one of loopback, so that it is no trusted proxy. */
const HONEST = '127.0.0.1'
const CALL = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }

const scratch = mkdtempSync(join(tmpdir(), 'almanac-public-nginx-'))
let node: NodeProcess
let nginx: ChildProcess
let tlsPort: number
let plainPort: number

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

const read = (path: string) => readFileSync(resolve(import.meta.dirname, '..', path), 'utf8')

/** Writes the configuration of `deploy/` with the addresses and folders of this test. Returns its path. */
function writeConfiguration(): string {
  const { rest, jsonrpc, comet, grpc } = node.config.urls
  const inner = read('docs/nginx.conf')
    .replace('127.0.0.1:1317', new URL(rest).host)
    .replace('127.0.0.1:8545', new URL(jsonrpc).host)
    .replace('127.0.0.1:26657', new URL(comet).host)
    .replaceAll('listen 80;', `listen 127.0.0.1:${plainPort};`)
    .replace('/var/cache/almanac', join(scratch, 'cache'))
  writeFileSync(join(scratch, 'almanac.conf'), inner)
  const outer = read('deploy/nginx-public.conf')
    .replace('/etc/almanac/nginx.conf', join(scratch, 'almanac.conf'))
    .replaceAll('/etc/almanac/', `${scratch}/`)
    .replace('127.0.0.1:9090', grpc)
    .replaceAll('listen 443', `listen 127.0.0.1:${tlsPort}`)
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(scratch, name)};`,
  )
  const path = join(scratch, 'nginx.conf')
  writeFileSync(
    path,
    `${process.getuid?.() === 0 ? 'user root;' : ''} worker_processes 1; daemon off; pid ${join(scratch, 'pid')};
    error_log stderr crit; events {} http { access_log off; ${folders.join(' ')} ${outer} }`,
  )
  return path
}

beforeAll(async () => {
  if (!nginxProgram || !openssl) return
  const mnemonic = join(scratch, 'mnemonic')
  writeFileSync(mnemonic, MNEMONIC, { mode: 0o600 })
  const own = ['--public', '--no-dev', '--mnemonic-file', mnemonic, '--trusted-proxies', HONEST]
  node = await startProcess(['--home', join(scratch, 'home'), ...own, '--block-time', '500ms'])
  tlsPort = await freePort()
  plainPort = await freePort()
  const key = ['-keyout', join(scratch, 'privkey.pem'), '-out', join(scratch, 'fullchain.pem')]
  const names = ['-subj', '/CN=example.org', '-days', '1', '-nodes', '-newkey', 'rsa:2048']
  execFileSync(openssl, ['req', '-x509', ...names, ...key], { stdio: 'pipe' })
  const args = ['-c', writeConfiguration(), '-p', scratch, '-e', 'stderr']
  execFileSync(nginxProgram, [...args, '-t'], { stdio: 'pipe' })
  nginx = spawn(nginxProgram, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const isUp = () =>
    get('rest', '/healthz').then(
      (text) => text.includes('"ok":true'),
      () => false,
    )
  while (!(await isUp())) await new Promise((done) => setTimeout(done, 50))
}, 120_000)
afterAll(async () => {
  if (nginx?.exitCode === null) {
    nginx.kill('SIGTERM')
    await once(nginx, 'exit')
  }
  await node?.[Symbol.asyncDispose]()
  rmSync(scratch, { recursive: true, force: true })
})

interface Sent {
  readonly from?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a request by TLS. Resolves with the text of the answer, or its status for an answer of nginx. */
async function get(name: string, path: string, { from = HONEST, body, headers }: Sent = {}): Promise<string> {
  const sent = request({
    host: '127.0.0.1',
    port: tlsPort,
    path,
    method: body === undefined ? 'GET' : 'POST',
    localAddress: from,
    rejectUnauthorized: false,
    headers: { host: `${name}.example.org`, 'content-type': 'application/json', ...headers },
  })
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  const [response] = await once(sent, 'response')
  let text = ''
  for await (const part of response) text += part
  return text
}

const codesOf = (text: string): readonly (number | undefined)[] =>
  (JSON.parse(text) as { error?: { code: number } }[]).map(({ error }) => error?.code)

onNginx(
  'REST, JSON-RPC, the CometBFT RPC and gRPC answer by TLS, and development methods do not exist',
  async () => {
    expect(await get('rest', '/chain/evm/v1/params')).toContain('params')
    expect(JSON.parse(await get('evm', '/', { body: CALL })).result).toMatch(/^0x/)
    expect(await get('comet', '/status')).toContain('latest_block_height')
    for (const method of ['evm_mine', 'anvil_setBalance', 'debug_traceTransaction', 'txpool_content'])
      expect(JSON.parse(await get('evm', '/', { body: { ...CALL, method } })).error.code, method).toBe(-32601)
    expect(JSON.parse(await get('evm', '/', { body: { ...CALL, method: 'eth_accounts' } })).result).toEqual([])
    const session = connectHttp2(`https://127.0.0.1:${tlsPort}`, {
      rejectUnauthorized: false,
      servername: 'grpc.example.org',
    })
    const stream = session.request({
      ':method': 'POST',
      ':path': '/chain.evm.v1.Query/Params',
      ':authority': 'grpc.example.org',
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    stream.end(Buffer.alloc(5))
    stream.resume()
    const [trailers] = await once(stream, 'trailers')
    expect(trailers['grpc-status']).toBe('0')
    session.close()
  },
  60_000,
)

onNginx(
  'a client that floods, invents addresses and holds connections is refused, and honest clients are answered',
  async () => {
    const silent: Socket[] = Array.from({ length: 100 }, () => {
      const socket = connect({ host: '127.0.0.1', port: plainPort, localAddress: ATTACKER_ADDRESS })
      socket.on('error', () => socket.destroy())
      socket.write('GET / HTTP/1.1\r\nHost: rest.example.org\r\nX: ')
      return socket
    })
    const flood = { from: ATTACKER_ADDRESS, body: Array(1000).fill(CALL) }
    const invented = Array.from({ length: 5 }, (_, i) =>
      get('evm', '/', { ...flood, headers: { 'x-forwarded-for': `198.51.100.${i}` } }),
    )
    const floods = (await Promise.all(invented)).map(codesOf)
    expect(floods.every((codes) => codes.includes(-32005))).toBe(true)
    // An invented address brings no bucket of its own: all five batches share the tokens of one.
    expect(floods.flat().filter((code) => code === undefined).length).toBeLessThan(1000)
    const honest = await Promise.all([
      get('rest', '/chain/evm/v1/params'),
      get('evm', '/', { body: CALL }),
      get('comet', '/health'),
    ])
    expect(honest[0]).toContain('params')
    expect(JSON.parse(honest[1]!).result).toMatch(/^0x/)
    expect(JSON.parse(honest[2]!).error).toBeUndefined()
    for (const socket of silent) socket.destroy()
    expect(node.child.exitCode).toBeNull()
  },
  60_000,
)
