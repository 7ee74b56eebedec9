/** Requests that a client pipelines without reading the answers, against the built program. */
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startProcess } from '../support/process.ts'
import { ask } from '../support/rpc.ts'

const MB = 1_000_000
/** Returns two megabytes of zeros: PUSH3 size, PUSH0, RETURN. */
const LONG_ANSWER = '0x620fffff5ff3'

function post(body: string): string {
  return `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

test('a node reads no further request of a client that does not read the answers', async () => {
  await using node = await startProcess(['--ephemeral'])
  const { hostname, port } = new URL(node.config.urls.jsonrpc)
  const to = `0x${'c0'.repeat(20)}`
  const long = [{ to }, 'latest', { [to]: { code: LONG_ANSWER } }]
  await ask(node.config, 'eth_call', long)
  const batch = JSON.stringify(
    Array.from({ length: 8 }, () => ({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: long })),
  )
  const socket = connect(Number(port), hostname)
  socket.on('error', () => socket.destroy())
  socket.pause()
  socket.write(post(batch))
  const small = Buffer.from(post('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}').repeat(1000))
  const idle = node.memoryBytes()
  // Sixty megabytes of requests; the buffers of the system take a few of them.
  for (let i = 0; i < 400; i++) socket.write(small)
  await new Promise((done) => setTimeout(done, 4000))
  expect(socket.bytesWritten - socket.writableLength).toBeLessThan(20 * MB)
  expect(node.memoryBytes() - idle).toBeLessThan(200 * MB)
  expect((await ask(node.config, 'eth_chainId')).result).toBe('0x1b12')
  socket.destroy()
})
