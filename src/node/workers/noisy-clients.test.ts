import { connect, createServer, type Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { createNoisyClients, type Handle } from './noisy-clients.ts'

const CLIENT = '127.0.0.1'

/** A process whose clock the test moves, and where the client is greedy as long as the test says so. */
async function world({ trustedProxies = [] as readonly string[] } = {}) {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  let now = 0
  let isGreedy = true
  let asked = 0
  const left: string[] = []
  const found: string[] = []
  const sent: { readonly handle: Handle; readonly done: () => void }[] = []
  const noisy = createNoisyClients({
    turns: { greedy: () => (isGreedy ? [CLIENT] : []) },
    processorShare: () => 1,
    trustedProxies,
    onNoisy: (address) => found.push(address),
    ask: () => asked++,
    send: (handle, done) => sent.push({ handle, done }),
    elapsed: () => now,
  })
  const served: Socket[] = []
  const server = createServer((socket) => served.push(socket))
  const { port } = await noisy.open(server, 0, CLIENT)
  noisy.watch({ leave: (address) => left.push(address) })
  const clients: Socket[] = []
  const open = async (): Promise<Socket> => {
    const before = served.length + sent.length
    const client = connect(port, CLIENT)
    client.on('error', () => {})
    clients.push(client)
    await new Promise((resolve) => client.once('connect', resolve))
    for (let i = 0; i < 50 && served.length + sent.length === before && !client.closed; i++) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return client
  }
  return {
    noisy,
    served,
    sent,
    left,
    found,
    open,
    asked: () => asked,
    calm() {
      isGreedy = false
    },
    pass(ms: number) {
      now += ms
      vi.advanceTimersByTime(250)
    },
    async [Symbol.asyncDispose]() {
      vi.useRealTimers()
      for (const { done } of sent) done()
      for (const socket of [...clients, ...served]) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

afterEach(() => void vi.useRealTimers())

test('connections of a noisy address are served here until the other process is open, and then handed over unread', async () => {
  await using at = await world()
  at.pass(0)
  expect(at.asked()).toBe(1)
  expect(at.noisy.leaves(CLIENT)).toBe(false)
  await at.open()
  expect([at.served.length, at.sent.length]).toEqual([1, 0])

  at.noisy.setOpen(true)
  at.pass(0)
  // What is connected is asked to connect again.
  expect(at.left).toEqual([CLIENT])
  const client = await at.open()
  client.write('hello')
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect([at.served.length, at.sent.length]).toEqual([1, 1])

  at.noisy.setOpen(false)
  await at.open()
  expect([at.served.length, at.sent.length]).toEqual([2, 1])
})

test('one connection is handed over at a time, since messages to the main process wait for it', async () => {
  await using at = await world()
  at.noisy.setOpen(true)
  at.pass(0)
  await at.open()
  await at.open()
  expect(at.sent).toHaveLength(1)
  at.sent[0]!.done()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(at.sent).toHaveLength(2)
})

test('an address is noisy for five minutes after it was greedy', async () => {
  await using at = await world()
  at.noisy.setOpen(true)
  at.pass(0)
  at.calm()
  at.pass(299_000)
  expect(at.noisy.leaves(CLIENT)).toBe(true)
  at.pass(2_000)
  expect(at.noisy.leaves(CLIENT)).toBe(false)
  expect(at.found).toEqual([CLIENT])
})

test('an address that goes on in the process of noisy clients stays noisy, and no other becomes so', async () => {
  await using at = await world()
  at.noisy.setOpen(true)
  at.pass(0)
  at.calm()
  at.pass(299_000)
  at.noisy.keep([CLIENT, '127.0.0.2'])
  at.pass(299_000)
  expect(at.noisy.leaves(CLIENT)).toBe(true)
  expect(at.noisy.leaves('127.0.0.2')).toBe(false)
  at.pass(2_000)
  expect(at.noisy.leaves(CLIENT)).toBe(false)
})

test('a trusted proxy is never noisy', async () => {
  await using at = await world({ trustedProxies: ['loopback'] })
  at.noisy.setOpen(true)
  at.pass(0)
  expect(at.noisy.leaves(CLIENT)).toBe(false)
  expect(at.asked()).toBe(0)
})
