import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createConnections } from './connections.ts'
import { closeServer, createHttpServer } from './http-server.ts'
import { createOutgoing } from './outgoing.ts'
import { listen, ownPorts } from './ports.ts'

test('pipelined requests are answered one after the other and in order, however long the first takes', async () => {
  const outgoing = createOutgoing({ bytes: 10_000_000, stallMs: () => 60_000, onDisconnect() {} }, () =>
    performance.now(),
  )
  let running = 0
  let most = 0
  const connections = createConnections(
    100,
    () => performance.now(),
    () => {},
  )
  const server = createHttpServer({ outgoing, connections, ports: ownPorts }, {}, (request, response) => {
    running++
    most = Math.max(most, running)
    const answer = (): void => {
      running--
      response.end(`<${request.url}>`)
    }
    if (request.url === '/0') setTimeout(answer, 200)
    else answer()
  })
  onTestFinished(() => closeServer(server))
  const { port } = await listen(server, 0, '127.0.0.1')
  const socket = connect(port, '127.0.0.1')
  const count = 200
  const requests = Array.from({ length: count }, (_, i) => `GET /${i} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  socket.write(requests.join(''))
  let text = ''
  while (!text.includes(`</${count - 1}>`)) text += String((await once(socket, 'data'))[0])
  socket.destroy()
  expect([...text.matchAll(/<\/(\d+)>/g)].map(([, i]) => Number(i))).toEqual(requests.map((_, i) => i))
  expect(most).toBe(1)
})

test('a server closes although a socket was taken over from it only then', async () => {
  const server = createServer()
  const sockets = new Set<{ close(): void; terminate(): void }>()
  const { port } = await listen(server, 0, '127.0.0.1')
  const client = connect(port, '127.0.0.1')
  client.on('error', () => {})
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  const [, socket] = (await once(server, 'upgrade')) as [unknown, Socket]
  const closed = closeServer(server, sockets)
  setTimeout(() => sockets.add({ close() {}, terminate: () => socket.destroy() }), 100)
  await closed
  expect(socket.destroyed).toBe(true)
})

test('requests that wait for the previous answer of their connection count as bytes that wait for the client', async () => {
  const gone: string[] = []
  const outgoing = createOutgoing(
    { bytes: 2_000_000, stallMs: () => 60_000, onDisconnect: (_, reason) => void gone.push(reason) },
    () => performance.now(),
  )
  const connections = createConnections(
    100,
    () => performance.now(),
    () => {},
  )
  let finish = (): void => {}
  const server = createHttpServer({ outgoing, connections, ports: ownPorts }, {}, (request, response) => {
    if (request.url === '/slow') return
    if (request.url !== '/first') response.end('answered')
    else finish = () => response.end('answered')
  })
  onTestFinished(() => closeServer(server))
  const { port } = await listen(server, 0, '127.0.0.1')
  const ask = (path: string, more: number) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n${'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(more)}`)
    return socket
  }
  const patient = ask('/first', 100)
  const greedy = Array.from({ length: 8 }, () => ask('/slow', 2000))
  await expect.poll(() => gone.length).toBeGreaterThan(0)
  expect(greedy.length - gone.length).toBeGreaterThan(0)
  finish()
  let text = ''
  while (text.split('answered').length <= 101) text += String((await once(patient, 'data'))[0])
  for (const socket of [patient, ...greedy]) socket.destroy()
})

test('a connection that pipelines without end gets the answers to its first requests, and ends', async () => {
  const outgoing = createOutgoing({ bytes: 10_000_000, stallMs: () => 60_000, onDisconnect() {} }, () =>
    performance.now(),
  )
  const connections = createConnections(
    100,
    () => performance.now(),
    () => {},
  )
  let read = 0
  const server = createHttpServer({ outgoing, connections, ports: ownPorts }, {}, (request, response) => {
    if (request.url === '/slow') setTimeout(() => response.end('<slow>'), 100)
    else response.end(`<${request.url}>`)
  })
  server.on('request', () => read++)
  onTestFinished(() => closeServer(server))
  const { port } = await listen(server, 0, '127.0.0.1')
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  const requests = Array.from({ length: 10_000 }, (_, i) => `GET /${i} HTTP/1.1\r\nHost: a\r\n\r\n`)
  socket.write(`GET /slow HTTP/1.1\r\nHost: a\r\n\r\n${requests.join('')}`)
  let text = ''
  socket.on('data', (bytes) => {
    text += String(bytes)
  })
  await once(socket, 'close')
  expect([...text.matchAll(/<(?:\/(\d+)|slow)>/g)].map(([, i]) => i && Number(i))).toEqual([
    undefined,
    ...Array.from({ length: 256 }, (_, i) => i),
  ])
  expect(text.match(/Connection: close/g)).toHaveLength(1)
  expect(read).toBe(257)
})
