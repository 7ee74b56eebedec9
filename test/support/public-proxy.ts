/** The suite of a public node behind a proxy with TLS: honest clients, and one that attacks. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { request } from 'node:https'
import { connect as connectTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ATTACKER_ADDRESS } from './attacks/target.ts'
import { freePort } from './ports.ts'
import { type NodeProcess, startProcess } from './process.ts'
import { findProgram } from './programs.ts'
import { freePlainPorts, type ProxyName, START_PROXY, writeCertificate } from './proxies.ts'

const MNEMONIC = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
/** Address of the honest clients and of the proxy. The attacker's is another one of loopback, so that it is no trusted proxy. */
const HONEST = '127.0.0.1'
const CALL = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }

interface Sent {
  readonly from?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Opens a connection of the attacker to REST. An error closes it. */
function connectAsAttacker(port: number): TLSSocket {
  const plain = connectTcp({ host: '127.0.0.1', port, localAddress: ATTACKER_ADDRESS })
  const socket = connect({ socket: plain, servername: 'rest.example.org', rejectUnauthorized: false })
  plain.on('error', () => socket.destroy())
  socket.on('error', () => socket.destroy())
  return socket
}

const codesOf = (text: string): readonly (number | undefined)[] =>
  (JSON.parse(text) as { error?: { code: number } }[]).map(({ error }) => error?.code)

/** Declares the tests of a proxy on its configuration of `deploy/`, which run if it is installed. */
export function publicProxySuite(name: ProxyName): void {
  const program = findProgram([name], `a public node behind ${name}`)
  const openssl = findProgram(['openssl'], `a public node behind ${name}`)
  const onProxy = test.runIf(program !== undefined && openssl !== undefined)
  const scratch = mkdtempSync(join(tmpdir(), `almanac-public-${name}-`))
  let node: NodeProcess
  let proxy: ChildProcess
  let tlsPort: number

  beforeAll(async () => {
    if (!program || !openssl) return
    const mnemonic = join(scratch, 'mnemonic')
    writeFileSync(mnemonic, MNEMONIC, { mode: 0o600 })
    const own = ['--public', '--no-dev', '--mnemonic-file', mnemonic, '--trusted-proxies', HONEST]
    node = await startProcess(['--home', join(scratch, 'home'), ...own, '--block-time', '500ms'])
    tlsPort = await freePort()
    writeCertificate(openssl, scratch)
    proxy = START_PROXY[name]({ program, node, tlsPort, plain: await freePlainPorts(), scratch })
    const isUp = () =>
      get('rest', '/healthz').then(
        (text) => text.includes('"ok":true'),
        () => false,
      )
    while (!(await isUp())) {
      if (proxy.exitCode !== null) throw new Error(`${name} ended with ${proxy.exitCode}`)
      await new Promise((done) => setTimeout(done, 50))
    }
  }, 120_000)
  afterAll(async () => {
    if (proxy?.exitCode === null) {
      proxy.kill('SIGTERM')
      await once(proxy, 'exit')
    }
    await node?.[Symbol.asyncDispose]()
    rmSync(scratch, { recursive: true, force: true })
  })

  /** Sends a request by TLS. Resolves with the text of the answer, or its status for an answer of nginx. */
  async function get(name: string, path: string, { from = HONEST, body, headers }: Sent = {}): Promise<string> {
    const sent = request({
      host: '127.0.0.1',
      port: tlsPort,
      path,
      method: body === undefined ? 'GET' : 'POST',
      localAddress: from,
      rejectUnauthorized: false,
      servername: `${name}.example.org`,
      headers: { host: `${name}.example.org`, 'content-type': 'application/json', ...headers },
    })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    const [response] = await once(sent, 'response')
    let text = ''
    for await (const part of response) text += part
    return text
  }

  onProxy(
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

  onProxy(
    'a client that floods, invents addresses and holds connections is refused, and honest clients are answered',
    async () => {
      const silent: TLSSocket[] = Array.from({ length: 100 }, () => {
        const socket = connectAsAttacker(tlsPort)
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

  onProxy(
    'a client that sends its headers a byte at a time loses its connection',
    async () => {
      const socket = connectAsAttacker(tlsPort)
      socket.write('GET / HTTP/1.1\r\nHost: rest.example.org\r\nX: ')
      const timer = setInterval(() => socket.write('x'), 500)
      socket.resume()
      await once(socket, 'close')
      clearInterval(timer)
      expect(await get('rest', '/healthz')).toContain('"ok":true')
    },
    60_000,
  )
}
