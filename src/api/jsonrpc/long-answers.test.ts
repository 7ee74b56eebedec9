import { once } from 'node:events'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startNode } from '../../node/start.ts'
import { gatewayNode } from '../testing.ts'
import type { Method } from './method.ts'
import { createJsonRpcServer } from './server.ts'
import { streamed } from './streamed.ts'

const OWNER = `0x${'c0'.repeat(20)}`

/** Calls code that returns memory of a length: a one in its first byte, then zeros. */
const longCall = (id: number, length: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'eth_call',
  params: [
    { to: OWNER },
    'latest',
    // PUSH1 1, PUSH0, MSTORE8, PUSH3 length, PUSH0, RETURN.
    { [OWNER]: { code: `0x60015f5362${length.toString(16).padStart(6, '0')}5ff3` } },
  ],
})
const CHAIN_ID = { jsonrpc: '2.0', id: 'short', method: 'eth_chainId' }
const shortAnswer = { jsonrpc: '2.0', id: 'short', result: '0x1b12' }
const longAnswer = (id: number, length: number) => ({ jsonrpc: '2.0', id, result: `0x01${'00'.repeat(length - 1)}` })

async function post(url: string, body: unknown): Promise<{ readonly length: string | null; readonly text: string }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { length: response.headers.get('content-length'), text: await response.text() }
}

test('long results are sent in parts, alone and between other answers of a batch, and are complete', async () => {
  await using node = await startNode({ blocks: { time: 'manual' } })
  const url = node.urls.jsonrpc!
  for (const length of [100_000, 131_072, 1_000_001]) {
    const alone = await post(url, longCall(7, length))
    expect(JSON.parse(alone.text)).toEqual(longAnswer(7, length))
    expect(alone.length === null).toBe(length > 131_071)
    const batch = [CHAIN_ID, longCall(1, length), longCall(2, 3), CHAIN_ID, longCall(3, length)]
    expect(JSON.parse((await post(url, batch)).text)).toEqual([
      shortAnswer,
      longAnswer(1, length),
      longAnswer(2, 3),
      shortAnswer,
      longAnswer(3, length),
    ])
  }
})

test('a batch whose answers exceed the limit answers the rest of its requests with the error of geth', async () => {
  await using node = await startNode({ blocks: { time: 'manual' } })
  const last = { jsonrpc: '2.0', id: 'last', method: 'evm_mine' }
  const { height } = node
  const { text } = await post(node.urls.jsonrpc!, [...Array(7).fill(longCall(1, 2_000_000)), last])
  const answers = JSON.parse(text) as { readonly result?: string; readonly error?: unknown }[]
  expect(answers).toHaveLength(8)
  expect(answers.slice(0, 6).every(({ result }) => result?.length === 4_000_002)).toBe(true)
  const error = { code: -32003, message: 'response too large' }
  expect(answers.slice(6)).toEqual([
    { jsonrpc: '2.0', id: 1, error },
    { jsonrpc: '2.0', id: 'last', error },
  ])
  expect(node.height).toBe(height)
})

test('a WebSocket client gets long results in fragments, each message whole, and events between them', async () => {
  await using node = await startNode({ blocks: { time: 'manual' } })
  const socket = new WebSocket(node.urls.ws!)
  await once(socket, 'open')
  const messages: { readonly id?: unknown; readonly method?: string }[] = []
  socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString())))
  const ids = Array.from({ length: 30 }, (_, i) => i)
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 'heads', method: 'eth_subscribe', params: ['newHeads'] }))
  await expect.poll(() => messages).toHaveLength(1)
  for (const id of ids) socket.send(JSON.stringify(id % 3 === 0 ? longCall(id, 900_000) : { ...CHAIN_ID, id }))
  socket.send(JSON.stringify([longCall(100, 300_000), { ...CHAIN_ID, id: '日本' }]))
  await expect.poll(() => messages.length).toBeGreaterThan(1)
  await node.nextBlock()
  await expect.poll(() => messages).toHaveLength(ids.length + 3)
  expect(messages.filter(({ method }) => method === 'eth_subscription')).toHaveLength(1)
  expect(messages.find((message) => Array.isArray(message))).toEqual([
    longAnswer(100, 300_000),
    { ...shortAnswer, id: '日本' },
  ])
  for (const id of ids) {
    const expected = id % 3 === 0 ? longAnswer(id, 900_000) : { ...shortAnswer, id }
    expect(messages.find((message) => message.id === id)).toEqual(expected)
  }
  socket.terminate()
})

test('a WebSocket client that leaves in the middle of a long result ends what waits for it', async () => {
  await using node = await startNode({ blocks: { time: 'manual' } })
  for (let i = 0; i < 5; i++) {
    const socket = new WebSocket(node.urls.ws!)
    await once(socket, 'open')
    for (let id = 0; id < 20; id++) socket.send(JSON.stringify(longCall(id, 2_000_000)))
    await once((socket as unknown as { readonly _socket: Socket })._socket, 'data')
    socket.terminate()
  }
  expect(JSON.parse((await post(node.urls.jsonrpc!, CHAIN_ID)).text)).toEqual(shortAnswer)
})

test('a WebSocket message has at most 64 MiB: a longer result is answered with an error that names HTTP', async () => {
  const part = Buffer.alloc(1 << 20, '1')
  /** Sends a number of the given megabytes. */
  const run: Method['run'] = (_, params) =>
    streamed(async (onPart) => {
      const [parts] = params as [number]
      for (let i = 0; i < parts; i++) await new Promise<void>((resolve) => onPart(part, resolve))
    })
  const server = createJsonRpcServer(gatewayNode({}), { methods: { long: { servedBy: 'any', run } } })
  const { port } = await server.listen(0, '127.0.0.1')
  const url = `http://127.0.0.1:${port}`
  const call = (id: number, parts: number) => ({ jsonrpc: '2.0', id, method: 'long', params: [parts] })
  try {
    const socket = new WebSocket(url.replace('http', 'ws'), { maxPayload: 0 })
    await once(socket, 'open')
    const ask = async (body: unknown): Promise<string> => {
      socket.send(JSON.stringify(body))
      const [data] = (await once(socket, 'message')) as [Buffer]
      return data.toString('latin1')
    }
    expect((await ask(call(1, 64))).length).toBeGreaterThan(64 << 20)
    const error = {
      code: -32000,
      message: 'the answer is longer than 64 MiB: send its request over HTTP and alone, where its length has no limit',
    }
    expect(JSON.parse(await ask(call(2, 65)))).toEqual({ jsonrpc: '2.0', id: 2, error })
    expect(JSON.parse(await ask([call(3, 65)]))).toEqual([{ jsonrpc: '2.0', id: 3, error }])
    expect((await post(url, call(4, 65))).text.length).toBeGreaterThan(65 << 20)
    socket.terminate()
  } finally {
    await server.close()
  }
})
