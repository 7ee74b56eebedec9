/** Websites and rebound names that use a default node, over every protocol of the built program. */
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { expectCleanStop, startDefault, survive } from '../support/attacks/survive.ts'
import { call, callAt, cometSocketUrl, send } from '../support/attacks/target.ts'
import type { NodeProcess } from '../support/process.ts'
import { rpc } from '../support/rpc.ts'

const OWN = { from: '127.0.0.1' }
const FOREIGN: readonly Readonly<Record<string, string>>[] = [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { host: 'rebound.example' },
]

let node: NodeProcess
let methods: readonly [string, readonly unknown[]][]
beforeAll(async () => {
  node = await startDefault()
  const [{ address } = { address: '0x' }] = node.config.accounts
  methods = [
    ['anvil_setBalance', [address, '0x0']],
    ['eth_sendTransaction', [{ from: address, to: address, value: '0x1' }]],
    ['hardhat_reset', []],
    ['evm_mine', []],
    ['eth_signTypedData_v4', [address, '{}']],
    ['personal_sign', ['0x00', address]],
  ]
})
afterAll(() => expectCleanStop(node))

/** Expects that a foreign client is refused with the reason. */
function expectRefused(answer: unknown): void {
  expect(answer).toMatchObject({ error: { message: expect.stringMatching(/not (of )?this machine/) } })
}

test('no development method or key answers a foreign page over HTTP, on either port', async () => {
  const { jsonrpc, ws } = node.config.urls
  for (const url of [jsonrpc, ws.replace('ws', 'http')]) {
    for (const headers of FOREIGN) {
      for (const [method, params] of methods) {
        const { text } = await send(OWN, url, { body: JSON.stringify(call(method, params)), headers })
        expectRefused(JSON.parse(text))
      }
    }
  }
})

test('no development method or key answers a foreign page over WebSocket, on either port', async () => {
  const { jsonrpc, ws } = node.config.urls
  for (const url of [ws, jsonrpc.replace('http', 'ws')]) {
    for (const headers of FOREIGN) {
      const socket = new WebSocket(url, { headers })
      await once(socket, 'open')
      for (const [method, params] of methods) {
        socket.send(JSON.stringify(call(method, params)))
        const [data] = await once(socket, 'message')
        expectRefused(JSON.parse(String(data)))
      }
      socket.terminate()
    }
  }
})

test('the other gateways have no such method, for anyone', async () => {
  const { comet, rest } = node.config.urls
  for (const [method, params] of methods) {
    expect(await callAt(OWN, comet, call(method, params))).toMatchObject({ error: { code: -32601 } })
    expect((await send(OWN, `${rest}/${method}`, { body: '{}' })).status).toBe(404)
  }
  const socket = new WebSocket(cometSocketUrl({ ...OWN, config: node.config }), { headers: FOREIGN[0] })
  await once(socket, 'open')
  socket.send(JSON.stringify(call('evm_mine', {})))
  const [data] = await once(socket, 'message')
  expect(JSON.parse(String(data))).toMatchObject({ error: { code: -32601 } })
  socket.terminate()
})

test('a page that tries without end changes nothing', async () => {
  const { counts } = await survive(node, 'foreignPages')
  expect(counts['refused']).toBeGreaterThan(0)
  expect(counts).not.toHaveProperty('executed')
  expect(BigInt(await rpc<string>(node.config, 'eth_getBalance', [node.config.accounts[0]!.address]))).toBeGreaterThan(
    0n,
  )
})
