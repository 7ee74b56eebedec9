import { Agent, request } from 'node:http'
import { credentials, Client as GrpcClient } from '@grpc/grpc-js'
import { expect, test } from 'vitest'
import { type NodeProcess, startProcess } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'

const REQUESTS = Number(process.env['TEST_FUZZ_REQUESTS'] ?? 100_000)
const SEED = Number(process.env['TEST_FUZZ_SEED'] ?? 1)
/** Ten times the time budget of any single request. */
const HANG_MS = 60_000

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

interface Reply {
  readonly status: number
  readonly body: string
}

function send(url: string, method: string, headers: Record<string, string>, body?: string): Promise<Reply> {
  return new Promise((done, fail) => {
    const target = new URL(url)
    const options = {
      host: target.hostname,
      port: target.port,
      // The raw path: a URL object would normalize it.
      path: url.slice(target.origin.length) || '/',
      method,
      headers,
      agent,
      timeout: HANG_MS,
    }
    const sent = request(options, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => done({ status: response.statusCode ?? 0, body: text }))
    })
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${HANG_MS} ms`)))
    sent.on('error', fail)
    sent.end(body)
  })
}

/** Building blocks of mutations: edge cases of every kind of value that the API accepts. */
const EDGES = [
  '',
  '0',
  '-1',
  '1',
  '18446744073709551615',
  '18446744073709551616',
  '9223372036854775808',
  '1e3',
  '0x',
  '0x0',
  '0x1',
  '0xzz',
  'null',
  'true',
  'latest',
  'pending',
  'earliest',
  '%',
  '%zz',
  '%00',
  '%2F',
  '%252F',
  '..',
  '//',
  ';',
  '&',
  '=',
  '"',
  "'",
  '\\',
  '{}',
  '[]',
  '{"a":',
  '[[[[[[',
  '\u0000',
  'é',
  '𝄞',
  'a'.repeat(5_000),
  'e30=',
  'e30',
  '-_8=',
  'factory/x/y',
  'ibc%2FABC',
  'unative',
  'chain1qfjqsfs08rfugwex7d549lecaja23p5jcejn57',
  'chainvalcons1qqqq',
  'NaN',
  'Infinity',
  '１２',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  `0x${'f'.repeat(64)}`,
  `0x${'0'.repeat(63)}`,
  '2024-01-01T00:00:00Z',
]

const RPC_METHODS = [
  'eth_call',
  'eth_estimateGas',
  'eth_getBalance',
  'eth_getStorageAt',
  'eth_getCode',
  'eth_getTransactionCount',
  'eth_getBlockByNumber',
  'eth_getBlockByHash',
  'eth_getLogs',
  'eth_newFilter',
  'eth_getFilterChanges',
  'eth_feeHistory',
  'eth_sendRawTransaction',
  'eth_getTransactionReceipt',
  'eth_getBlockReceipts',
  'eth_createAccessList',
  'eth_getProof',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_uninstallFilter',
  'net_version',
  'web3_sha3',
  'eth_subscribe',
  'nope',
]
const COMET_METHODS = [
  'status',
  'block',
  'tx',
  'tx_search',
  'block_search',
  'abci_query',
  'validators',
  'broadcast_tx_sync',
  'blockchain',
  'commit',
  'check_tx',
  'block_results',
]

function mutator(random: () => number) {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const text = (): string => {
    const base = pick(EDGES)
    if (random() < 0.6) return base
    const at = Math.floor(random() * (base.length + 1))
    return base.slice(0, at) + pick(EDGES) + base.slice(random() < 0.5 ? at : at + 1)
  }
  const json = (depth = 0): unknown => {
    const kind = random()
    if (kind < 0.45 || depth > 3) return text()
    if (kind < 0.55) return Math.floor((random() - 0.3) * 1e18)
    if (kind < 0.6) return pick([null, true, false])
    if (kind < 0.75) return Array.from({ length: Math.floor(random() * 4) }, () => json(depth + 1))
    const keys = [
      'to',
      'from',
      'data',
      'input',
      'gas',
      'gasPrice',
      'value',
      'address',
      'topics',
      'fromBlock',
      'toBlock',
      'blockHash',
      'accessList',
      'code',
      'stateDiff',
      'balance',
      'nonce',
      'path',
      'height',
      'query',
      'hash',
    ]
    return Object.fromEntries(Array.from({ length: Math.floor(random() * 5) }, () => [pick(keys), json(depth + 1)]))
  }
  const printable = (value: string) =>
    value.replaceAll(/[^\x21-\x7e]+/gu, (part) => encodeURIComponent(part.replaceAll(/\p{Surrogate}/gu, '?')))
  return { random, pick, text, json, printable }
}

test(`${REQUESTS} mutated requests over every protocol are each answered with a true error, and memory stays flat`, async () => {
  await using node: NodeProcess = await startProcess(['--ephemeral', '--api-workers', '0'])
  const { urls } = node.config
  const { random, pick, text, json, printable } = mutator(seededRandom(SEED))
  const openapi = JSON.parse((await send(`${urls.rest}/openapi.json`, 'GET', {})).body)
  const paths = Object.keys(openapi.paths)
  const grpc = new GrpcClient(urls.grpc.replace(/^\w+:\/\//, ''), credentials.createInsecure())
  const grpcMethods = Object.values(openapi.paths as Record<string, Record<string, { operationId?: string }>>)
    .flatMap((item) => Object.values(item))
    .flatMap(({ operationId }) => (operationId ? [`/${operationId.replace(/\.(\w+)$/, '/$1')}`] : []))

  const wrong: string[] = []
  const note = (line: string) => {
    if (wrong.length < 50) wrong.push(line)
  }

  const overRest = async () => {
    const path = pick(paths).replaceAll(/\{[^}]+\}/g, () => printable(text()))
    const query =
      random() < 0.6
        ? `?${Array.from({ length: 1 + Math.floor(random() * 3) }, () => `${pick(['args', 'gas_cap', 'height', 'token', 'pagination.limit', 'pagination.key', 'denom', 'chain_id', 'msg.hash', 'pair'])}=${printable(text())}`).join('&')}`
        : ''
    const headers: Record<string, string> =
      random() < 0.3 ? { 'x-sdk-block-height': pick(EDGES.filter((edge) => /^[\x20-\x7e]*$/.test(edge))) } : {}
    const method = pick(['GET', 'GET', 'GET', 'GET', 'POST', 'HEAD', 'OPTIONS', 'DELETE'])
    const body = method === 'POST' ? (random() < 0.5 ? JSON.stringify(json()) : text()) : undefined
    const { status, body: answer } = await send(urls.rest + path + query, method, headers, body)
    if (status === 500 || status === 0)
      note(`${method} ${path}${query} ${body ?? ''}: ${status} ${answer.slice(0, 200)}`)
  }
  const overJsonRpc = async () => {
    const engine = random() < 0.3
    const call = () => ({
      jsonrpc: '2.0',
      id: pick([1, 'a', null]),
      method: pick(engine ? COMET_METHODS : RPC_METHODS),
      params: random() < 0.8 ? Array.from({ length: Math.floor(random() * 4) }, () => json()) : json(),
    })
    const body = random() < 0.05 ? text() : JSON.stringify(random() < 0.1 ? [call(), call()] : call())
    const { status, body: answer } = await send(
      engine ? urls.comet : urls.jsonrpc,
      'POST',
      { 'content-type': 'application/json' },
      body,
    )
    if (status >= 500 && !engine) note(`JSON-RPC ${body.slice(0, 300)}: ${status} ${answer.slice(0, 200)}`)
    // CometBFT's protocol answers every failed call with 500; the text of a bug must not appear.
    if (/-32603/.test(answer) && /internal|TypeError|RangeError|undefined/.test(answer) && !engine)
      note(`JSON-RPC ${body.slice(0, 300)}: ${answer.slice(0, 200)}`)
    if (/TypeError|RangeError|SyntaxError: Unexpected|is not a function|Cannot read prop/.test(answer))
      note(`leak ${body.slice(0, 300)}: ${answer.slice(0, 200)}`)
  }
  const overGrpc = () =>
    new Promise<void>((done) => {
      const bytes = Buffer.from(Array.from({ length: Math.floor(random() * 40) }, () => Math.floor(random() * 256)))
      const method = random() < 0.05 ? `/${printable(text())}` : pick(grpcMethods)
      const timer = setTimeout(() => note(`gRPC ${method} ${bytes.toString('hex')}: no answer`), HANG_MS)
      grpc.makeUnaryRequest(
        method,
        (value: Buffer) => value,
        (value: Buffer) => value,
        bytes,
        (error) => {
          clearTimeout(timer)
          if (error && (error.code === 13 || error.code === 2))
            note(`gRPC ${method} ${bytes.toString('hex')}: ${error.code} ${error.details}`)
          done()
        },
      )
    })

  let sent = 0
  const sendUpTo = (count: number) =>
    Promise.all(
      Array.from({ length: 16 }, async () => {
        while (sent < count && wrong.length < 50) {
          sent++
          const kind = random()
          try {
            if (kind < 0.5) await overRest()
            else if (kind < 0.9) await overJsonRpc()
            else await overGrpc()
          } catch (error) {
            note(`request ${sent}: ${error instanceof Error ? error.message : error}`)
          }
        }
      }),
    )
  await sendUpTo(Math.floor(REQUESTS / 10))
  // No request is in flight now: the node is blocked while it writes its heap.
  const before = await node.liveHeapBytes()
  await sendUpTo(REQUESTS)
  grpc.close()
  expect(wrong).toEqual([])
  expect(node.child.exitCode).toBeNull()
  expect((await send(`${urls.rest}/chain/evm/v1/params`, 'GET', {})).status).toBe(200)
  const after = await node.liveHeapBytes()
  console.log(
    `in use ${(before / 2 ** 20).toFixed(1)} MiB after a tenth, ${(after / 2 ** 20).toFixed(1)} MiB at the end`,
  )
  expect(after / before, 'memory in use at the end against that after a tenth').toBeLessThan(1.1)
})
