/** The gRPC gateway: every query and node service of the descriptors, reflection, and health. */
import type { DescMethod, DescService } from '@bufbuild/protobuf'
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
import { commentOf } from '../../identity/descriptions.ts'
import { methodPath } from '../../identity/registry.ts'
import { DISCONNECTED } from '../disconnected.ts'
import { STATUS_CODES } from '../errors.ts'
import type { GatewayNode } from '../gateway.ts'
import { type Family, type Names, namesOf } from '../names.ts'
import { agree } from '../rest/height-selection.ts'
import { queriedServicesOf } from '../services/queried.ts'
import type { GatewayServer } from '../transport/http-server.ts'
import { createRequestIds, REQUEST_ID_HEADER } from '../transport/request-ids.ts'
import { answerCall, type CallAnswer, HEIGHT_NAMES } from './call.ts'
import { bytesMethod } from './grpc-bytes.ts'
import { createGrpcConnections, type GrpcConnections } from './grpc-connections.ts'
import { createHealth, createHealthSource } from './grpc-health.ts'
import { refusalOf } from './grpc-rates.ts'
import { createReflection } from './grpc-reflection.ts'

// `listen` reports its failures to its caller, so the library need not log them to standard error.
setLogVerbosity(logVerbosity.NONE)

/** Size of a request over gRPC. Beyond: code 8. */
const MAX_REQUEST_BYTES = 10 * 1024 * 1024
/**
 * Concurrent calls of one gRPC connection, the least that RFC 9113 recommends: far fewer run at once, and a client that disconnects ends
 * all of them in one turn of the event loop. Beyond: HTTP/2 refuses the call, and clients wait.
 */
const MAX_STREAMS = 100
const SHUTDOWN_MS = 2_000

/** Returns the height of the metadata; undefined for the latest. Throws `invalidArgument` for a bad one, or if two differ. */
function readHeight(metadata: Metadata): bigint | undefined {
  let selected: bigint | undefined
  for (const name of HEIGHT_NAMES) {
    for (const value of metadata.get(name)) selected = agree(selected, value.toString(), name)
  }
  return selected === 0n ? undefined : selected
}

function remainingMs(deadline: Date | number): number | undefined {
  const time = typeof deadline === 'number' ? deadline : deadline.getTime()
  return Number.isFinite(time) ? Math.max(0, time - Date.now()) : undefined
}

type UnaryCall = ServerUnaryCall<Buffer, Buffer>

/** Dependencies of a call. */
interface Serve {
  readonly node: GatewayNode
  readonly connections: GrpcConnections
  readonly idOf: ReturnType<typeof createRequestIds>
}

/** Answers a call when its connection has room for its answer. A call of a client that has disconnected does not run. */
async function answerUnary(
  { node, connections, idOf }: Serve,
  method: DescMethod,
  family: Family,
  call: UnaryCall,
  respond: sendUnaryData<Buffer>,
): Promise<void> {
  const abort = new AbortController()
  const { signal } = abort
  connections.note(call.getPeer(), signal)
  call.on('cancelled', () => abort.abort(DISCONNECTED))
  const end = await connections.enter(call.getPeer(), signal)
  try {
    if (!end) {
      node.observe?.({ gateway: 'grpc', operation: methodPath(method), status: 'cancelled' })
      return respond({ code: STATUS_CODES.cancelled.grpc, details: DISCONNECTED.message })
    }
    const refused = refusalOf(node, call, methodPath(method))
    if (refused) return respond(refused)
    const requestId = idOf(call.metadata.get(REQUEST_ID_HEADER).map(String))
    const answer = await answerCall(node, method, family, {
      requestId,
      request: call.request,
      height: () => readHeight(call.metadata),
      signal,
      timeoutMs: remainingMs(call.getDeadline()),
      pause: connections.pauseOf(call.getPeer()),
    })
    if (!signal.aborted) call.sendMetadata(metadataOf([[REQUEST_ID_HEADER, requestId], ...answer.headers]))
    if ('bytes' in answer) return respond(null, answer.bytes)
    const { code, details, status } = answer.failure
    const metadata = new Metadata()
    if (status) metadata.set('grpc-status-details-bin', Buffer.from(status))
    respond({ code, details, metadata })
  } finally {
    end?.()
  }
}

function metadataOf(headers: CallAnswer['headers']): Metadata {
  const metadata = new Metadata()
  for (const [name, value] of headers) metadata.set(name, value)
  return metadata
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
  const serve: Serve = { node, connections, idOf: createRequestIds() }
  const queried = queriedServicesOf(node.identity)
  for (const service of queried) addService(server, serve, service, names)
  const health = createHealthSource(node, names)
  const healthService = createHealth(node, health)
  server.addService(healthService.definition, healthService.implementation)
  const listed = queried.map(({ typeName }) => names.active.toName(typeName))
  const commentOfName = (name: string) => commentOf(node.identity, names.toNeutral(name))
  for (const reflection of createReflection(names.files, [...listed, Health.typeName], commentOfName, node)) {
    server.addService(reflection.definition, reflection.implementation)
  }
  const tcp = connections.createServer(() => server.createConnectionInjector(ServerCredentials.createInsecure()))
  return {
    listen: (port, host) => node.ports.open(tcp, port, host),
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
