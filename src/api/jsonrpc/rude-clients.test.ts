import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
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

test('a page of another origin that leaves before it is refused does not end the node', async () => {
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
