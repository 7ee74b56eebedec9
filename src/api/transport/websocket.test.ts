import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createOutgoing } from './outgoing.ts'
import { createSocketServer, serveMessages } from './websocket.ts'

test('a client that was asked to leave is not served further, although it does not close its connection', async () => {
  const outgoing = createOutgoing({ bytes: 10_000_000, stallMs: () => 60_000, onDisconnect() {} }, () =>
    performance.now(),
  )
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const asked: string[] = []
  const accepted = new Promise<WebSocket>((resolve) => {
    server.once('connection', (socket, request) => {
      serveMessages(socket, request.socket, { outgoing, log: () => {} }, (message) => {
        asked.push(message)
        return message
      })
      resolve(socket)
    })
  })
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await once(client, 'open')
  client.send('early')
  await once(client, 'message')
  // Until it reads on, it answers no request to close.
  client.pause()
  const socket = await accepted
  const closed = once(socket, 'close')
  socket.close(1013)
  client.send('late')
  client.resume()
  await closed
  expect(asked).toEqual(['early'])
  server.close()
})

test('a client that never answers the request to close is disconnected', async () => {
  const sockets = createSocketServer(1000)
  const server = createServer().listen(0, '127.0.0.1')
  server.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (client) => client.close(1013, 'connect again'))
  })
  await once(server, 'listening')
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await once(client, 'open')
  // It reads nothing, so that the library does not answer.
  client.pause()
  await expect.poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(0)
  client.terminate()
  server.close()
})
