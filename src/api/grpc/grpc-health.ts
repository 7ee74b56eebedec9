/** `grpc.health.v1.Health`: whether the node is ready, as `/readyz` reports over HTTP. */

import { create } from '@bufbuild/protobuf'
import type { ServerUnaryCall, ServerWritableStream, ServiceDefinition, sendUnaryData } from '@grpc/grpc-js'
import {
  Health,
  HealthCheckRequestSchema,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as Serving,
} from '../../gen/grpc/health/v1/health_pb.ts'
import { servicesOf } from '../../identity/registry.ts'
import { ChainError, queryError } from '../../primitives/errors.ts'
import type { GatewayNode } from '../gateway.ts'
import type { Names } from '../names.ts'
import { readMessage } from '../read-message.ts'
import { failureOf } from './call.ts'
import { bytesMethod, encodeBuffer } from './grpc-bytes.ts'
import { refusalOf } from './grpc-rates.ts'

const WATCH_MS = 1_000

/** Checks and watches of the node's health, by encoded messages. */
export interface HealthSource {
  /** Returns the encoded status of a request's service. Throws `invalidArgument` or `notFound`. */
  check(request: Uint8Array): Buffer
  /** Reports the encoded status of a request's service now and at each change. Returns the function that ends it. Throws `invalidArgument`. */
  watch(request: Uint8Array, report: (status: Buffer) => void, ended: () => void): () => void
  /** Ends all watches. */
  close(): void
}

/** Creates the source of one gateway. */
export function createHealthSource(node: GatewayNode, names: Names): HealthSource {
  const known = new Set(['', ...servicesOf(node.identity).flatMap(({ typeName }) => names.accepted(typeName))])
  const watches = new Set<() => void>()

  const statusOf = (service: string): Serving => {
    if (!known.has(service)) return Serving.SERVICE_UNKNOWN
    const { catchingUp, halted, latestHeight } = node.driver.status()
    return catchingUp || halted !== undefined || latestHeight < 1n ? Serving.NOT_SERVING : Serving.SERVING
  }
  const encode = (status: Serving) =>
    encodeBuffer(HealthCheckResponseSchema, create(HealthCheckResponseSchema, { status }))

  return {
    check(request) {
      const service = readService(node, request)
      if (!known.has(service)) throw queryError('notFound', 'unknown service')
      return encode(statusOf(service))
    },
    watch(request, report, ended) {
      const service = readService(node, request)
      let last: Serving | undefined
      const look = () => {
        const status = statusOf(service)
        if (status !== last) report(encode(status))
        last = status
      }
      look()
      const timer = setInterval(look, WATCH_MS)
      const stop = () => {
        clearInterval(timer)
        watches.delete(end)
      }
      const end = () => {
        stop()
        ended()
      }
      watches.add(end)
      return stop
    },
    close() {
      for (const end of watches) end()
    },
  }
}

/** Creates the service of a gRPC server over a source. */
export function createHealth(node: GatewayNode, source: HealthSource) {
  const fail = (thrown: unknown) => failureOf(node, `/${Health.typeName}`, thrown)
  return {
    definition: {
      Check: bytesMethod(`/${Health.typeName}/Check`, { request: false, response: false }),
      Watch: bytesMethod(`/${Health.typeName}/Watch`, { request: false, response: true }),
    } as ServiceDefinition,
    implementation: {
      Check(call: ServerUnaryCall<Buffer, Buffer>, respond: sendUnaryData<Buffer>) {
        const refused = refusalOf(node, call, '')
        if (refused) return respond(refused)
        try {
          respond(null, source.check(call.request))
        } catch (error) {
          respond(fail(error))
        }
      },
      Watch(call: ServerWritableStream<Buffer, Buffer>) {
        const refused = refusalOf(node, call, '')
        if (refused) return void call.emit('error', refused)
        try {
          const stop = source.watch(
            call.request,
            (status) => call.write(status),
            () => call.end(),
          )
          call.on('cancelled', stop)
        } catch (error) {
          call.emit('error', fail(error))
        }
      },
    },
  }
}

function readService({ identity }: GatewayNode, bytes: Uint8Array): string {
  try {
    return readMessage(identity, HealthCheckRequestSchema, bytes).service
  } catch (error) {
    if (error instanceof ChainError) throw error
    throw queryError('invalidArgument', 'malformed request')
  }
}
