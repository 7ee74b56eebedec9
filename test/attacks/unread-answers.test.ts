/** Clients that request long answers and do not read them, against the built program. */
import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type NodeProcess, startProcess } from '../support/process.ts'
import { ask } from '../support/rpc.ts'

const MB = 1_000_000
const ATTACK_MS = 12_000
/** Limit of the growth of the resident set. Without a budget it is gigabytes. */
const LIMIT_BYTES = 512 * MB
/** Returns two megabytes of zeros: PUSH3 size, PUSH0, RETURN. */
const LONG_ANSWER = '0x620fffff5ff3'

const call = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'eth_call',
  params: [{ to: `0x${'c0'.repeat(20)}` }, 'latest', { [`0x${'c0'.repeat(20)}`]: { code: LONG_ANSWER } }],
})

/** Watches the resident set and the time of an honest request while an attack runs. */
async function survive(node: NodeProcess, ms: number): Promise<{ peakBytes: number; slowestMs: number }> {
  const idle = node.memoryBytes()
  const end = performance.now() + ms
  let peakBytes = 0
  let slowestMs = 0
  while (performance.now() < end) {
    const begun = performance.now()
    expect((await ask(node.config, 'eth_chainId')).result).toBe('0x1b12')
    slowestMs = Math.max(slowestMs, performance.now() - begun)
    peakBytes = Math.max(peakBytes, node.memoryBytes() - idle)
    await new Promise((done) => setTimeout(done, 50))
  }
  return { peakBytes, slowestMs }
}

test('300 HTTP clients that never read cannot fill the memory, and others are answered', async () => {
  await using node = await startProcess(['--ephemeral'])
  await ask(node.config, 'eth_call', call(1).params)
  const { hostname, port } = new URL(node.config.urls.jsonrpc)
  const body = JSON.stringify(Array.from({ length: 12 }, (_, i) => call(i)))
  const request = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const sockets: Socket[] = []
  for (let i = 0; i < 300; i++) {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => socket.destroy())
    socket.pause()
    // The second request waits until the answer to the first is taken.
    socket.write(request + request)
    sockets.push(socket)
  }
  const { peakBytes } = await survive(node, ATTACK_MS)
  for (const socket of sockets) socket.destroy()
  expect(peakBytes).toBeLessThan(LIMIT_BYTES)
  expect((await ask(node.config, 'eth_call', call(1).params)).result).toMatch(/^0x0+$/)
})

test('40 WebSocket clients that never read cannot fill the memory, and others are answered', async () => {
  await using node = await startProcess(['--ephemeral'])
  await ask(node.config, 'eth_call', call(1).params)
  const clients = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const client = new WebSocket(node.config.urls.ws)
      client.on('error', () => client.terminate())
      await new Promise((done) => client.once('open', done))
      client.pause()
      for (let i = 0; i < 100; i++) client.send(JSON.stringify(call(i)))
      return client
    }),
  )
  const { peakBytes } = await survive(node, ATTACK_MS)
  for (const client of clients) client.terminate()
  expect(peakBytes).toBeLessThan(LIMIT_BYTES)
})

test('40 gRPC clients with 250 calls each that take no byte cannot fill the memory, and others are answered', async () => {
  await using node = await startProcess(['--ephemeral', '--accounts', '300'])
  await ask(node.config, 'eth_chainId')
  // Every account in one page: the first field of the page request is its limit.
  const limit = Buffer.from([0, 0, 0, 0, 5, 0x0a, 0x03, 0x18, 0xe8, 0x07])
  const clients = Array.from({ length: 40 }, () => {
    const session = connectHttp2(`http://${node.config.urls.grpc}`, { settings: { initialWindowSize: 0 } })
    session.on('error', () => session.destroy())
    for (let i = 0; i < 250; i++) {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/sdk.auth.v1beta1.Query/Accounts',
        'content-type': 'application/grpc',
        te: 'trailers',
      })
      stream.on('error', () => {})
      stream.end(limit)
    }
    return session
  })
  const { peakBytes } = await survive(node, ATTACK_MS)
  for (const client of clients) client.destroy()
  expect(peakBytes).toBeLessThan(LIMIT_BYTES)
})
