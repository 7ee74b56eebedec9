/** gRPC clients that do not read: how many of their calls run. */
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import { create, toBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { QueryBalanceRequestSchema, QueryBalanceResponseSchema } from '../../gen/sdk/bank/v1beta1/query_pb.ts'
import { almanac } from '../../identity/profiles/almanac.ts'
import type { GatewayNode } from '../gateway.ts'
import { type Connections, createConnections } from '../transport/connections.ts'
import type { GatewayServer } from '../transport/http-server.ts'
import { createOutgoing } from '../transport/outgoing.ts'
import { ownPorts } from '../transport/ports.ts'
import { createGrpcServer } from './grpc.ts'

/** Three of these answers are more than what waits for one connection. */
const ANSWER_BYTES = 25_000
const FEW = 3
const CALLS = 100

let server: GatewayServer
let connections: Connections
let url: string
let ran = 0
/** Time that a call takes to read its answer. */
let readingMs = 0
/** Whether each encoding began in a later turn of the event loop than its reading. */
let laterTurns: boolean[] = []
beforeAll(async () => {
  connections = createConnections(
    100,
    () => performance.now(),
    () => {},
  )
  const node = {
    identity: almanac,
    dispatch() {
      ran++
      const balance = { $typeName: 'sdk.base.v1beta1.Coin' as const, denom: 'a', amount: '1'.repeat(ANSWER_BYTES) }
      const end = performance.now() + readingMs
      while (performance.now() < end);
      let isLater = false
      setImmediate(() => {
        isLater = true
      })
      const response = create(QueryBalanceResponseSchema)
      Object.defineProperty(response, 'balance', {
        get() {
          laterTurns.push(isLater)
          return balance
        },
      })
      return { ok: true, height: 7n, response }
    },
    now: Date.now,
    rates: { take: () => undefined },
    clientAddress: () => '127.0.0.1',
    ports: ownPorts,
    outgoing: createOutgoing({ bytes: 100_000_000, stallMs: () => 60_000, onDisconnect() {} }, () => performance.now()),
    connections,
    driver: { status: () => ({ catchingUp: false, latestHeight: 7n, latestTimeNs: 0n }) },
  } as unknown as GatewayNode
  server = createGrpcServer(node)
  url = `http://127.0.0.1:${(await server.listen(0, '127.0.0.1')).port}`
})
afterAll(() => server.close())
beforeEach(() => {
  ran = 0
  readingMs = 0
  laterTurns = []
})

const request = toBinary(QueryBalanceRequestSchema, create(QueryBalanceRequestSchema, { address: 'a', denom: 'a' }))
const framed = Buffer.concat([Buffer.from([0, 0, 0, 0, request.length]), request])

function startCall(session: ClientHttp2Session): ClientHttp2Stream {
  const call = session.request({
    ':method': 'POST',
    ':path': '/sdk.bank.v1beta1.Query/Balance',
    'content-type': 'application/grpc',
    te: 'trailers',
  })
  call.on('error', () => {})
  call.end(framed)
  return call
}

/** Opens a connection whose client takes no byte. */
function connectUnread(): ClientHttp2Session {
  const session = connect(url, { settings: { initialWindowSize: 0 } })
  session.on('error', () => {})
  return session
}

/** Ends a connection, and waits until the server has noticed. */
async function disconnect(session: ClientHttp2Session): Promise<void> {
  session.destroy()
  await new Promise((resolve) => setTimeout(resolve, 200))
}

/** Waits until a number of calls has run, and long enough for one more. */
async function expectRan(number: number): Promise<void> {
  await expect.poll(() => ran).toBe(number)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(ran).toBe(number)
}

test('a client that takes no byte gets few of its calls run, and all once it reads', async () => {
  const session = connectUnread()
  const calls = Array.from({ length: CALLS }, () => startCall(session))
  await expectRan(FEW)
  session.settings({ initialWindowSize: 1_000_000 })
  session.setLocalWindowSize(CALLS * 2 * ANSWER_BYTES)
  await Promise.all(
    calls.map(async (call) => {
      let bytes = 0
      for await (const chunk of call) bytes += (chunk as Buffer).length
      expect(bytes).toBeGreaterThan(ANSWER_BYTES)
    }),
  )
  expect(ran).toBe(CALLS)
  session.close()
})

test('a long answer is encoded in a later turn, and few of them are made for a client that takes no byte', async () => {
  readingMs = 10
  const session = connectUnread()
  for (let i = 0; i < 10; i++) startCall(session)
  await expectRan(FEW)
  expect(laterTurns.length).toBeGreaterThanOrEqual(FEW)
  expect(laterTurns).not.toContain(false)
  await disconnect(session)
})

test('cancelled answers leave their room to further calls of a connection', async () => {
  const session = connectUnread()
  const calls = Array.from({ length: FEW }, () => startCall(session))
  await expectRan(FEW)
  for (const call of calls) call.close()
  for (let i = 0; i < CALLS; i++) startCall(session)
  await expectRan(2 * FEW)
  await disconnect(session)
})

test('the calls of a client that has disconnected do not run', async () => {
  const session = connectUnread()
  for (let i = 0; i < CALLS; i++) startCall(session)
  await expectRan(FEW)
  await disconnect(session)
  // Streams end one after the other, so the room of the first ones can let others run.
  expect(ran).toBeLessThan(CALLS / 4)
})

/** Opens a connection with an answered call. */
async function connectAnswered() {
  const session = connect(url)
  session.on('error', () => {})
  let isAway = false
  session.once('goaway', () => {
    isAway = true
  })
  const answered = async (call: ClientHttp2Stream): Promise<number> => {
    let bytes = 0
    for await (const chunk of call) bytes += (chunk as Buffer).length
    return bytes
  }
  expect(await answered(startCall(session))).toBeGreaterThan(ANSWER_BYTES)
  return { session, answered, isAway: () => isAway }
}

test('a client that is to connect again gets the answers of its running calls, and its next connection is served', async () => {
  const { session, answered, isAway } = await connectAnswered()
  readingMs = 50
  const running = answered(startCall(session))
  await expect.poll(() => ran).toBe(2)
  connections.leave('127.0.0.1')
  // Only the first time counts.
  connections.leave('127.0.0.1')
  expect(await running).toBeGreaterThan(ANSWER_BYTES)
  await expect.poll(() => session.closed).toBe(true)
  expect(isAway()).toBe(true)
  const next = await connectAnswered()
  expect(next.isAway()).toBe(false)
  // It can be asked, too, although connections of the address were asked before.
  connections.leave('127.0.0.1')
  await expect.poll(next.isAway).toBe(true)
})

test('clients of other addresses are not asked to connect again', async () => {
  const { session, answered, isAway } = await connectAnswered()
  connections.leave('127.0.0.9')
  expect(await answered(startCall(session))).toBeGreaterThan(ANSWER_BYTES)
  expect(isAway()).toBe(false)
  await disconnect(session)
})
