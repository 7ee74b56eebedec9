/** Clients whose requests never arrive whole, against the built program. */
import { once } from 'node:events'
import { connect as connectHttp2, type Http2Session } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startProcess } from '../support/process.ts'
import { ask } from '../support/rpc.ts'

const MB = 1_000_000
/** Time within which every slow client is disconnected, with the delays of a busy machine. */
const LIMIT_MS = 18_000

/** Opens a connection and sends a text. */
function open(url: string, text: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => socket.destroy())
  socket.resume()
  if (text !== '') socket.write(text)
  return socket
}

/** Sends one more byte each second. */
function trickle(socket: Socket, text = 'x'): Socket {
  const timer = setInterval(() => socket.write(text), 1000)
  socket.once('close', () => clearInterval(timer))
  return socket
}

/** Waits until a connection is closed. Rejects after the limit. */
function ended(name: string, client: Socket | WebSocket | Http2Session): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name} is still connected`)), LIMIT_MS)
    client.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

const POST = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
const UPGRADE = 'GET /websocket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n'

test('connections without a whole request are closed within 15 seconds, and idle WebSocket clients stay', async () => {
  await using node = await startProcess(['--ephemeral', '--metrics-enabled', '--metrics-port', '0'])
  const { rest, jsonrpc, ws, comet, metrics, grpc } = node.config.urls
  const idle = new WebSocket(ws)
  await once(idle, 'open')
  idle.ping()
  idle.pong()
  const clients: [string, Socket | WebSocket | Http2Session][] = []
  for (const [name, url] of Object.entries({ rest, jsonrpc, ws, comet, metrics: metrics!, grpc: `http://${grpc}` })) {
    clients.push([`a silent client of ${name}`, open(url, '')])
  }
  for (const [name, url] of Object.entries({ rest, jsonrpc, comet, metrics: metrics! })) {
    clients.push([`a slow head for ${name}`, trickle(open(url, 'GET / HTTP/1.1\r\nHost: localhost\r\nX: '))])
    clients.push([`a slow body for ${name}`, trickle(open(url, `${POST}Content-Length: 1000\r\n\r\n{`))])
  }
  for (const [name, url] of Object.entries({ jsonrpc, ws, comet })) {
    clients.push([`a slow handshake with ${name}`, trickle(open(url, `${UPGRADE}X: `))])
  }
  clients.push(['a slow preface for gRPC', trickle(open(`http://${grpc}`, 'PRI * HTTP/2.0\r\n'), '\r')])
  for (const url of [ws, `${comet.replace('http', 'ws')}/websocket`]) {
    const socket = new WebSocket(url)
    await once(socket, 'open')
    // The head of a masked text frame of 60,000 bytes, without its end.
    const raw = (socket as unknown as { _socket: Socket })._socket
    raw.write(Buffer.from([0x81, 0xfe, 0xea, 0x60, 0, 0, 0, 0]))
    trickle(raw)
    clients.push([`a slow message to ${url}`, socket])
  }
  const session = connectHttp2(`http://${grpc}`)
  session.on('error', () => session.destroy())
  const stream = session.request({
    ':method': 'POST',
    ':path': '/sdk.auth.v1beta1.Query/Accounts',
    'content-type': 'application/grpc',
    te: 'trailers',
  })
  stream.on('error', () => {})
  stream.write(Buffer.from([0, 0, 0, 0, 100, 1]))
  const [headers] = await Promise.all([
    once(stream, 'response').then(([first]) => first as Record<string, string>),
    ended('a slow message of gRPC', session),
    ...clients.map(([name, client]) => ended(name, client)),
  ])
  expect([headers['grpc-status'], headers['grpc-message']]).toEqual([
    '4',
    encodeURI('the request did not arrive within 12 s'),
  ])
  idle.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' }))
  const [answer] = await once(idle, 'message')
  expect(JSON.parse(String(answer)).result).toBe('0x1b12')
  idle.terminate()
})

test('200 unfinished bodies of five megabytes do not fill the memory, and others are answered', async () => {
  await using node = await startProcess(['--ephemeral'])
  await ask(node.config, 'eth_chainId')
  const idle = node.memoryBytes()
  const body = Buffer.alloc(5 * MB, 0x20)
  const request = `${POST}Content-Length: ${body.length + 1}\r\n\r\n`
  const clients = Array.from({ length: 200 }, () => {
    const socket = open(node.config.urls.jsonrpc, request)
    socket.write(body)
    return socket
  })
  let peakBytes = 0
  for (const end = performance.now() + 4000; performance.now() < end; ) {
    expect((await ask(node.config, 'eth_chainId')).result).toBe('0x1b12')
    peakBytes = Math.max(peakBytes, node.memoryBytes() - idle)
    await new Promise((done) => setTimeout(done, 50))
  }
  for (const client of clients) client.destroy()
  expect(peakBytes).toBeLessThan(512 * MB)
})

test('connections that send nothing do not lock others out', async () => {
  await using node = await startProcess(['--ephemeral', '--api-connections', '50'])
  const { rest, jsonrpc, comet, grpc } = node.config.urls
  const clients: Socket[] = []
  // An idle connection to reuse would itself be one that makes room.
  const own = { connection: 'close' }
  const chainId = {
    method: 'POST',
    headers: { ...own, 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
  }
  for (let round = 0; round < 5; round++) {
    for (const url of [rest, jsonrpc, comet, `http://${grpc}`]) {
      for (let i = 0; i < 40; i++) clients.push(open(url, ''))
    }
    await new Promise((done) => setTimeout(done, 100))
    expect(await (await fetch(jsonrpc, chainId)).json()).toMatchObject({ result: '0x1b12' })
    expect((await fetch(`${rest}/chain/evm/v1/params`, { headers: own })).status).toBe(200)
  }
  await expect.poll(() => clients.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(50)
  for (const client of clients) client.destroy()
})

test('clients that disconnect within a body write nothing into the log', async () => {
  await using node = await startProcess(['--ephemeral'])
  const { rest, jsonrpc, comet } = node.config.urls
  const before = node.stderr()
  const targets = [`${rest} /cosmos/tx/v1beta1/txs`, `${jsonrpc} /`, `${comet} /`].map((text) => text.split(' '))
  for (let round = 0; round < 20; round++) {
    for (const [url, path] of targets) {
      const socket = open(url!, `${POST.replace('/', path!)}Content-Length: 1000\r\n\r\n{`)
      await once(socket, 'connect')
      setTimeout(() => socket.resetAndDestroy(), 50)
    }
  }
  await new Promise((done) => setTimeout(done, 500))
  expect((await ask(node.config, 'eth_chainId')).result).toBe('0x1b12')
  expect(node.stderr()).toBe(before)
})

test('a request with two Host headers is refused, over HTTP and WebSocket', async () => {
  await using node = await startProcess(['--ephemeral'])
  const { rest, jsonrpc, comet } = node.config.urls
  const two = 'Host: localhost\r\nHost: evil.example\r\n'
  for (const url of [rest, jsonrpc, comet]) {
    for (const more of ['', 'Connection: Upgrade\r\nUpgrade: websocket\r\n']) {
      const [answer] = await once(open(url, `GET /websocket HTTP/1.1\r\n${two}${more}\r\n`), 'data')
      expect(String(answer)).toMatch(/^HTTP\/1.1 400 /)
    }
  }
})
