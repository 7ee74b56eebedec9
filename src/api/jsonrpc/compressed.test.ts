import { once } from 'node:events'
import { type IncomingHttpHeaders, request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startNode } from '../../node/start.ts'

let node: Awaited<ReturnType<typeof startNode>>
beforeAll(async () => {
  node = await startNode({ blocks: { time: 'manual' } })
})
afterAll(() => node.stop())

const OWNER = `0x${'c0'.repeat(20)}`

/** A call of code that returns memory of a length, which is zero. */
const callOf = (length: number) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'eth_call',
  params: [
    { to: OWNER },
    'latest',
    // PUSH3 length, PUSH0, RETURN.
    { [OWNER]: { code: `0x62${length.toString(16).padStart(6, '0')}5ff3` } },
  ],
})

/** Asks without a client that decompresses. */
async function ask(
  body: unknown,
  encodings?: string,
): Promise<{ readonly headers: IncomingHttpHeaders; readonly bytes: Buffer }> {
  const sent = request(node.urls.jsonrpc!, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(encodings !== undefined && { 'Accept-Encoding': encodings }) },
  })
  sent.end(JSON.stringify(body))
  const [response] = await once(sent, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return { headers: response.headers, bytes: Buffer.concat(chunks) }
}

/** Bytes of the result: a text, a text that a thread compresses, and a result that is sent in parts. */
const LENGTHS = [3000, 60_000, 1_000_000]

test.each(LENGTHS)('an answer of %i bytes is compressed for clients that accept gzip', async (length) => {
  const plain = await ask(callOf(length))
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(JSON.parse(plain.bytes.toString()).result).toHaveLength(2 + length * 2)
  const packed = await ask(callOf(length), 'gzip, deflate, br')
  expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': 'application/json' })
  expect(packed.headers.vary).toContain('Accept-Encoding')
  expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 20)
  expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true)
})

test('a batch and an error are compressed as a whole', async () => {
  const batch = Array(3).fill(callOf(200_000))
  const plain = await ask(batch)
  const packed = await ask(batch, 'gzip')
  expect(packed.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true)
  // It reverts with 5,000 bytes.
  const long = { jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ data: '0x6113885ffd' }, 'latest'] }
  const refusal = await ask(long, 'gzip')
  expect(JSON.parse(gunzipSync(refusal.bytes).toString()).error.code).toBe(3)
})

test('short answers, and answers to clients that refuse gzip, are not compressed', async () => {
  const short = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }
  for (const [body, encodings] of [
    [short, 'gzip'],
    [callOf(1000), 'gzip'],
    [callOf(60_000), 'gzip;q=0'],
    [callOf(60_000), 'deflate, br'],
    [callOf(1_000_000), 'identity'],
  ] as const) {
    const { headers, bytes } = await ask(body, encodings)
    expect(headers['content-encoding']).toBeUndefined()
    expect(JSON.parse(bytes.toString())).toMatchObject({ id: 1 })
  }
})

test('a client that leaves while a long answer is compressed holds no bytes of the node', async () => {
  const sent = request(node.urls.jsonrpc!, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Accept-Encoding': 'gzip' },
  })
  sent.end(JSON.stringify(Array(10).fill(callOf(1_000_000))))
  const [response] = await once(sent, 'response')
  response.destroy()
  sent.destroy()
  const after = await ask(callOf(60_000), 'gzip')
  expect(JSON.parse(gunzipSync(after.bytes).toString()).result).toHaveLength(120_002)
})
