import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createConnections } from './connections.ts'
import { takeBytes } from './http.ts'
import { closeServer, createHttpServer } from './http-server.ts'
import { createOutgoing } from './outgoing.ts'
import { listen, ownPorts } from './ports.ts'
import { turns } from './turns.ts'

const BODY_BYTES = 5_000_000
const LIMIT_BYTES = 5 * 1024 * 1024

/** Starts a server that answers with the size of each body. */
async function openServer(refuse: (error: Error) => void) {
  const outgoing = createOutgoing({ bytes: 100_000_000, stallMs: () => 60_000, onDisconnect() {} }, () =>
    performance.now(),
  )
  const connections = createConnections(
    100,
    () => performance.now(),
    () => {},
  )
  const server = createHttpServer({ outgoing, connections, ports: ownPorts }, {}, (request, response) => {
    takeBytes(
      request,
      LIMIT_BYTES,
      outgoing,
      (body) => response.end(String(body.length)),
      (error) => {
        refuse(error)
        response.destroy()
      },
    )
  })
  onTestFinished(() => closeServer(server))
  return { server, port: (await listen(server, 0, '127.0.0.1')).port }
}

test('a long body that waits for its turn is dropped with its client', async () => {
  const run = vi.spyOn(turns, 'run').mockImplementation(() => {})
  onTestFinished(() => run.mockRestore())
  const refused: string[] = []
  const { port } = await openServer(({ message }) => refused.push(message))
  const client = connect(port, '127.0.0.1')
  client.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`)
  client.write(Buffer.alloc(BODY_BYTES))
  while (run.mock.calls.length === 0) await wait(5)
  expect(refused).toEqual([])
  client.destroy()
  while (refused.length === 0) await wait(5)
  expect(refused).toEqual(['the client has disconnected'])
})

test('of many long bodies of one address few are read at a time, and the others once those have arrived', async () => {
  const { server, port } = await openServer(() => {})
  const accepted: Socket[] = []
  server.on('connection', (socket) => accepted.push(socket))
  const most = Buffer.alloc(BODY_BYTES - 1)
  const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`
  const clients: Socket[] = []
  for (let i = 0; i < 6; i++) {
    const client = connect(port, '127.0.0.1')
    onTestFinished(() => void client.destroy())
    await once(client, 'connect')
    client.write(head)
    client.write(most)
    clients.push(client)
  }
  const isWhole = ({ bytesRead }: Socket): boolean => bytesRead >= BODY_BYTES
  const untilWhole = async (number: number): Promise<void> => {
    while (accepted.filter(isWhole).length < number) await wait(5)
  }
  // The room of 16 MiB takes three bodies, and a further one for each that ends.
  await untilWhole(3)
  for (const socket of accepted.slice(3)) expect(socket.bytesRead).toBeLessThan(BODY_BYTES / 5)
  // A short body does not wait.
  const short = connect(port, '127.0.0.1')
  onTestFinished(() => void short.destroy())
  short.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc')
  expect(String((await once(short, 'data'))[0])).toMatch(/\r\n3$/)
  expect(accepted.filter(isWhole)).toHaveLength(3)
  for (const [i, client] of clients.entries()) {
    await untilWhole(Math.min(i + 3, 6))
    client.write('.')
    expect(String((await once(client, 'data'))[0])).toMatch(/\r\n5000000$/)
  }
})
