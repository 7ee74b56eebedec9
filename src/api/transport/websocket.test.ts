import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createOutgoing } from './outgoing.ts'
import { serveMessages } from './websocket.ts'

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
