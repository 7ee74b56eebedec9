import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { startNode } from '../../node/start.ts'

/** Sends a request as Java's `HttpClient` does, in parts, and returns all that the server answers. */
async function send(url: string, head: readonly string[], parts: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const answer = text(socket)
  await once(socket, 'connect')
  socket.write(`${head.join('\r\n')}\r\n\r\n${parts[0] ?? ''}`)
  for (const part of parts.slice(1)) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    socket.write(part)
  }
  return answer
}

const H2C = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAEAAEAAAAIAAAAA']

test('a client that offers HTTP/2 in clear text is answered over HTTP/1.1 by every HTTP gateway', async () => {
  await using node = await startNode({ blocks: { time: 'manual' } })
  for (const [url, method, result] of [
    [node.urls.jsonrpc!, 'eth_chainId', '"result":"0x1b12"'],
    [node.urls.comet!, 'health', '"result":{}'],
  ] as const) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: method === 'health' ? {} : [] })
    const head = ['POST / HTTP/1.1', 'Host: localhost', ...H2C, 'Content-Type: application/json']
    const whole = await send(url, [...head, `Content-Length: ${body.length}`], [body.slice(0, 9), body.slice(9)])
    expect(whole).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(whole).toContain(result)
    expect(await send(url, [...head, 'Transfer-Encoding: chunked'], [])).toMatch(/^HTTP\/1\.1 411 /)
  }
  expect(await send(node.urls.jsonrpc!, ['GET / HTTP/1.1', 'Host: localhost', ...H2C], [])).toMatch(/^HTTP\/1\.1 200 /)
})
