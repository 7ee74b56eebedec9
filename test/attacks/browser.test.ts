/** A page of another origin in a real browser, against the built program: it reads the chain, and commands nothing. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type NodeProcess, startProcess } from '../support/process.ts'
import { findProgram } from '../support/programs.ts'
import { rpc } from '../support/rpc.ts'

const browser = findProgram(['chromium', 'chromium-browser', 'google-chrome'], 'pages in a browser')
const inBrowser = test.runIf(browser !== undefined)

/** Names that the browser resolves to this machine: a page of a stranger, and one whose name was rebound to this machine. */
const STRANGER = 'stranger.example'
const REBOUND = 'rebound.example'

interface Call {
  /** URL of a fetch, or of a WebSocket. */
  readonly url: string
  readonly method?: 'GET' | 'POST'
  readonly type?: string
  /** Whether the page gives up reading the answer, which needs no permission. */
  readonly isBlind?: boolean
  readonly body?: string
}

/** Runs in the page: makes every call, and posts the texts of the answers to the server of the page. */
const SCRIPT = `
const overSocket = ({ url, body }) => new Promise((done) => {
  const socket = new WebSocket(url)
  const end = (text) => { done(text); socket.close() }
  socket.onopen = () => socket.send(body)
  socket.onmessage = ({ data }) => end(data)
  socket.onerror = () => end('refused')
  socket.onclose = () => done('closed')
})
const overHttp = async ({ url, method = 'POST', type, isBlind, body }) => {
  const answer = await fetch(url, {
    method, body, mode: isBlind ? 'no-cors' : 'cors', ...(type && { headers: { 'content-type': type } }),
  })
  return isBlind ? 'sent' : await answer.text()
}
const run = (call) => (call.url.startsWith('ws') ? overSocket(call) : overHttp(call)).catch((error) => 'refused')
const work = async () => {
  const calls = await (await fetch('/calls')).json()
  const answers = []
  for (const call of calls) answers.push(await run(call))
  await fetch('/answers', { method: 'POST', body: JSON.stringify(answers) })
}
work()
`

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of request) text += part
  return text
}

/** Opens a page under a host name in a new browser, and returns the answers that it gets. */
async function visit(host: string, calls: readonly Call[]): Promise<string[]> {
  let report = (_: string[]): void => {}
  const answers = new Promise<string[]>((resolve) => {
    report = resolve
  })
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/calls') response.end(JSON.stringify(calls))
    else if (request.url === '/answers') {
      report(JSON.parse(await textOf(request)))
      response.end()
    } else response.setHeader('content-type', 'text/html').end(`<!doctype html><script>${SCRIPT}</script>`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const profile = mkdtempSync(join(tmpdir(), 'almanac-browser-'))
  const child = spawn(
    browser!,
    [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      // The node must protect itself: not every browser asks before a page connects to this machine.
      '--disable-features=LocalNetworkAccessChecks',
      `--host-resolver-rules=MAP ${STRANGER} 127.0.0.1, MAP ${REBOUND} 127.0.0.1`,
      `--user-data-dir=${profile}`,
      `http://${host}:${port}/`,
    ],
    { stdio: 'ignore', detached: true },
  )
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the browser has ended')))
  try {
    return await Promise.race([answers, ended])
  } finally {
    ended.catch(() => {})
    process.kill(-child.pid!, 'SIGKILL')
    server.closeAllConnections()
    server.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 20 })
  }
}

const call = (method: string, params: readonly unknown[] = []) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

/** Returns calls that change the chain or use its keys. */
function attacksOf(node: NodeProcess): string[] {
  const victim = node.config.accounts[0]!.address
  const thief = `0x${'66'.repeat(20)}`
  const domain = { domain: {}, types: { EIP712Domain: [], A: [] }, primaryType: 'A', message: {} }
  return [
    call('anvil_setBalance', [thief, '0x1']),
    call('hardhat_reset'),
    call('evm_mine'),
    call('eth_sendTransaction', [{ from: victim, to: thief, value: '0x1' }]),
    call('eth_signTypedData_v4', [victim, domain]),
    call('personal_sign', ['0x00', victim]),
  ]
}

/** Returns facts that every attack would change. */
async function stateOf({ config }: NodeProcess): Promise<unknown> {
  const { address } = config.accounts[0]!
  const asked: [string, unknown[]][] = [
    ['eth_blockNumber', []],
    ['eth_getBalance', [`0x${'66'.repeat(20)}`, 'latest']],
    ['eth_getTransactionCount', [address, 'pending']],
  ]
  return Promise.all(asked.map(([method, params]) => rpc(config, method, params)))
}

const errorOf = (text: string) => (JSON.parse(text) as { error?: { code: number } }).error?.code
const JSON_TYPE = 'application/json'

inBrowser('a page of a stranger cannot command a default node over any protocol, and reads it', async () => {
  await using node = await startProcess(['--ephemeral', '--block-time', 'manual'])
  await rpc(node.config, 'evm_mine')
  const before = await stateOf(node)
  const { jsonrpc, ws, rest, comet, grpc } = node.config.urls
  const rebound = (url: string) => url.replace('127.0.0.1', REBOUND)
  const attacks = attacksOf(node)
  // Answers that the page can read: each must be a refusal.
  const ethereum = attacks.flatMap((body): Call[] => [
    { url: jsonrpc, type: JSON_TYPE, body },
    { url: ws.replace('ws', 'http'), type: JSON_TYPE, body },
    { url: jsonrpc.replace('http', 'ws'), body },
    { url: ws, body },
  ])
  const reboundCalls = attacks.flatMap((body): Call[] => [
    { url: rebound(jsonrpc), type: JSON_TYPE, body },
    { url: rebound(ws), body },
  ])
  const others = attacks.flatMap((body): Call[] => {
    const { method } = JSON.parse(body) as { method: string }
    return [
      { url: comet, type: JSON_TYPE, body },
      { url: `${comet}/${method}`, method: 'GET' },
      { url: `${comet.replace('http', 'ws')}/websocket`, body },
      { url: `${rest}/${method}`, type: JSON_TYPE, body },
      { url: rest, type: JSON_TYPE, body },
      { url: `http://${grpc}/${method}`, type: 'application/grpc-web', body },
      { url: `http://${grpc}/`, type: JSON_TYPE, body },
    ]
  })
  const blind = attacks.flatMap((body): Call[] =>
    [jsonrpc, comet, rest, `http://${grpc}`].map((url) => ({ url, isBlind: true, type: 'text/plain', body })),
  )
  const reads: Call[] = [
    { url: jsonrpc, type: JSON_TYPE, body: call('eth_chainId') },
    { url: ws, body: call('eth_chainId') },
    { url: `${rest}/chain/evm/v1/params`, method: 'GET' },
    { url: `${comet}/health`, method: 'GET' },
  ]
  const answers = await visit(STRANGER, [...ethereum, ...others, ...blind, ...reads])
  const take = (calls: readonly Call[]) => answers.splice(0, calls.length)
  expect(take(ethereum).map(errorOf)).toEqual(ethereum.map(() => 4100))
  for (const answer of take(others)) {
    expect(answer).toMatch(/refused|closed|Method not found|404 page not found|"code":(5|12)\b/)
  }
  take(blind)
  const [chainId, chainIdOverSocket, params, health] = take(reads)
  expect([JSON.parse(chainId!).result, JSON.parse(chainIdOverSocket!).result]).toEqual(['0x1b12', '0x1b12'])
  expect(JSON.parse(params!)).toHaveProperty('params')
  expect(JSON.parse(health!)).toMatchObject({ result: {} })
  // The name of a page that was rebound to this machine stands in Host and Origin.
  expect((await visit(REBOUND, reboundCalls)).map(errorOf)).toEqual(reboundCalls.map(() => 4100))
  expect(await stateOf(node)).toEqual(before)
  // A page of this machine, such as the one that a developer works on, can do all of it.
  const [mined] = await visit('localhost', [{ url: jsonrpc, type: JSON_TYPE, body: call('evm_mine') }])
  expect(errorOf(mined!)).toBeUndefined()
  expect(await stateOf(node)).not.toEqual(before)
})

inBrowser('a page of an origin that api.cors does not name reads nothing', async () => {
  await using node = await startProcess(['--ephemeral', '--block-time', 'manual', '--api-cors', 'https://own.example'])
  const { jsonrpc, ws, rest, comet } = node.config.urls
  const reads: Call[] = [
    { url: jsonrpc, type: JSON_TYPE, body: call('eth_chainId') },
    { url: ws, body: call('eth_chainId') },
    { url: `${rest}/chain/evm/v1/params`, method: 'GET' },
    { url: `${comet}/health`, method: 'GET' },
    { url: `${comet.replace('http', 'ws')}/websocket`, body: call('health') },
  ]
  expect(await visit(STRANGER, reads)).toEqual(reads.map(() => 'refused'))
})
