/** Requests that a client pipelines behind one whose answer takes long, against the built program. */
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { callOf, ENDLESS } from '../support/attacks/code.ts'
import { GROWTH_LIMIT_BYTES } from '../support/attacks/survive.ts'
import { ATTACKER_ADDRESS } from '../support/attacks/target.ts'
import { startProcess } from '../support/process.ts'
import { ask } from '../support/rpc.ts'

const MB = 1_000_000

test('a node reads few further requests of a client before it has answered the first', async () => {
  await using node = await startProcess(['--ephemeral', '--evm-timeout', '1h', '--evm-gas-cap', '1000000000'])
  const { hostname, port } = new URL(node.config.urls.jsonrpc)
  const body = JSON.stringify(callOf(ENDLESS))
  const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  const socket = connect(Number(port), hostname)
  socket.on('error', () => socket.destroy())
  socket.write(`${head}\r\n\r\n${body}`)
  const more = Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(4000))
  const idle = node.memoryBytes()
  // Requests without end; the buffers of the system take a few megabytes of them.
  let sentBytes = 0
  const sendMore = (): void => {
    socket.write(more, (error) => {
      if (error) return
      sentBytes += more.length
      if (sentBytes < 100 * MB) sendMore()
    })
  }
  sendMore()
  await new Promise((done) => setTimeout(done, 4000))
  expect(sentBytes).toBeLessThan(30 * MB)
  expect(node.memoryBytes() - idle).toBeLessThan(200 * MB)
  expect((await ask(node.config, 'eth_chainId')).result).toBe('0x1b12')
  socket.destroy()
})

/** Limit that only catches a thread that parses all requests in one turn: it answers nobody for more than 20 s on a busy machine. */
const LONGEST_WAIT_MS = 8000

test('300 clients that pipeline thousands of short requests keep no other waiting, and cannot fill the memory', async () => {
  await using node = await startProcess(['--ephemeral'])
  const { hostname, port } = new URL(node.config.urls.jsonrpc)
  const body = JSON.stringify(callOf(ENDLESS))
  const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  const requests = `${head}\r\n\r\n${body}${'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(4000)}`
  await ask(node.config, 'eth_chainId')
  const idle = node.memoryBytes()
  const sockets = Array.from({ length: 300 }, () => {
    const socket = connect({ host: hostname, port: Number(port), localAddress: ATTACKER_ADDRESS })
    return socket.on('error', () => socket.destroy()).on('connect', () => socket.write(requests))
  })
  let peakBytes = 0
  let longestMs = 0
  const end = performance.now() + 10_000
  while (performance.now() < end) {
    const begun = performance.now()
    expect((await ask(node.config, 'eth_chainId')).result).toBe('0x1b12')
    longestMs = Math.max(longestMs, performance.now() - begun)
    peakBytes = Math.max(peakBytes, node.memoryBytes() - idle)
  }
  for (const socket of sockets) socket.destroy()
  expect(longestMs).toBeLessThan(LONGEST_WAIT_MS)
  expect(peakBytes).toBeLessThan(GROWTH_LIMIT_BYTES)
})
