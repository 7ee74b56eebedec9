/** `grpc.health.v1.Health`: whether the node is ready, as `/readyz` reports over HTTP. */
import { create, fromBinary } from '@bufbuild/protobuf'
import type { ServerUnaryCall, ServerWritableStream, ServiceDefinition, sendUnaryData } from '@grpc/grpc-js'
import {
  Health,
  HealthCheckRequestSchema,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as Serving,
} from '../../gen/grpc/health/v1/health_pb.ts'
import { services } from '../../identity/registry.ts'
import type { GatewayNode } from '../gateway.ts'
import type { Names } from '../names.ts'
import { bytesMethod, encodeBuffer } from './grpc-bytes.ts'

const WATCH_MS = 1_000
const INVALID_ARGUMENT = 3
const NOT_FOUND = 5

/** Creates the service. `close` ends its watches. */
export function createHealth(node: GatewayNode, names: Names) {
  const known = new Set(['', ...services.flatMap(({ typeName }) => names.accepted(typeName))])
  const watches = new Set<() => void>()

  const statusOf = (service: string): Serving => {
    if (!known.has(service)) return Serving.SERVICE_UNKNOWN
    const { catchingUp, halted, latestHeight } = node.driver.status()
    return catchingUp || halted !== undefined || latestHeight < 1n ? Serving.NOT_SERVING : Serving.SERVING
  }
  const encode = (status: Serving) =>
    encodeBuffer(HealthCheckResponseSchema, create(HealthCheckResponseSchema, { status }))

  return {
    definition: {
      Check: bytesMethod(`/${Health.typeName}/Check`, { request: false, response: false }),
      Watch: bytesMethod(`/${Health.typeName}/Watch`, { request: false, response: true }),
    } as ServiceDefinition,
    implementation: {
      Check(call: ServerUnaryCall<Buffer, Buffer>, respond: sendUnaryData<Buffer>) {
        const service = readService(call.request)
        if (service === undefined) return respond({ code: INVALID_ARGUMENT, details: 'malformed request' })
        if (!known.has(service)) return respond({ code: NOT_FOUND, details: 'unknown service' })
        respond(null, encode(statusOf(service)))
      },
      Watch(call: ServerWritableStream<Buffer, Buffer>) {
        const service = readService(call.request)
        if (service === undefined)
          return void call.emit('error', { code: INVALID_ARGUMENT, details: 'malformed request' })
        let last: Serving | undefined
        const report = () => {
          const status = statusOf(service)
          if (status !== last) call.write(encode(status))
          last = status
        }
        report()
        const timer = setInterval(report, WATCH_MS)
        const stop = () => {
          clearInterval(timer)
          watches.delete(end)
        }
        const end = () => {
          stop()
          call.end()
        }
        watches.add(end)
        call.on('cancelled', stop)
      },
    },
    close() {
      for (const end of watches) end()
    },
  }
}

function readService(bytes: Buffer): string | undefined {
  try {
    return fromBinary(HealthCheckRequestSchema, bytes).service
  } catch {
    return undefined
  }
}
