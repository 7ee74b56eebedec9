/** The codes of a `ChainError` in REST, gRPC and JSON-RPC, and its body (docs/gateways.md#errors, D1). */
import { create, type Message, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { FieldViolationSchema } from '../gen/chain/errors/v1/errors_pb.ts'
import { StatusSchema } from '../gen/google/rpc/status_pb.ts'
import { messageType } from '../identity/registry.ts'
import { ChainError, queryError, type Status } from '../primitives/errors.ts'
import type { JsonWriter } from './json.ts'

export interface StatusCodes {
  readonly grpc: number
  readonly http: number
  readonly jsonRpc: number
}

/** Codes by status. A status without a row does not compile. */
export const STATUS_CODES: Readonly<Record<Status, StatusCodes>> = {
  cancelled: { grpc: 1, http: 408, jsonRpc: -32000 },
  unknown: { grpc: 2, http: 500, jsonRpc: -32000 },
  invalidArgument: { grpc: 3, http: 400, jsonRpc: -32000 },
  deadlineExceeded: { grpc: 4, http: 504, jsonRpc: -32002 },
  notFound: { grpc: 5, http: 404, jsonRpc: -32001 },
  alreadyExists: { grpc: 6, http: 409, jsonRpc: -32000 },
  permissionDenied: { grpc: 7, http: 403, jsonRpc: -32000 },
  resourceExhausted: { grpc: 8, http: 429, jsonRpc: -32005 },
  failedPrecondition: { grpc: 9, http: 400, jsonRpc: -32000 },
  aborted: { grpc: 10, http: 409, jsonRpc: -32000 },
  outOfRange: { grpc: 11, http: 400, jsonRpc: -32000 },
  unimplemented: { grpc: 12, http: 501, jsonRpc: -32004 },
  internal: { grpc: 13, http: 500, jsonRpc: -32603 },
  unavailable: { grpc: 14, http: 503, jsonRpc: -32000 },
  dataLoss: { grpc: 15, http: 500, jsonRpc: -32603 },
  unauthenticated: { grpc: 16, http: 401, jsonRpc: -32000 },
}

/** Returns the error of one wrong input: `invalid value for "<field>": <description>`, with the same as a typed detail. */
export function violation(field: string, description: string): ChainError {
  return queryError('invalidArgument', `invalid value for "${field}": ${description}`, [
    create(FieldViolationSchema, { field, description }),
  ])
}

/** Returns an expected failure as it is; any other thrown value is a bug, and becomes `internal` without its text. */
export function toChainError(thrown: unknown): ChainError {
  return thrown instanceof ChainError ? thrown : queryError('internal', 'internal error')
}

/** Packs details for `google.rpc.Status`. Omits a detail that cannot be encoded, so that the failure is always reported. */
function packDetails(details: readonly Message[]): Any[] {
  return details.flatMap((detail) => {
    const schema = messageType(detail.$typeName)
    try {
      return schema ? [create(AnySchema, { typeUrl: `/${schema.typeName}`, value: toBinary(schema, detail) })] : []
    } catch {
      return []
    }
  })
}

/** Returns `{error, code, message, details}` as JSON, in this order (D1). */
export function errorBody(writer: JsonWriter, error: ChainError): string {
  const message = JSON.stringify(error.message)
  const { grpc } = STATUS_CODES[error.status]
  return `{"error":${message},"code":${grpc},"message":${message},"details":${detailsText(writer, error)}}`
}

/** Returns the details as a JSON list of Any. */
export function detailsText(writer: JsonWriter, { details }: ChainError): string {
  return `[${packDetails(details).map(writer.of(AnySchema)).join(',')}]`
}

/** Returns the bytes of a `google.rpc.Status`, the value of `grpc-status-details-bin`. */
export function encodeStatus(error: ChainError): Uint8Array {
  return toBinary(
    StatusSchema,
    create(StatusSchema, {
      code: STATUS_CODES[error.status].grpc,
      message: error.message,
      details: packDetails(error.details),
    }),
  )
}
