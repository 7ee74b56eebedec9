import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { afterEach, expect, test } from 'vitest'
import { RequestSchema, type Response, ResponseSchema } from '../../gen/tendermint/abci/types_pb.ts'
import type { Application } from './application.ts'
import { createFrameReader, frameOf } from './frames.ts'
import { parseAbciAddress, serveAbci } from './server.ts'

type Value = NonNullable<MessageInitShape<typeof ResponseSchema>['value']>

const answer = (value: Value): Response => create(ResponseSchema, { value })
const echo = (message: string): Uint8Array => request({ case: 'echo', value: { message } })
const query = (path: string): Uint8Array => request({ case: 'query', value: { path } })

function request(value: NonNullable<MessageInitShape<typeof RequestSchema>['value']>): Uint8Array {
  return frameOf(toBinary(RequestSchema, create(RequestSchema, { value })))
}

const endings: (() => unknown)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

/** Serves an application, whose queries are answered when the test says so. */
async function serve(more: Application = () => answer({ case: 'flush', value: {} })) {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-abci-'))
  const path = join(folder, 'abci.sock')
  const failures: unknown[] = []
  const badClients: unknown[] = []
  const queries = new Map<string, () => void>()
  const server = await serveAbci({
    address: `unix://${path}`,
    application(asked) {
      if (asked.case === 'echo') return answer({ case: 'echo', value: { message: asked.value.message } })
      if (asked.case !== 'query') return more(asked)
      return new Promise((resolve) => {
        queries.set(asked.value.path, () => resolve(answer({ case: 'query', value: { info: asked.value.path } })))
      })
    },
    onFailure: (error) => failures.push(error),
    onBadClient: (error) => badClients.push(error),
  })
  endings.push(
    () => rmSync(folder, { recursive: true, force: true }),
    () => server.close(),
  )
  async function open() {
    const socket = connect(path)
    await once(socket, 'connect')
    const reader = createFrameReader()
    const received: Response['value'][] = []
    socket.on('data', (chunk: Buffer) => {
      for (const bytes of reader.push(chunk)) received.push(fromBinary(ResponseSchema, bytes).value)
    })
    socket.on('error', () => undefined)
    endings.push(() => socket.destroy())
    return { socket, received, texts: () => received.map(textOf) }
  }
  return { ...{ path, failures, badClients, queries, open } }
}

function textOf(value: Response['value']): string {
  if (value.case === 'echo') return value.value.message
  if (value.case === 'query') return value.value.info
  return value.case === 'exception' ? value.value.error : String(value.case)
}

const until = (isTrue: () => boolean) => expect.poll(isTrue).toBe(true)

test('answers leave in the order of the requests, whichever is ready first', async () => {
  const { open, queries } = await serve()
  const { socket, received, texts } = await open()
  socket.write(Buffer.concat([echo('a'), query('slow'), echo('b'), query('fast'), echo('c')]))
  await until(() => queries.has('slow'))
  expect(queries.has('fast')).toBe(false)
  await until(() => texts().length > 0)
  expect(texts()).toEqual(['a'])
  queries.get('slow')!()
  await until(() => queries.has('fast'))
  expect(texts()).toEqual(['a', 'slow', 'b'])
  queries.get('fast')!()
  await until(() => received.length === 5)
  expect(texts()).toEqual(['a', 'slow', 'b', 'fast', 'c'])
})

test('a slow query of one connection does not hold up another', async () => {
  const { open, queries } = await serve()
  const [first, second] = [await open(), await open()]
  first.socket.write(query('slow'))
  await until(() => queries.has('slow'))
  second.socket.write(echo('at once'))
  await until(() => second.received.length === 1)
  expect(first.received).toEqual([])
})

test('3,000 requests without a pause are answered in their order, in any parts', async () => {
  const { open, queries } = await serve()
  const { socket, received, texts } = await open()
  const names = Array.from({ length: 3000 }, (_, i) => String(i))
  const bytes = Buffer.concat([query('first'), ...names.map(echo)])
  for (let at = 0; at < bytes.length; at += 7001) socket.write(bytes.subarray(at, at + 7001))
  await until(() => queries.has('first'))
  queries.get('first')!()
  await until(() => received.length === names.length + 1)
  expect(texts()).toEqual(['first', ...names])
})

test('a failure is an exception, after which the connection ends and nothing more is executed', async () => {
  const executed: string[] = []
  const { open, failures } = await serve(({ case: one }) => {
    executed.push(String(one))
    throw new Error('the disk is full')
  })
  const { socket, texts } = await open()
  socket.write(
    Buffer.concat([echo('a'), request({ case: 'commit', value: {} }), request({ case: 'commit', value: {} })]),
  )
  await once(socket, 'close')
  expect(texts()).toEqual(['a', 'the disk is full'])
  expect([executed, failures]).toEqual([['commit'], [new Error('the disk is full')]])
})

test.each([
  ['a message that is no protobuf', frameOf(Uint8Array.of(0xff, 0xff)), 'failures'],
  ['a request that is none of ABCI', frameOf(new Uint8Array(0)), 'failures'],
  ['a negative length', Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01), 'badClients'],
  ['a length of 4 GiB', Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x10), 'badClients'],
  ['another protocol', Buffer.from('GET / HTTP/1.1\r\n\r\n'), 'none'],
] as const)('%s ends its connection alone', async (_, bytes, kind) => {
  const served = await serve((asked) => {
    if (asked.case === undefined) throw new Error('not of ABCI')
    return answer({ case: 'flush', value: {} })
  })
  const [good, bad] = [await served.open(), await served.open()]
  bad.socket.write(bytes)
  if (kind === 'none') bad.socket.end()
  await once(bad.socket, 'close')
  if (kind !== 'none') expect(served[kind]).toHaveLength(1)
  good.socket.write(echo('still here'))
  await until(() => good.received.length === 1)
})

test('a path of a socket belongs to its user, and a connection that sends nothing is no failure', async () => {
  const { path, open, failures, badClients } = await serve()
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const { socket } = await open()
  socket.end()
  await once(socket, 'close')
  expect([failures, badClients]).toEqual([[], []])
})

test('an address is a host with a port, or a path', async () => {
  expect(parseAbciAddress('unix:///tmp/a.sock')).toEqual({ path: '/tmp/a.sock' })
  expect(parseAbciAddress('tcp://127.0.0.1:26658')).toEqual({ host: '127.0.0.1', port: 26658 })
  expect(parseAbciAddress('tcp://[::1]:0')).toEqual({ host: '::1', port: 0 })
  for (const wrong of [
    '127.0.0.1:26658',
    'tcp://127.0.0.1',
    'tcp://127.0.0.1:70000',
    'unix://',
    'http://127.0.0.1:1',
  ]) {
    expect(() => parseAbciAddress(wrong)).toThrow('is no ABCI address')
  }
})

test('an address in use is refused', async () => {
  const ignore = (): undefined => undefined
  const options = { application: () => answer({ case: 'flush', value: {} }), onFailure: ignore, onBadClient: ignore }
  const first = await serveAbci({ ...options, address: 'tcp://127.0.0.1:0' })
  endings.push(() => first.close())
  expect(first.address).toMatch(/^tcp:\/\/127\.0\.0\.1:\d+$/)
  await expect(serveAbci({ ...options, address: first.address })).rejects.toThrow('the address is in use')
})
