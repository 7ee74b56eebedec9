/** The client of a node's RPC, against servers that misbehave. */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createNodeRpc, requireUrl } from './node-rpc.ts'

const servers: Server[] = []
const never = new AbortController().signal

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

type Call = { readonly id: number; readonly method: string }

/** Starts a server that answers each body of calls. Returns its URL. */
async function serve(answer: (body: Call | readonly Call[], response: ServerResponse) => void): Promise<string> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    answer(JSON.parse(Buffer.concat(pieces).toString('utf8')) as Call, response)
  })
  servers.push(server)
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Answers with the name of the node and of the method. */
const named = (name: string) => (body: Call | readonly Call[], response: ServerResponse) => {
  const one = ({ id, method }: Call) => ({ jsonrpc: '2.0', id, result: { name, method } })
  response.end(JSON.stringify('method' in body ? one(body) : body.map(one)))
}

test('the answers of a batch are told apart by their ids, in whatever order they come', async () => {
  const url = await serve((body, response) => {
    const answers = (body as readonly Call[]).map(({ id, method }) =>
      method === 'bad'
        ? { jsonrpc: '2.0', id, error: { code: -32603, message: 'Internal error', data: 'no such height' } }
        : { jsonrpc: '2.0', id, result: { method } },
    )
    response.end(JSON.stringify(answers.reverse()))
  })
  const calls = ['first', 'bad', 'third'].map((method) => ({ method, params: {} }))
  expect(await createNodeRpc({ urls: [url] }).batch(calls, never)).toEqual([
    { result: { method: 'first' } },
    { refused: 'no such height' },
    { result: { method: 'third' } },
  ])
})

test('a batch of one is answered without a list, as CometBFT does', async () => {
  const url = await serve((body, response) => {
    const [{ id }] = body as readonly [Call]
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { height: '7' } }))
  })
  expect(await createNodeRpc({ urls: [url] }).batch([{ method: 'block', params: {} }], never)).toEqual([
    { result: { height: '7' } },
  ])
})

test('a URL that fails is left for the next one, which stays in use', async () => {
  let asked = 0
  const broken = await serve((_, response) => {
    asked++
    response.writeHead(502).end('<html>bad gateway</html>')
  })
  const failures: string[] = []
  const rpc = createNodeRpc({
    urls: [broken, await serve(named('second'))],
    onFailure: (_, reason) => failures.push(reason),
  })
  for (let i = 0; i < 3; i++) expect(await rpc.call('status', {}, never)).toEqual({ name: 'second', method: 'status' })
  expect([asked, failures]).toEqual([1, ['it answers status 502 without JSON']])
})

test('a URL whose answers are wrong is left on demand', async () => {
  const rpc = createNodeRpc({ urls: [await serve(named('first')), await serve(named('second'))] })
  const name = async (): Promise<unknown> => (await rpc.call('status', {}, never))['name']
  expect(await name()).toBe('first')
  rpc.turn()
  expect(await name()).toBe('second')
  rpc.turn()
  expect(await name()).toBe('first')
})

test('an answer that was on its way does not bring a URL back that was left', async () => {
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow = await serve(async (request, response) => {
    await held
    await named('first')(request, response)
  })
  const rpc = createNodeRpc({ urls: [slow, await serve(named('second'))] })
  const onItsWay = rpc.call('status', {}, never)
  rpc.turn()
  release()
  expect(await onItsWay).toMatchObject({ name: 'first' })
  expect(await rpc.call('status', {}, never)).toMatchObject({ name: 'second' })
})

test('the error names every URL with its reason', async () => {
  const silent = await serve(() => undefined)
  const rpc = createNodeRpc({ urls: ['http://127.0.0.1:1', silent], timeoutMs: 100 })
  await expect(rpc.call('status', {}, never)).rejects.toMatchObject({
    status: 'unavailable',
    message: expect.stringMatching(
      /^the RPC of the node does not answer \(http:\/\/127\.0\.0\.1:1: .+; http:\/\/127\.0\.0\.1:\d+: no answer in time\)$/,
    ),
  })
})

test('an answer that never ends does not hold the follower, nor fill its memory', async () => {
  const slow = await serve((_, response) => {
    response.write('{"jsonrpc": "2.0",')
  })
  await expect(createNodeRpc({ urls: [slow], timeoutMs: 100 }).call('status', {}, never)).rejects.toThrow(
    'no answer in time',
  )
  const endless = await serve((_, response) => {
    const more = (): void => {
      while (response.write(Buffer.alloc(1 << 14, 32)));
      response.once('drain', more)
    }
    response.on('error', () => undefined)
    more()
  })
  await expect(createNodeRpc({ urls: [endless], mostBytes: 1 << 20 }).call('status', {}, never)).rejects.toThrow(
    'its answer has more than 1048576 bytes',
  )
})

test('large answers are read one at a time, and small ones beside them', async () => {
  // Sockets of the system hold a few megabytes of it, so that most of what is written is read.
  const filler = 'x'.repeat(24 << 20)
  let wasRead = (): void => undefined
  const read = new Promise<void>((resolve) => {
    wasRead = resolve
  })
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const url = await serve(async (body, response) => {
    const { id, method } = body as Call
    const text = JSON.stringify({ jsonrpc: '2.0', id, result: { method, ...(method !== 'small' && { filler }) } })
    response.write(text.slice(0, -1), wasRead)
    if (method === 'first') await held
    response.end(text.slice(-1))
  })
  const rpc = createNodeRpc({ urls: [url] })
  const ends: string[] = []
  const ask = (method: string) => rpc.call(method, {}, never).then(() => ends.push(method))
  const first = ask('first')
  await read
  const second = ask('second')
  await ask('small')
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(ends).toEqual(['small'])
  release()
  await Promise.all([first, second])
  expect(ends).toEqual(['small', 'first', 'second'])
})

test('a node does not make the follower ask another host', async () => {
  let asked = 0
  const inner = await serve((body, response) => {
    asked++
    named('inner')(body, response)
  })
  const outer = await serve((_, response) => response.writeHead(307, { location: inner }).end())
  await expect(createNodeRpc({ urls: [outer] }).call('status', {}, never)).rejects.toThrow('unexpected redirect')
  expect(asked).toBe(0)
})

test('a request ends with the follower, whose reason is given', async () => {
  const rpc = createNodeRpc({ urls: [await serve(() => undefined), await serve(named('second'))] })
  const abort = new AbortController()
  const asked = rpc.call('status', {}, abort.signal)
  abort.abort(new Error('the node is stopping'))
  await expect(asked).rejects.toThrow('the node is stopping')
})

test.each([...(['localhost:26657', 'tcp://127.0.0.1:26657', 'http://user@127.0.0.1:26657', '', 'node'] as const)])(
  '"%s" is no URL of a node',
  (url) => {
    expect(() => requireUrl(url, 'follow.rpc (--rpc)')).toThrow(
      `follow.rpc (--rpc) is "${url}": it must be http://HOST:PORT`,
    )
  },
)
