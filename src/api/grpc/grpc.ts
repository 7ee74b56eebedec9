/** The gRPC gateway: every query and node service of the descriptors, reflection, and health. */
import { type DescMethod, type DescService, fromBinary, type Message } from '@bufbuild/protobuf'
import {
  logVerbosity,
  Metadata,
  type MethodDefinition,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  setLogVerbosity,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { Health } from '../../gen/grpc/health/v1/health_pb.ts'
import { methodPath, services } from '../../identity/registry.ts'
import { EMPTY, formatUtf8, utf8 } from '../../primitives/bytes.ts'
import { ChainError, queryError } from '../../primitives/errors.ts'
import { encodeStatus, STATUS_CODES, toChainError, violation } from '../errors.ts'
import type { GatewayNode } from '../gateway.ts'
import { haltedHeader } from '../halted.ts'
import { type Family, type Names, namesOf } from '../names.ts'
import { agree } from '../rest/height-selection.ts'
import { type GatewayServer, listen } from '../transport/http-server.ts'
import { renameTypeUrls } from '../type-urls.ts'
import { bytesMethod, encodeBuffer } from './grpc-bytes.ts'
import { createGrpcConnections, type GrpcConnections } from './grpc-connections.ts'
import { createHealth } from './grpc-health.ts'
import { createReflection } from './grpc-reflection.ts'

// `listen` reports its failures to its caller, so the library need not log them to standard error.
setLogVerbosity(logVerbosity.NONE)

/** Size of a request over gRPC. Beyond: code 8. */
const MAX_REQUEST_BYTES = 10 * 1024 * 1024
/** Concurrent calls of one gRPC connection. Beyond: HTTP/2 refuses the call, and clients wait. */
const MAX_STREAMS = 250
const SHUTDOWN_MS = 2_000
/** Limits of a failure in the trailers of at most 64 kB: percent-encoding and base64 enlarge both. */
const MAX_MESSAGE_BYTES = 4 * 1024
const MAX_DETAILS_BYTES = 24 * 1024
const HEIGHT_HEADERS = ['x-sdk-block-height', 'x-cosmos-block-height'] as const

/** Returns the height of the metadata; undefined for the latest. Throws `invalidArgument` for a bad one, or if two differ. */
function readHeight(metadata: Metadata): bigint | undefined {
  let selected: bigint | undefined
  for (const name of HEIGHT_HEADERS) {
    for (const value of metadata.get(name)) selected = agree(selected, value.toString(), name)
  }
  return selected === 0n ? undefined : selected
}

function remainingMs(deadline: Date | number): number | undefined {
  const time = typeof deadline === 'number' ? deadline : deadline.getTime()
  return Number.isFinite(time) ? Math.max(0, time - Date.now()) : undefined
}

function decode(method: DescMethod, bytes: Uint8Array): Message {
  try {
    return fromBinary(method.input, bytes)
  } catch {
    throw violation('request', `not an encoded ${method.input.typeName}`)
  }
}

type UnaryCall = ServerUnaryCall<Buffer, Buffer>

/** Dependencies of a call. */
interface Serve {
  readonly node: GatewayNode
  readonly connections: GrpcConnections
}

async function serveUnary(
  node: GatewayNode,
  method: DescMethod,
  family: Family,
  call: UnaryCall,
  signal: AbortSignal,
): Promise<Buffer> {
  const answer = await node.dispatch({
    method: methodPath(method),
    request: decode(method, call.request),
    height: readHeight(call.metadata),
    signal,
    timeoutMs: remainingMs(call.getDeadline()),
  })
  const headers = answerMetadata(node, answer.height)
  if (headers && !signal.aborted) call.sendMetadata(headers)
  if (!answer.ok) throw answer.error
  return encodeBuffer(method.output, renameTypeUrls(node.identity, family, method.output, answer.response))
}

/** Answers a call when its connection has room for its answer. A call of a client that has disconnected does not run. */
async function answerUnary(
  { node, connections }: Serve,
  method: DescMethod,
  family: Family,
  call: UnaryCall,
  respond: sendUnaryData<Buffer>,
): Promise<void> {
  const abort = new AbortController()
  call.on('cancelled', () => abort.abort())
  const end = await connections.enter(call.getPeer(), abort.signal)
  try {
    if (!end) throw queryError('cancelled', 'the client has disconnected')
    const bytes = await serveUnary(node, method, family, call, abort.signal)
    node.observe?.(methodPath(method), 'ok')
    respond(null, bytes)
  } catch (error) {
    node.observe?.(methodPath(method), toChainError(error).status)
    respond(failure(node, method, error))
  } finally {
    end?.()
  }
}

/** Returns the metadata of an answer: its height, and a halt of the chain. */
function answerMetadata(node: GatewayNode, height: bigint | undefined): Metadata | undefined {
  const halted = haltedHeader(node.driver)
  if (height === undefined && !halted) return undefined
  const metadata = new Metadata()
  if (height !== undefined) for (const name of HEIGHT_HEADERS) metadata.set(name, height.toString())
  if (halted) metadata.set(...halted)
  return metadata
}

function failure(node: GatewayNode, method: DescMethod, thrown: unknown) {
  if (!(thrown instanceof ChainError)) {
    const error = thrown instanceof Error ? thrown.stack : String(thrown)
    node.log('error', 'a gRPC call failed', { method: methodPath(method), error })
    return { code: STATUS_CODES.internal.grpc, details: 'internal error' }
  }
  const metadata = new Metadata()
  const status = thrown.details.length > 0 ? encodeStatus(thrown) : EMPTY
  if (status.length > 0 && status.length <= MAX_DETAILS_BYTES) {
    metadata.set('grpc-status-details-bin', Buffer.from(status))
  }
  return { code: STATUS_CODES[thrown.status].grpc, details: shorten(thrown.message), metadata }
}

/** Returns a message as well-formed text of limited length: it can quote any input of the caller. */
function shorten(message: string): string {
  const bytes = utf8(message)
  const shown = formatUtf8(bytes.subarray(0, MAX_MESSAGE_BYTES))
  return bytes.length <= MAX_MESSAGE_BYTES ? shown : `${shown}…`
}

/** Adds a service under each of its accepted names. */
function addService(server: Server, serve: Serve, service: DescService, names: Names): void {
  for (const name of names.accepted(service.typeName)) {
    const family = names.familyOf(name, service.typeName)
    const definition: Record<string, MethodDefinition<Buffer, Buffer>> = {}
    const implementation: UntypedServiceImplementation = {}
    for (const method of service.methods) {
      definition[method.name] = bytesMethod(`/${name}/${method.name}`, { request: false, response: false })
      implementation[method.name] = (call: UnaryCall, respond: sendUnaryData<Buffer>) => {
        void answerUnary(serve, method, family, call, respond)
      }
    }
    server.addService(definition as ServiceDefinition, implementation)
  }
}

/** Whether a service is served here. `Msg` services are driven by transactions; reflection and health are added apart. */
function isQueried({ name }: DescService): boolean {
  return name === 'Query' || name === 'Service'
}

/** Creates the gRPC gateway of a node. It opens no port until `listen`; `close` waits up to two seconds for running calls. */
export function createGrpcServer(node: GatewayNode): GatewayServer {
  const connections = createGrpcConnections(node)
  const server = new Server({
    interceptors: [connections.interceptor],
    'grpc.max_receive_message_length': MAX_REQUEST_BYTES,
    'grpc.max_send_message_length': -1,
    'grpc.max_concurrent_streams': MAX_STREAMS,
  })
  const names = namesOf(node.identity)
  const serve: Serve = { node, connections }
  for (const service of services.filter(isQueried)) addService(server, serve, service, names)
  const health = createHealth(node, names)
  server.addService(health.definition, health.implementation)
  const listed = services.filter(isQueried).map(({ typeName }) => names.active.toName(typeName))
  for (const reflection of createReflection(names.files, [...listed, Health.typeName])) {
    server.addService(reflection.definition, reflection.implementation)
  }
  const tcp = connections.createServer(server.createConnectionInjector(ServerCredentials.createInsecure()))
  return {
    listen: (port, host) => listen(tcp, port, host),
    close: () =>
      new Promise((resolve) => {
        health.close()
        tcp.close()
        const force = setTimeout(() => {
          server.forceShutdown()
          resolve()
        }, SHUTDOWN_MS)
        server.tryShutdown(() => {
          clearTimeout(force)
          resolve()
        })
      }),
  }
}
