import { request as httpRequest } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { create, type Message } from '@bufbuild/protobuf'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HeightBoundsSchema } from '../../gen/chain/errors/v1/errors_pb.ts'
import { queryError } from '../../primitives/errors.ts'
import type { GatewayNode } from '../gateway.ts'
import { echoMethods, gatewayNode } from '../testing.ts'
import type { GatewayServer } from '../transport/http-server.ts'
import { createRestHandler, createRestServer } from './rest.ts'

const ECHO = '/demo.echo.v1.Query/'
let server: GatewayServer
let port = 0

const same = (request: Message): Message => request

beforeAll(async () => {
  const queries: Record<string, (request: never, height: bigint) => Message> = {}
  for (const method of echoMethods) queries[ECHO + method.name] = same
  queries[`${ECHO}Throws`] = () => {
    throw new Error('secret inside')
  }
  const bounds = create(HeightBoundsSchema, { requested: 5n, earliest: 10n, latest: 20n })
  const services = new Map([
    [
      `${ECHO}Waits`,
      (request: Message, { signal }: { signal?: AbortSignal | undefined }) =>
        new Promise<Message>((resolve, reject) => {
          setTimeout(() => resolve(request), 300)
          signal?.addEventListener('abort', () => reject(queryError('cancelled', 'gone', [bounds])))
        }),
    ],
  ])
  delete queries[`${ECHO}Waits`]
  server = createRestServer(gatewayNode({ queries, services }), {
    rpcs: echoMethods,
    extra: (path) => (path === '/readyz' ? { status: 503, body: '{"status":"halted"}' } : undefined),
  })
  port = (await server.listen(0, '127.0.0.1')).port
})

afterAll(() => server.close())

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly bytes: Buffer
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers as JSON
  readonly json: any
}

/** Sends a target exactly as written: no client library normalises it. */
function ask(
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string | string[]>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const req = httpRequest({ port, host: '127.0.0.1', path, method, headers: { ...headers, ...length } }, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk) => chunks.push(chunk))
      res.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const text = bytes.toString()
        let json: unknown
        try {
          json = JSON.parse(text)
        } catch {
          json = undefined
        }
        resolve({ status: res.statusCode!, headers: res.headers, bytes, text, json })
      })
    })
    req.on('error', reject)
    req.end(body)
  })
}

describe('paths', () => {
  const values: readonly [string, string][] = [
    ['/chain/echo/a+b%20c%2Bd', 'a+b c+d'],
    ['/chain/echo/', ''],
    ['/chain/echo/a:b', 'a:b'],
    ['/chain/echo/:b', ':b'],
    ['/chain/echo/a:b:c', 'a:b:c'],
    ['/chain/echo/a:', 'a:'],
    ['/chain/echo/a%2Fb', 'a/b'],
    ['/chain/echo/%E4%BD%A0', '你'],
    ['/chain/echo/%FF', '�'],
    ['/chain/mid/a%2Fb/x', 'a/b'],
    ['/chain/wild/a/b/c', 'a/b/c'],
    ['/chain/wild/a%2Fb/c', 'a/b/c'],
    ['/chain/wild/', ''],
    ['/chain/wild', ''],
  ]
  test.each(values)('%s binds %j', async (path, value) => {
    const { status, json } = await ask(path)
    expect([status, json.s]).toEqual([200, value])
  })

  const denoms: readonly [string, string][] = [
    ['/chain/denom/factory/chain1abc/sub', 'factory/chain1abc/sub'],
    ['/chain/denom/factory%2Fchain1abc%2Fsub', 'factory/chain1abc/sub'],
    ['/chain/denom/factory%252Fchain1abc%252fsub', 'factory/chain1abc/sub'],
    ['/chain/denom/ibc%3AABC', 'ibc:ABC'],
    ['/chain/denom?rest=ibc/ABC', 'ibc/ABC'],
    ['/chain/denom/', ''],
  ]
  test.each(denoms)('%s is a denom in any spelling (D4)', async (path, value) => {
    const { status, json } = await ask(path)
    expect([status, json.rest]).toEqual([200, value])
  })

  test('a literal segment goes before a variable', async () => {
    expect((await ask('/chain/echo/literal')).json.s).toBe('')
  })

  test.each([
    '/chain/nothing/',
    '/chain//nothing',
    '/Chain/nothing',
    '/chain/echo',
    '/chain/echo/a/b',
    '/chain/denom',
    '/nope',
    '/chain/./nothing',
  ])('%s is not a route: 404 code 5, never a redirection', async (path) => {
    const { status, json } = await ask(path)
    expect([status, json.code, json.details]).toEqual([404, 5, []])
    expect(json.error).toBe(json.message)
  })

  test('an unknown route names the nearest one', async () => {
    expect((await ask('/chain/nothin')).json.message).toContain('/chain/nothing')
  })

  test('a bad escape is a JSON error', async () => {
    const { status, json } = await ask('/chain/echo/%zz')
    expect([status, json.code]).toEqual([400, 3])
    expect(json.details[0]).toEqual({
      '@type': '/chain.errors.v1.FieldViolation',
      field: 'path',
      description: 'invalid URL escape "%zz"',
    })
  })

  const numbers: readonly [string, number, string][] = [
    ['/chain/num/5', 200, '5'],
    ['/chain/num/0x10', 200, '16'],
    ['/chain/num/5?height=7', 200, '5'],
    ['/chain/num/abc', 400, ''],
    ['/chain/num/', 400, ''],
    ['/chain/num/1.5', 400, ''],
    ['/chain/num/9223372036854775808', 400, ''],
  ]
  test.each(numbers)('%s answers %i', async (path, status, height) => {
    const answer = await ask(path)
    expect(answer.status).toBe(status)
    if (status === 200) expect(answer.json.height).toBe(height)
    else expect(answer.json.details[0].field).toBe('height')
  })

  test('enums are given by name or number', async () => {
    expect((await ask('/chain/enum/BOND_STATUS_BONDED')).json.enum).toBe('BOND_STATUS_BONDED')
    expect((await ask('/chain/enum/3')).json.enum).toBe('BOND_STATUS_BONDED')
    expect((await ask('/chain/enum/bonded')).status).toBe(400)
  })
})

describe('methods', () => {
  test('HEAD has the headers of GET and no body', async () => {
    const get = await ask('/chain/echo/x')
    const head = await ask('/chain/echo/x', { method: 'HEAD' })
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', String(get.text.length)])
  })

  test('OPTIONS lists the allowed methods', async () => {
    const { status, headers } = await ask('/chain/nothing', { method: 'OPTIONS' })
    expect([status, headers['allow']]).toEqual([204, 'GET, HEAD, OPTIONS'])
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s on a GET route is 405 code 12 with Allow', async (method) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-http-method-override': 'GET' }
    const { status, json, headers: answered } = await ask('/chain/nothing', { method, headers, body: 's=1' })
    expect([status, json.code, answered['allow']]).toEqual([405, 12, 'GET, HEAD, OPTIONS'])
  })

  test('GET on a POST route is 405, DELETE of nothing 404', async () => {
    expect((await ask('/chain/post')).status).toBe(405)
    expect((await ask('/nope', { method: 'DELETE' })).status).toBe(404)
  })

  test('a body is read leniently, up to its limit', async () => {
    const post = (body: string, type = 'application/json') =>
      ask('/chain/post', { method: 'POST', headers: { 'content-type': type }, body })
    expect((await post('')).json.s).toBe('')
    expect((await post('null')).json.s).toBe('')
    expect((await post('{"s":"a","snakeCase":"b","zz":1} trailing')).json).toMatchObject({ s: 'a', snake_case: 'b' })
    expect((await post('{"int64":" 5","uint64":7}')).json).toMatchObject({ int64: '5', uint64: '7' })
    for (const bad of ['[]', '{', '{"s":5}', '{"uint64":"-1"}', '{"int64":"0x10"}', '{"int64":5.5}', '{"enum":"X"}']) {
      expect([bad, (await post(bad)).status]).toEqual([bad, 400])
    }
    expect((await post('{"bytes":"-_8"}')).json.bytes).toBe('+/8=')
    expect((await post('{}', 'text/plain')).status).toBe(415)
    const headers = { 'content-type': 'application/json', 'content-encoding': 'GZIP' }
    const packed = await ask('/chain/post', { method: 'POST', headers, body: '{}' })
    expect([packed.status, packed.json.message]).toEqual([415, expect.stringContaining('Content-Encoding "gzip"')])
    const large = await post(`{"s":"${'x'.repeat(2000)}"}`)
    expect([large.status, large.json.code]).toEqual([413, 8])
  })
})

describe('heights', () => {
  test.each([
    ['x-sdk-block-height', '15'],
    ['X-Cosmos-Block-Height', '15'],
    ['Grpc-Metadata-X-Sdk-Block-Height', '15'],
  ])('%s selects the state', async (name, value) => {
    const { status, headers } = await ask('/chain/nothing', { headers: { [name]: value } })
    expect([status, headers['grpc-metadata-x-sdk-block-height'], headers['x-sdk-block-height']]).toEqual([
      200,
      '15',
      '15',
    ])
    expect(headers['cache-control']).toBe('private, max-age=31536000, immutable')
    expect(String(headers['vary']).split(', ')).toContain(name.toLowerCase())
  })

  test('an answer whose URL names its height has one list of headers that nginx can store', async () => {
    const { headers } = await ask('/chain/nothing?height=15')
    expect(headers['vary']).toBe('origin, accept-encoding, x-strict-parameters')
    expect(String(headers['vary']).length).toBeLessThan(128)
  })

  test('?height= selects the state, and other errors in the query of a request without fields are ignored', async () => {
    const { status, headers } = await ask('/chain/nothing?x=%zz&height=15')
    expect([status, headers['x-sdk-block-height']]).toEqual([200, '15'])
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
  })

  test('no height of a development chain is final: a revert replaces those before the latest too', async () => {
    const node = gatewayNode({
      services: new Map([[`${ECHO}Nothing`, (request: Message) => request]]),
      settings: { isDevelopment: true },
    })
    const answer = createRestHandler(node, { rpcs: echoMethods })
    const cacheControl = async (target: string) => (await answer(target)).headers['cache-control']
    expect(await cacheControl('/chain/nothing?height=20')).toBe('no-cache')
    expect(await cacheControl('/chain/nothing?height=19')).toBe('no-cache')
    expect(await cacheControl('/chain/nothing')).toBe('no-cache')
  })

  test('0 and an absent height are the latest', async () => {
    for (const headers of [{}, { 'x-sdk-block-height': '0' }]) {
      const answer = await ask('/chain/nothing', { headers })
      expect([answer.status, answer.headers['x-sdk-block-height'], answer.headers['cache-control']]).toEqual([
        200,
        '20',
        'no-cache',
      ])
    }
  })

  test.each(['-1', 'abc', '', '99999999999999999999', '5.0'])('%j is not a height: 400 code 3', async (value) => {
    const { status, json } = await ask('/chain/nothing', { headers: { 'x-sdk-block-height': value } })
    expect([status, json.code, json.details[0]?.field]).toEqual([400, 3, 'x-sdk-block-height'])
  })

  test('two different heights are refused', async () => {
    const twice = await ask('/chain/nothing', { headers: { 'x-sdk-block-height': ['15', '16'] } })
    expect([twice.status, twice.json.code]).toEqual([400, 3])
    const mixed = await ask('/chain/nothing?height=15', { headers: { 'x-sdk-block-height': '16' } })
    expect(mixed.status).toBe(400)
  })

  test('future and pruned heights are different errors', async () => {
    expect((await ask('/chain/nothing?height=21')).json.code).toBe(11)
    expect((await ask('/chain/nothing?height=9')).status).toBe(404)
  })

  test('the second answer of a height comes from the cache and is the same', async () => {
    const first = await ask('/chain/echo/cached')
    const second = await ask('/chain/echo/cached')
    expect(second.text).toBe(first.text)
    expect(second.headers['etag']).toBe(first.headers['etag'])
    const unchanged = await ask('/chain/echo/cached', { headers: { 'if-none-match': String(first.headers['etag']) } })
    expect([unchanged.status, unchanged.text]).toEqual([304, ''])
    const statusFor = async (tags: string) =>
      (await ask('/chain/echo/cached', { headers: { 'if-none-match': tags } })).status
    for (const tags of [`W/${first.headers['etag']}`, `"other", W/${first.headers['etag']}`, '*']) {
      expect(await statusFor(tags), tags).toBe(304)
    }
    for (const tags of ['"other"', 'application/json', 'ETag', '']) expect(await statusFor(tags), tags).toBe(200)
  })

  test('an answer of a state that was rolled back meanwhile is not cached for the next state of that height', async () => {
    let rollbacks = 0
    const waiting: ((s: string) => void)[] = []
    const services = new Map([
      [
        `${ECHO}Waits`,
        (request: Message) =>
          new Promise<Message>((resolve) => waiting.push((s) => resolve({ ...request, s } as Message))),
      ],
    ])
    const node = {
      ...gatewayNode({ services }),
      driver: { status: () => ({ catchingUp: false, latestHeight: 20n, latestTimeNs: 0n, rollbacks }) },
    } as unknown as GatewayNode
    const handle = createRestHandler(node, { rpcs: echoMethods })
    const first = handle('/chain/waits')
    rollbacks++
    waiting.pop()!('before')
    expect((await first).body).toContain('"s":"before"')
    const second = handle('/chain/waits')
    waiting.pop()!('after')
    expect((await second).body).toContain('"s":"after"')
    // This one is cached.
    expect((await handle('/chain/waits')).body).toContain('"s":"after"')
  })
})

describe('answers', () => {
  test('a long answer is compressed for a client that accepts it', async () => {
    const path = `/chain/echo/${'x'.repeat(3000)}`
    const plain = await ask(path)
    const packed = await ask(path, { headers: { 'accept-encoding': 'gzip' } })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(packed.headers['content-encoding']).toBe('gzip')
    expect(Number(packed.headers['content-length'])).toBeLessThan(plain.text.length / 4)
    expect(packed.headers['vary']).toContain('accept-encoding')
    const refused = await ask(path, { headers: { 'accept-encoding': 'gzip;q=0.000' } })
    expect(refused.headers['content-encoding']).toBeUndefined()
  })

  test.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const)('%s of a very long answer is the answer, also the second time', async (encoding, unpack) => {
    const path = `/chain/echo/${encoding}${'x'.repeat(100_000)}`
    const plain = await ask(path)
    for (let i = 0; i < 2; i++) {
      const packed = await ask(path, { headers: { 'accept-encoding': encoding } })
      expect(packed.headers['content-encoding']).toBe(encoding)
      expect(unpack(packed.bytes).toString()).toBe(plain.text)
    }
  })

  test('a bug in a handler is hidden from the client', async () => {
    const { status, json, headers } = await ask('/chain/throws')
    expect([status, json.code]).toEqual([500, 13])
    expect(json.message).not.toContain('secret')
    expect(json.message).toContain(String(headers['x-request-id']))
    expect(headers['cache-control']).toBe('no-store')
  })

  test('a deadline ends a longer request', async () => {
    const tiny = await ask('/chain/nothing', { headers: { 'grpc-timeout': '1n' } })
    expect([tiny.status, tiny.json.code]).toEqual([504, 4])
    const slow = await ask('/chain/waits', { headers: { 'grpc-timeout': '50m' } })
    expect([slow.status, slow.json.message]).toEqual([504, 'context deadline exceeded'])
    expect((await ask('/chain/waits', { headers: { 'grpc-timeout': '1M' } })).status).toBe(200)
    const wrong = await ask('/chain/nothing', { headers: { 'grpc-timeout': 'zz' } })
    expect([wrong.status, wrong.json.details[0].field]).toEqual([400, 'grpc-timeout'])
  })

  test('binary metadata must be base64', async () => {
    const path = '/chain/echo/metadata'
    expect((await ask(path, { headers: { 'grpc-metadata-a-bin': '!!' } })).status).toBe(400)
    expect((await ask(path, { headers: { 'grpc-metadata-a-bin': 'AQI' } })).status).toBe(200)
  })

  test('any Accept gets JSON, and the server sends its time', async () => {
    const { headers } = await ask('/chain/nothing', { headers: { accept: 'text/html' } })
    expect([headers['content-type'], headers['x-server-time']]).toEqual(['application/json', '1700000000'])
  })

  test('pages of other origins can name a height and read it', async () => {
    const headers = { origin: 'https://a.example', 'access-control-request-headers': 'x-sdk-block-height' }
    const preflight = await ask('/chain/nothing', { method: 'OPTIONS', headers })
    expect(preflight.status).toBe(204)
    expect(preflight.headers['access-control-allow-headers']).toContain('x-sdk-block-height')
    const answer = await ask('/chain/nothing', { headers: { origin: 'https://a.example' } })
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.headers['access-control-expose-headers']).toContain('grpc-metadata-x-sdk-block-height')
  })

  test('the port serves an index, pages of the node, the description of the API, and a page that shows it', async () => {
    expect((await ask('/')).json.latest_height).toBe('20')
    const ready = await ask('/readyz')
    expect([ready.status, ready.json.status, ready.headers['cache-control']]).toEqual([503, 'halted', 'no-store'])
    expect((await ask('/healthz')).status).toBe(404)
    const swagger = await ask('/swagger')
    expect([swagger.status, swagger.headers['location']]).toEqual([308, 'docs'])
    expect((await ask('/swagger/')).headers['location']).toBe('../docs')
    const paths = Object.keys((await ask('/openapi.json')).json.paths)
    expect(paths).toContain('/chain/echo/{s}')
  })
})
