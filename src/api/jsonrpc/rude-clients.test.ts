import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startNode } from '../../node/start.ts'

const UPGRADE = [
  'GET / HTTP/1.1',
  'Host: x',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Origin: http://elsewhere.example',
]

test('a page of another origin that disconnects before it is refused does not stop the node', async () => {
  await using node = await startNode({ api: { cors: [] } })
  const { hostname, port } = new URL(node.urls.jsonrpc!)
  for (let i = 0; i < 20; i++) {
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.write(`${UPGRADE.join('\r\n')}\r\n\r\n`)
    socket.resetAndDestroy()
  }
  const refused = connect(Number(port), hostname)
  refused.write(`${UPGRADE.join('\r\n')}\r\n\r\n`)
  const [answer] = await once(refused, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1.1 403 /)
  refused.destroy()
})

test('a CometBFT WebSocket client that does not read its answers is disconnected', async () => {
  await using node = await startNode()
  const socket = new WebSocket(`${node.urls.comet!.replace('http', 'ws')}/websocket`)
  await once(socket, 'open')
  socket.pause()
  socket.on('error', () => {})
  const ask = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'genesis' })
  const closed = once(socket, 'close')
  while (socket.readyState === socket.OPEN) {
    for (let i = 0; i < 50; i++) socket.send(ask)
    await setTimeout(10)
  }
  const [code] = await closed
  expect(code).toBe(1006)
})

test('a batch of a thousand long calls does not block others, and ends when its client disconnects', async () => {
  await using node = await startNode({ blocks: { time: 'manual' } })
  for (let i = 0; i < 300; i++) await node.nextBlock()
  const gone = new AbortController()
  const post = (body: unknown, signal?: AbortSignal) =>
    fetch(node.urls.jsonrpc!, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    })
  const call = (method: string, params: unknown[] = []) => ({ jsonrpc: '2.0', id: 1, method, params })
  let isAnswered = false
  const batch = Array(1000).fill(call('eth_feeHistory', ['0x400', 'latest', []]))
  const answer = post(batch, gone.signal)
    .then((response) => response.text())
    .then(
      () => {
        isAnswered = true
      },
      () => {},
    )
  for (let i = 0; i < 20; i++)
    expect(await (await post(call('eth_chainId'))).json()).toMatchObject({ result: '0x1b12' })
  await node.nextBlock()
  expect(isAnswered).toBe(false)
  gone.abort()
  await answer
})
