/** gRPC-web on the port of REST, with frames made by hand. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StatusSchema } from '../../gen/google/rpc/status_pb.ts'
import {
  HealthCheckRequestSchema,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as Serving,
} from '../../gen/grpc/health/v1/health_pb.ts'
import { QueryAccountRequestSchema, QueryAccountResponseSchema } from '../../gen/sdk/auth/v1beta1/query_pb.ts'
import { QueryBalanceRequestSchema, QueryBalanceResponseSchema } from '../../gen/sdk/bank/v1beta1/query_pb.ts'
import { type Node, startNode } from '../../index.ts'

const BALANCE = '/cosmos.bank.v1beta1.Query/Balance'
const PAGE = 'https://wallet.example'
const BODY_LIMIT = 4096

let node: Node
let holder: string

beforeAll(async () => {
  node = await startNode({ api: { cors: [PAGE], bodyLimit: BODY_LIMIT } })
  holder = node.accounts.find(({ path }) => path.startsWith("m/44'/118'"))!.bech32
})
afterAll(() => node.stop())

function framed(message: Uint8Array, flag = 0): Buffer {
  const head = Buffer.from([flag, 0, 0, 0, 0])
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

const balanceOf = (address: string) =>
  framed(toBinary(QueryBalanceRequestSchema, create(QueryBalanceRequestSchema, { address, denom: 'unative' })))

const post = (path: string, body: Buffer | string, headers: Record<string, string> = {}) =>
  fetch(node.urls.rest + path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/grpc-web+proto', 'x-grpc-web': '1', ...headers },
  })

interface Frames {
  readonly messages: Buffer[]
  readonly trailers: Record<string, string>
}

function parse(bytes: Buffer): Frames {
  const messages: Buffer[] = []
  let trailers: Record<string, string> = {}
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at + 1)
    const content = bytes.subarray(at + 5, at + 5 + length)
    if (bytes[at] === 0x80) {
      const lines = content.toString('latin1').split('\r\n').filter(Boolean)
      trailers = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
      )
    } else messages.push(content)
    at += 5 + length
  }
  return { messages, trailers }
}

async function call(path: string, body: Buffer | string, headers?: Record<string, string>): Promise<Frames> {
  const response = await post(path, body, headers)
  expect(response.status).toBe(200)
  return parse(Buffer.from(await response.arrayBuffer()))
}

describe('a unary call', () => {
  test('answers with a message and trailers, under every name of its service', async () => {
    for (const path of [BALANCE, '/sdk.bank.v1beta1.Query/Balance']) {
      const { messages, trailers } = await call(path, balanceOf(holder))
      expect(trailers).toEqual({ 'grpc-status': '0' })
      expect(messages.map((bytes) => fromBinary(QueryBalanceResponseSchema, bytes).balance)).toMatchObject([
        { denom: 'unative', amount: '1000000000000' },
      ])
    }
  })

  test('answers base64 text with base64 text', async () => {
    const response = await post(BALANCE, balanceOf(holder).toString('base64'), {
      'content-type': 'application/grpc-web-text',
    })
    expect(response.headers.get('content-type')).toBe('application/grpc-web-text+proto')
    const { messages, trailers } = parse(Buffer.from(await response.text(), 'base64'))
    expect(trailers['grpc-status']).toBe('0')
    expect(fromBinary(QueryBalanceResponseSchema, messages[0]!).balance!.amount).toBe('1000000000000')
  })

  test('names types in the family of its question', async () => {
    const request = framed(toBinary(QueryAccountRequestSchema, create(QueryAccountRequestSchema, { address: holder })))
    for (const family of ['cosmos', 'sdk']) {
      const { messages } = await call(`/${family}.auth.v1beta1.Query/Account`, request)
      const { account } = fromBinary(QueryAccountResponseSchema, messages[0]!)
      expect(account!.typeUrl).toBe(`/${family}.auth.v1beta1.BaseAccount`)
    }
  })

  test('reads the height that its headers name, and names it', async () => {
    await node.nextBlock()
    const response = await post(BALANCE, balanceOf(holder), { 'x-cosmos-block-height': '1' })
    expect(response.headers.get('x-cosmos-block-height')).toBe('1')
    expect(parse(Buffer.from(await response.arrayBuffer())).trailers).toEqual({ 'grpc-status': '0' })
    const { trailers } = await call(BALANCE, balanceOf(holder), { 'x-cosmos-block-height': '999999' })
    expect(trailers['grpc-status']).not.toBe('0')
    expect((await call(BALANCE, balanceOf(holder), { 'x-cosmos-block-height': 'x' })).trailers['grpc-status']).toBe('3')
  })
})

describe('a failure is in the trailers', () => {
  test('with code, message and details', async () => {
    const { messages, trailers } = await call(BALANCE, balanceOf('chain1é%'))
    expect(messages).toEqual([])
    expect(trailers['grpc-status']).toBe('3')
    expect(decodeURIComponent(trailers['grpc-message']!)).toContain("invalid character in string: 'é'")
    const details = trailers['grpc-status-details-bin']
    if (details) expect(fromBinary(StatusSchema, Buffer.from(details, 'base64')).code).toBe(3)
  })

  test.each([
    ['3', 'no whole gRPC-web frame', BALANCE, Buffer.alloc(3)],
    ['3', 'expected one frame', BALANCE, framed(Buffer.alloc(0)).fill(9, 4)],
    ['3', 'expected one frame', BALANCE, Buffer.concat([framed(Buffer.alloc(0)), framed(Buffer.alloc(0))])],
    ['3', 'not an encoded cosmos.bank.v1beta1.QueryBalanceRequest', BALANCE, framed(Buffer.from([0xff]))],
    ['12', 'compressed messages are not supported', BALANCE, framed(Buffer.alloc(0), 1)],
    [
      '12',
      'unknown method /cosmos.bank.v1beta1.Query/Nope',
      '/cosmos.bank.v1beta1.Query/Nope',
      framed(Buffer.alloc(0)),
    ],
    ['12', 'unknown method', '/cosmos.bank.v1beta1.Msg/Send', framed(Buffer.alloc(0))],
    ['8', `larger than ${BODY_LIMIT} bytes`, BALANCE, Buffer.alloc(BODY_LIMIT + 1)],
    ['8', `larger than ${BODY_LIMIT} bytes`, BALANCE, Buffer.alloc(BODY_LIMIT * 8)],
    ['5', 'unknown service', '/grpc.health.v1.Health/Check', framed(Buffer.from([0x0a, 1, 0x78]))],
  ])('code %s: %s', async (code, text, path, body) => {
    const { messages, trailers } = await call(path, body)
    expect(trailers['grpc-status']).toBe(code)
    expect(decodeURIComponent(trailers['grpc-message']!)).toContain(text)
    expect(messages).toEqual([])
  })

  test('of text that is not base64', async () => {
    const response = await post(BALANCE, '§§§§', { 'content-type': 'application/grpc-web-text+proto' })
    const { trailers } = parse(Buffer.from(await response.text(), 'base64'))
    expect(trailers['grpc-status']).toBe('3')
  })

  test('of a time that has passed', async () => {
    const { trailers } = await call('/chain.evm.v1.Query/EthCall', framed(Buffer.alloc(0)), { 'grpc-timeout': '1n' })
    expect(['3', '4']).toContain(trailers['grpc-status'])
  })
})

for (const isText of [false, true]) {
  test(`a server stream sends its messages as they come, as ${isText ? 'text' : 'bytes'}`, async () => {
    const request = framed(toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema, {})))
    const stop = new AbortController()
    const response = await fetch(`${node.urls.rest}/grpc.health.v1.Health/Watch`, {
      method: 'POST',
      body: isText ? request.toString('base64') : request,
      headers: { 'content-type': `application/grpc-web${isText ? '-text' : ''}` },
      signal: stop.signal,
    })
    const { value } = await response.body!.getReader().read()
    const first = isText ? Buffer.from(Buffer.from(value!).toString('latin1'), 'base64') : Buffer.from(value!)
    const { messages } = parse(first)
    expect(fromBinary(HealthCheckResponseSchema, messages[0]!).status).toBe(Serving.SERVING)
    stop.abort()
  })
}

test('a stream ends with trailers when the node stops', async () => {
  const own = await startNode()
  const request = framed(Buffer.alloc(0))
  const headers = { 'content-type': 'application/grpc-web' }
  const response = await fetch(`${own.urls.rest}/grpc.health.v1.Health/Watch`, {
    method: 'POST',
    body: request,
    headers,
  })
  const whole = response.arrayBuffer()
  await own.stop()
  const { messages, trailers } = parse(Buffer.from(await whole))
  expect([messages.length, trailers]).toEqual([1, { 'grpc-status': '0' }])
})

describe('pages of other origins', () => {
  const preflight = (origin: string, path = BALANCE) =>
    fetch(node.urls.rest + path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-grpc-web' },
    })

  test('can ask where the setting allows it', async () => {
    const allowed = await preflight(PAGE)
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, PAGE])
    expect(allowed.headers.get('access-control-allow-methods')).toBe('POST, OPTIONS')
    for (const name of ['content-type', 'x-grpc-web', 'x-user-agent', 'grpc-timeout', 'x-cosmos-block-height']) {
      expect(allowed.headers.get('access-control-allow-headers')!.split(', ')).toContain(name)
    }
    const refused = await preflight('https://other.example')
    expect(refused.headers.get('access-control-allow-origin')).toBeNull()
    expect((await preflight(PAGE, '/cosmos.bank.v1beta1.Query/Nope')).status).toBe(404)
  })

  test('can read the answer and its trailers', async () => {
    const response = await post(BALANCE, balanceOf(holder), { origin: PAGE })
    expect(response.headers.get('access-control-allow-origin')).toBe(PAGE)
    expect(response.headers.get('access-control-expose-headers')).toContain('grpc-status')
    await response.arrayBuffer()
  })
})

test('JSON under a path of gRPC is not gRPC-web', async () => {
  const response = await post(BALANCE, '{}', { 'content-type': 'application/json' })
  expect(response.status).toBe(404)
})
