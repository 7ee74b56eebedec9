import { once } from 'node:events'
import { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FieldViolationSchema, HeightBoundsSchema } from '../../gen/chain/errors/v1/errors_pb.ts'
import { files } from '../../gen/files.ts'
import { StatusSchema } from '../../gen/google/rpc/status_pb.ts'
import {
  HealthCheckRequestSchema,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as Serving,
} from '../../gen/grpc/health/v1/health_pb.ts'
import {
  ServerReflectionRequestSchema,
  type ServerReflectionResponse,
  ServerReflectionResponseSchema,
} from '../../gen/grpc/reflection/v1/reflection_pb.ts'
import { QueryBalanceRequestSchema, QueryBalanceResponseSchema } from '../../gen/sdk/bank/v1beta1/query_pb.ts'
import { almanac } from '../../identity/profiles/almanac.ts'
import { queryError } from '../../primitives/errors.ts'
import type { Dispatch, GatewayNode, QueryCall } from '../gateway.ts'
import { createConnections } from '../transport/connections.ts'
import type { GatewayServer } from '../transport/http-server.ts'
import { createOutgoing } from '../transport/outgoing.ts'
import { ownPorts } from '../transport/ports.ts'
import { createGrpcServer } from './grpc.ts'
import { bytesMethod } from './grpc-bytes.ts'
import { createReflection } from './grpc-reflection.ts'

const SAME = (bytes: Buffer) => bytes
const UNARY = '/sdk.bank.v1beta1.Query/Balance'

let server: GatewayServer
let client: Client
const calls: QueryCall[] = []
/** Messages that the client can still send. */
let tokens = Number.POSITIVE_INFINITY

/**
 * Answers every query, at height 7 unless another is requested. The address `slow` waits until it is cancelled; `beyond` has
 * a detail beyond 64 bits.
 */
const dispatch: Dispatch = (call) => {
  calls.push(call)
  const { address, denom } = call.request as MessageShape<typeof QueryBalanceRequestSchema>
  const height = call.height ?? 7n
  if (address === '') {
    const violation = create(FieldViolationSchema, { field: 'address', description: 'empty' })
    return { ok: false, height, error: queryError('invalidArgument', 'empty address · é', [violation]) }
  }
  if (address.length > 1000) {
    const violation = create(FieldViolationSchema, { field: 'address', description: address })
    return { ok: false, height, error: queryError('invalidArgument', `no address: ${address}`, [violation]) }
  }
  if (address === 'beyond') {
    const bounds = create(HeightBoundsSchema, { requested: 2n ** 63n })
    return { ok: false, height, error: queryError('outOfRange', 'in the future', [bounds]) }
  }
  if (address === 'slow') {
    return new Promise((resolve) => {
      call.signal!().addEventListener('abort', () =>
        resolve({ ok: false, height, error: queryError('cancelled', 'the client has disconnected') }),
      )
    })
  }
  return { ok: true, height, response: create(QueryBalanceResponseSchema, { balance: { denom, amount: '5' } }) }
}

beforeAll(async () => {
  const node = {
    identity: almanac,
    dispatch,
    now: Date.now,
    clientAddress: () => '',
    rates: { isOn: true, take: () => (tokens-- > 0 ? undefined : 250) },
    ports: ownPorts,
    outgoing: createOutgoing({ bytes: 10_000_000, stallMs: () => 5000, onDisconnect() {} }, () => performance.now()),
    connections: createConnections(
      100,
      () => performance.now(),
      () => {},
    ),
    log: () => {},
    driver: { status: () => ({ catchingUp: false, latestHeight: 7n, latestTimeNs: 0n }) },
  } as unknown as GatewayNode
  server = createGrpcServer(node)
  const { port } = await server.listen(0, '127.0.0.1')
  client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
})

afterAll(async () => {
  client.close()
  await server.close()
})

interface Outcome {
  readonly bytes?: Buffer
  readonly error?: ServiceError
  readonly headers: Metadata
}

function callBytes(
  path: string,
  bytes: Uint8Array,
  headers: Record<string, string | string[]> = {},
  deadlineMs = 60_000,
) {
  const metadata = new Metadata()
  for (const [name, values] of Object.entries(headers)) for (const value of [values].flat()) metadata.add(name, value)
  return new Promise<Outcome>((resolve) => {
    let received = new Metadata()
    const options = { deadline: Date.now() + deadlineMs }
    client
      .makeUnaryRequest(path, SAME, SAME, Buffer.from(bytes), metadata, options, (error, response) =>
        resolve({ headers: received, ...(error ? { error } : { bytes: response! }) }),
      )
      .on('metadata', (first) => {
        received = first
      })
  })
}

async function balance(path: string, init: MessageInitShape<typeof QueryBalanceRequestSchema>, headers = {}) {
  const request = toBinary(QueryBalanceRequestSchema, create(QueryBalanceRequestSchema, init))
  const outcome = await callBytes(path, request, headers)
  return { ...outcome, response: outcome.bytes && fromBinary(QueryBalanceResponseSchema, outcome.bytes) }
}

test('a service answers under its neutral name and under the one that client libraries hard-code', async () => {
  for (const path of [UNARY, '/cosmos.bank.v1beta1.Query/Balance']) {
    const { response, headers } = await balance(path, { address: 'a', denom: 'unative' })
    expect(response?.balance).toMatchObject({ denom: 'unative', amount: '5' })
    expect(headers.get('x-sdk-block-height')).toEqual(['7'])
    expect(headers.get('x-cosmos-block-height')).toEqual(['7'])
  }
  expect(calls.at(-1)!.method).toBe(UNARY)
})

test('a call has the id that it gives, or a new one', async () => {
  const given = await balance(UNARY, { address: 'a' }, { 'x-request-id': 'mine' })
  expect(given.headers.get('x-request-id')).toEqual(['mine'])
  const made = await balance(UNARY, { address: '' })
  expect(made.headers.get('x-request-id')).toEqual([expect.stringMatching(/^[0-9a-f]{8}-\d+$/)])
})

test('a client beyond its limit is refused by services, health and each message of reflection', async () => {
  try {
    tokens = 0
    const check = await callBytes('/grpc.health.v1.Health/Check', new Uint8Array())
    expect(check.error).toMatchObject({ code: 8, details: expect.stringContaining('repeat in 250 ms') })
    expect((await balance(UNARY, { address: 'a' })).error?.code).toBe(8)
    const watch = client.makeServerStreamRequest('/grpc.health.v1.Health/Watch', SAME, SAME, Buffer.alloc(0))
    watch.resume()
    expect((await once(watch, 'error'))[0]).toMatchObject({ code: 8 })
    tokens = 2
    const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'
    const stream = client.makeBidiStreamRequest(path, SAME, SAME)
    let answers = 0
    stream.on('data', () => answers++)
    const ended = once(stream, 'error')
    const ask = encode(ServerReflectionRequestSchema, { messageRequest: { case: 'listServices', value: '' } })
    for (let i = 0; i < 5; i++) stream.write(Buffer.from(ask))
    expect((await ended)[0]).toMatchObject({ code: 8 })
    expect(answers).toBeLessThanOrEqual(2)
    expect(tokens).toBe(-1)
  } finally {
    tokens = Number.POSITIVE_INFINITY
  }
})

test('either height header chooses the height, and two different heights are refused', async () => {
  for (const name of ['x-sdk-block-height', 'x-cosmos-block-height']) {
    const { headers } = await balance(UNARY, { address: 'a' }, { [name]: '3' })
    expect(headers.get('x-sdk-block-height')).toEqual(['3'])
  }
  for (const headers of [
    { 'x-sdk-block-height': '3', 'x-cosmos-block-height': '4' },
    { 'x-sdk-block-height': ['3', '4'] },
    { 'x-sdk-block-height': 'x' },
    { 'x-sdk-block-height': '-1' },
    { 'x-sdk-block-height': '9223372036854775808' },
  ]) {
    expect((await balance(UNARY, { address: 'a' }, headers)).error?.code).toBe(3)
  }
})

test('an error whose details cannot be encoded is sent without them, and the server goes on', async () => {
  const { error } = await balance(UNARY, { address: 'beyond' })
  expect(error).toMatchObject({ code: 11, details: 'in the future' })
  const [trailer] = error!.metadata.get('grpc-status-details-bin')
  expect(fromBinary(StatusSchema, trailer as Buffer)).toMatchObject({ code: 11, details: [] })
})

test('an error carries its code, text, typed details and the height', async () => {
  const { error, headers } = await balance(UNARY, {})
  expect(error).toMatchObject({ code: 3, details: 'empty address · é' })
  expect(headers.get('x-sdk-block-height')).toEqual(['7'])
  const [trailer] = error!.metadata.get('grpc-status-details-bin')
  const status = fromBinary(StatusSchema, trailer as Buffer)
  expect(status).toMatchObject({ code: 3, message: 'empty address · é' })
  expect(status.details[0]!.typeUrl).toBe('/chain.errors.v1.FieldViolation')
  expect(fromBinary(FieldViolationSchema, status.details[0]!.value).field).toBe('address')
})

test('an error that quotes a very long request reaches the caller', async () => {
  for (const text of ['é', '😀', 'x\n']) {
    const { error } = await balance(UNARY, { address: text.repeat(400_000) })
    expect(error).toMatchObject({ code: 3 })
    expect(error!.details).toMatch(new RegExp(`^no address: ${text}${text}`))
    expect(error!.details.length).toBeLessThan(5000)
  }
  expect((await balance(UNARY, { address: 'a' })).response?.balance?.amount).toBe('5')
})

test('a malformed request is an error of the caller, and the server goes on', async () => {
  expect((await callBytes(UNARY, new Uint8Array([0xff, 0xff]))).error?.code).toBe(3)
  expect((await balance(UNARY, { address: 'a' })).response?.balance?.amount).toBe('5')
})

test('unknown methods, message services and oversized requests are refused', async () => {
  for (const path of ['/no.such.Service/Method', '/sdk.bank.v1beta1.Query/None', '/sdk.bank.v1beta1.Msg/Send']) {
    expect((await callBytes(path, new Uint8Array(0))).error?.code).toBe(12)
  }
  const asked = calls.length
  expect((await callBytes('/tendermint.abci.ABCI/Commit', new Uint8Array(0))).error?.code).toBe(12)
  expect(calls.length).toBe(asked)
  expect((await callBytes(UNARY, new Uint8Array(11 * 1024 * 1024))).error?.code).toBe(8)
})

test('the deadline of a caller ends the work', async () => {
  const request = toBinary(QueryBalanceRequestSchema, create(QueryBalanceRequestSchema, { address: 'slow' }))
  const before = calls.length
  // A process that is delayed for a second does not send the call at all.
  while (calls.length === before) expect((await callBytes(UNARY, request, {}, 1_000)).error?.code).toBe(4)
  const call = calls.at(-1)!
  expect(call.timeoutMs).toBeGreaterThan(0)
  expect(call.timeoutMs).toBeLessThanOrEqual(1_000)
  await expect.poll(() => call.signal!().aborted).toBe(true)
})

test('health reports that the node serves, by service and overall', async () => {
  const check = async (service: string) => {
    const request = toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema, { service }))
    return await callBytes('/grpc.health.v1.Health/Check', request)
  }
  for (const service of ['', 'sdk.bank.v1beta1.Query', 'cosmos.bank.v1beta1.Query']) {
    expect(fromBinary(HealthCheckResponseSchema, (await check(service)).bytes!).status).toBe(Serving.SERVING)
  }
  expect((await check('no.such.Service')).error?.code).toBe(5)
})

type Ask = NonNullable<MessageInitShape<typeof ServerReflectionRequestSchema>['messageRequest']>

async function reflect(version: string, asks: readonly Ask[]): Promise<ServerReflectionResponse[]> {
  const method = bytesMethod(`/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`, {
    request: true,
    response: true,
  })
  const stream = client.makeBidiStreamRequest(method.path, SAME, SAME)
  for (const messageRequest of asks) {
    stream.write(encode(ServerReflectionRequestSchema, { messageRequest }))
  }
  stream.end()
  const responses: ServerReflectionResponse[] = []
  for await (const bytes of stream) responses.push(fromBinary(ServerReflectionResponseSchema, bytes as Buffer))
  return responses
}

function encode<Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): Buffer {
  return Buffer.from(toBinary(schema, create(schema, init)))
}

test.each(['v1', 'v1alpha'])(
  'reflection %s lists services, and describes symbols with their dependencies',
  async (version) => {
    const [list, file, method, missing, family] = await reflect(version, [
      { case: 'listServices', value: '' },
      { case: 'fileContainingSymbol', value: 'sdk.bank.v1beta1.Query' },
      { case: 'fileContainingSymbol', value: 'sdk.bank.v1beta1.Query.Balance' },
      { case: 'fileContainingSymbol', value: 'no.such.Symbol' },
      { case: 'fileContainingSymbol', value: 'cosmos.bank.v1beta1.QueryBalanceRequest.denom' },
    ])
    const { messageResponse } = list!
    const names =
      messageResponse.case === 'listServicesResponse' ? messageResponse.value.service.map(({ name }) => name) : []
    expect(names).toEqual(
      expect.arrayContaining(['chain.evm.v1.Query', 'grpc.health.v1.Health', 'cosmos.bank.v1beta1.Query']),
    )
    for (const [found, name] of [
      [file!, 'sdk/bank/v1beta1/query.proto'],
      [method!, 'sdk/bank/v1beta1/query.proto'],
      [family!, 'cosmos/bank/v1beta1/query.proto'],
    ] as const) {
      const response = found.messageResponse
      const protos =
        response.case === 'fileDescriptorResponse'
          ? response.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes))
          : []
      expect(protos[0]!.name).toBe(name)
      const sent = new Set(protos.map(({ name }) => name))
      expect(protos.flatMap(({ dependency }) => dependency).filter((name) => !sent.has(name))).toEqual([])
    }
    expect(missing!.messageResponse).toMatchObject({ case: 'errorResponse', value: { errorCode: 5 } })
  },
)

test('reflection declares no extension whose name protobufjs spells in two ways', async () => {
  const extendee = 'google.protobuf.MessageOptions'
  const [file, long, one, all] = await reflect('v1', [
    { case: 'fileContainingSymbol', value: 'cosmos.bank.v1beta1.MsgSend' },
    { case: 'fileContainingExtension', value: { containingType: extendee, extensionNumber: 73021 } },
    { case: 'fileContainingExtension', value: { containingType: extendee, extensionNumber: 11110001 } },
    { case: 'allExtensionNumbersOfType', value: extendee },
  ])
  const { messageResponse } = file!
  const files = messageResponse.case === 'fileDescriptorResponse' ? messageResponse.value.fileDescriptorProto : []
  const names = files
    .map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes))
    .flatMap(({ extension }) => extension.map(({ name }) => name))
  expect(names).toEqual(expect.arrayContaining(['name', 'signer', 'scalar']))
  expect(names.filter((name) => name.includes('_'))).toEqual([])
  expect(long!.messageResponse).toMatchObject({ case: 'errorResponse', value: { errorCode: 5 } })
  expect(one!.messageResponse.case).toBe('fileDescriptorResponse')
  expect(all!.messageResponse.value).toMatchObject({ extensionNumber: expect.not.arrayContaining([73021]) })
})

test('reflection reads no further request from a client that does not read its answers', async () => {
  const [service] = createReflection([() => files], [], () => undefined, {
    identity: almanac,
    clientAddress: () => '',
    rates: { isOn: false, take: () => undefined },
  })
  const questions = 300
  let answered = 0
  let sent = () => {}
  const call = new Duplex({
    objectMode: true,
    read() {},
    write(_answer, _encoding, done) {
      answered++
      sent = done
    },
  })
  Object.assign(call, { metadata: new Metadata(), getPeer: () => '' })
  const serve = service!.implementation['ServerReflectionInfo'] as unknown as (call: Duplex) => void
  serve(call)
  const ask = encode(ServerReflectionRequestSchema, {
    messageRequest: { case: 'fileContainingSymbol', value: 'sdk.bank.v1beta1.Query' },
  })
  for (let i = 0; i < questions; i++) call.push(ask)
  await setImmediate()
  expect(call.writableLength).toBeLessThanOrEqual(call.writableHighWaterMark)
  while (answered < questions) {
    sent()
    await setImmediate()
    expect(call.writableLength).toBeLessThanOrEqual(call.writableHighWaterMark)
  }
})
