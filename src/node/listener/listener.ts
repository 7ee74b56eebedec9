/**
 * The listener plugin of a node of SDK 0.50 and later (ADR-038): a program that the node starts, and that receives the changes of
 * each block over gRPC. It acknowledges a block once its file is durable. Source: docs/follow.md#a-node-of-sdk-050.
 */
import { create, toBinary } from '@bufbuild/protobuf'
import {
  type MethodDefinition,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  status as Status,
  type sendUnaryData,
} from '@grpc/grpc-js'
import {
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as Serving,
} from '../../gen/grpc/health/v1/health_pb.ts'
import { EMPTY } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { openStreamWriter, readChangeSet } from './change-sets.ts'

/** The variable by which a node tells its plugin that it has started it, and its value. */
export const HANDSHAKE = { name: 'ABCI_LISTENER_PLUGIN', value: 'ef78114d-7bdf-411c-868f-347c99a78345' } as const

/** The listener service under the names of the families of chains. */
const LISTENERS: readonly string[] = ['cosmos', 'sdk'].map(
  (family) => `${family}.store.streaming.abci.ABCIListenerService`,
)
/** The services of the plugin library that its host calls. */
const CONTROLLER = 'plugin.GRPCController'
const HEALTH = 'grpc.health.v1.Health'

export interface Listener {
  /** The line that the node reads from standard output: versions, address and protocol. */
  readonly handshake: string
  /** Resolves when the node has told the plugin to end. */
  readonly ended: Promise<void>
  /** Takes no further call. Answers that are on their way arrive. */
  close(): void
}

type Call = ServerUnaryCall<Buffer, Buffer>
type Done = sendUnaryData<Buffer>

const whole = (bytes: Buffer): Buffer => bytes
const definitionOf = (service: string, method: string): MethodDefinition<Buffer, Buffer> => ({
  path: `/${service}/${method}`,
  requestStream: false,
  responseStream: false,
  requestSerialize: whole,
  requestDeserialize: whole,
  responseSerialize: whole,
  responseDeserialize: whole,
})

/** Serves a node that writes into a folder. Rejects if the folder cannot be written. */
export async function openListener(folder: string, onBlock: (height: bigint) => void): Promise<Listener> {
  const writer = openStreamWriter(folder)
  // A genesis document can be larger than the limit of four megabytes that servers have by default.
  const server = new Server({ 'grpc.max_receive_message_length': -1 })
  const nothing = Buffer.from(EMPTY)
  const serving = Buffer.from(
    toBinary(HealthCheckResponseSchema, create(HealthCheckResponseSchema, { status: Serving.SERVING })),
  )
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })

  function commit(call: Call, done: Done): void {
    try {
      const changes = readChangeSet(call.request)
      writer.write(changes)
      onBlock(changes.height)
      done(null, nothing)
    } catch (error) {
      done({ code: Status.UNAVAILABLE, details: (error as Error).message })
    }
  }

  for (const service of LISTENERS) {
    server.addService(
      {
        ListenFinalizeBlock: definitionOf(service, 'ListenFinalizeBlock'),
        ListenCommit: definitionOf(service, 'ListenCommit'),
      },
      { ListenFinalizeBlock: (_: Call, done: Done) => done(null, nothing), ListenCommit: commit },
    )
  }
  server.addService({ Check: definitionOf(HEALTH, 'Check') }, { Check: (_: Call, done: Done) => done(null, serving) })
  server.addService(
    { Shutdown: definitionOf(CONTROLLER, 'Shutdown') },
    {
      Shutdown(_: Call, done: Done) {
        done(null, nothing)
        end()
      },
    },
  )
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, found) =>
      error ? reject(queryError('unavailable', `the listener cannot open a port: ${error.message}`)) : resolve(found),
    )
  })
  return { handshake: `1|1|tcp|127.0.0.1:${port}|grpc`, ended, close: () => server.tryShutdown(() => undefined) }
}
