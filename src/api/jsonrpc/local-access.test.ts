import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startNode } from '../../node/start.ts'

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

let node: Awaited<ReturnType<typeof startNode>>
let victim: string
beforeAll(async () => {
  node = await startNode()
  victim = node.accounts[0]!.address
})
afterAll(() => node.stop())

const bodyOf = (method: string, params: readonly unknown[]) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

/** Posts a call with headers that `fetch` does not let a program set. */
async function post(method: string, params: readonly unknown[], headers: Record<string, string>): Promise<Answer> {
  const call = request(node.urls.jsonrpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
  })
  call.end(bodyOf(method, params))
  const [response] = await once(call, 'response')
  let text = ''
  for await (const part of response) text += part
  return JSON.parse(text)
}

async function overSocket(origin: string | undefined, method: string, params: readonly unknown[]): Promise<Answer> {
  const socket = new WebSocket(node.urls.ws, origin === undefined ? {} : { origin })
  await once(socket, 'open')
  socket.send(bodyOf(method, params))
  const [data] = await once(socket, 'message')
  socket.close()
  return JSON.parse(String(data))
}

const ATTACKS: [string, () => readonly unknown[]][] = [
  ['anvil_setBalance', () => [victim, '0x0']],
  ['tenderly_addBalance', () => [victim, '0x1']],
  ['hardhat_reset', () => []],
  ['evm_mine', () => []],
  ['eth_sendTransaction', () => [{ from: victim, to: victim, value: '0x1' }]],
  ['eth_signTypedData_v4', () => [victim, '{}']],
  ['personal_sign', () => ['0x00', victim]],
]

test.each(ATTACKS)('a page of another origin cannot call %s, over HTTP or WebSocket', async (method, params) => {
  const origin = 'https://evil.example'
  const height = node.height
  for (const answer of [await post(method, params(), { origin }), await overSocket(origin, method, params())]) {
    expect(answer.error).toMatchObject({ code: 4100, message: expect.stringContaining(`${method} is refused`) })
  }
  expect(node.height).toBe(height)
})

test('a name that was rebound to this machine cannot call a development method', async () => {
  const { error } = await post('anvil_setBalance', [victim, '0x0'], { host: 'evil.example' })
  expect(error).toMatchObject({ code: 4100, message: expect.stringContaining('--insecure-keys') })
})

test('a page of another origin reads the chain, and is refused in a batch too', async () => {
  const headers = { origin: 'https://dapp.example' }
  expect((await post('eth_chainId', [], headers)).result).toBe('0x1b12')
  const call = request(node.urls.jsonrpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
  })
  call.end(`[${bodyOf('eth_chainId', [])},${bodyOf('evm_mine', [])}]`)
  const [response] = await once(call, 'response')
  let text = ''
  for await (const part of response) text += part
  expect((JSON.parse(text) as Answer[]).map(({ result, error }) => result ?? error?.code)).toEqual(['0x1b12', 4100])
})

test('programs and pages of this machine use the development methods and keys', async () => {
  expect((await post('anvil_setBalance', [`0x${'57'.repeat(20)}`, '0x1'], {})).error).toBeUndefined()
  expect((await post('evm_mine', [], { origin: 'http://localhost:3000' })).error).toBeUndefined()
  expect((await overSocket('http://127.0.0.1:5173', 'evm_mine', [])).error).toBeUndefined()
  expect((await overSocket(undefined, 'evm_mine', [])).error).toBeUndefined()
})
