import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import type { Handle } from './noisy-clients.ts'
import { createReceivedPorts } from './received-ports.ts'

const PORT = 1317
const opened: (Server | Socket)[] = []
afterEach(() => {
  vi.useRealTimers()
  for (const one of opened.splice(0)) {
    if ('destroy' in one) one.destroy()
    else one.close()
  }
})

/** Connects a client, and returns the accepted connection as another process hands it over. */
async function accepted(
  port = 0,
): Promise<{ readonly client: Socket; readonly handle: Handle; readonly port: number }> {
  const listener = createServer({ pauseOnConnect: true })
  listener.listen(port, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address() as { readonly port: number }
  const client = connect(address.port, '127.0.0.1')
  const [socket] = (await once(listener, 'connection')) as [Socket]
  opened.push(listener, client)
  const { _handle: handle } = socket as unknown as { readonly _handle: Handle }
  return { client, handle, port: address.port }
}

test('a connection goes to the server of its port, with what its client has sent before', async () => {
  const ports = createReceivedPorts(() => {})
  const { client, handle, port } = await accepted()
  const seen: string[] = []
  const echo = createServer((socket) =>
    socket.on('data', (bytes) => socket.end(`${seen.push(String(bytes))} ${bytes}`)),
  )
  let isListening = false
  echo.once('listening', () => {
    isListening = true
  })
  expect(await ports.open(echo, port, '127.0.0.1')).toEqual({ port })
  expect(isListening).toBe(true)
  client.write('hello')
  await new Promise((resolve) => setTimeout(resolve, 20))
  ports.receive(handle)
  const [answer] = (await once(client, 'data')) as [Buffer]
  expect([String(answer), seen]).toEqual(['1 hello', ['hello']])
})

test('a connection of a port without a server ends', async () => {
  const ports = createReceivedPorts(() => {})
  await ports.open(createServer(), PORT, '127.0.0.1')
  const { client, handle } = await accepted()
  client.resume()
  ports.receive(handle)
  await once(client, 'close')
})

test('the drain waits for the connections, and not longer than a second', async () => {
  const ports = createReceivedPorts(() => {})
  await ports.drain()
  const { client, handle, port } = await accepted()
  await ports.open(
    createServer((socket) => opened.push(socket)),
    port,
    '127.0.0.1',
  )
  ports.receive(handle)
  let isDrained = false
  const first = ports.drain().then(() => {
    isDrained = true
  })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(isDrained).toBe(false)
  client.destroy()
  await first
})

test('the process is idle after five to ten minutes without a connection', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  let idle = 0
  const ports = createReceivedPorts(() => idle++)
  const { client, handle, port } = await accepted()
  let served: Socket | undefined
  await ports.open(
    createServer((socket) => {
      served = socket
    }),
    port,
    '127.0.0.1',
  )
  vi.advanceTimersByTime(300_000)
  ports.receive(handle)
  vi.advanceTimersByTime(600_000)
  expect(idle).toBe(0)
  client.destroy()
  served!.destroy()
  await once(served!, 'close')
  vi.advanceTimersByTime(300_000)
  expect(idle).toBe(0)
  vi.advanceTimersByTime(300_000)
  expect(idle).toBe(1)
})
