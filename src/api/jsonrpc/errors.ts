/** What a JSON-RPC method may answer instead of a result, in geth's codes and words. */
import { create, isMessage, type Message } from '@bufbuild/protobuf'
import { RevertSchema } from '../../gen/chain/errors/v1/errors_pb.ts'
import { formatHex0x } from '../../primitives/bytes.ts'
import { ChainError, type Status } from '../../primitives/errors.ts'
import { detailsText, STATUS_CODES } from '../errors.ts'
import type { JsonWriter } from '../json.ts'

const CODESPACE = 'jsonrpc'

/** The member `error` of an answer. */
export interface RpcErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

function rpcError(code: number, status: Status, message: string, details: readonly Message[] = []): ChainError {
  return new ChainError(CODESPACE, { code, status, text: message }, message, details)
}

export const parseError = (): ChainError => rpcError(-32700, 'invalidArgument', 'parse error')
export const invalidRequest = (message: string): ChainError => rpcError(-32600, 'invalidArgument', message)
export const invalidParams = (message: string): ChainError => rpcError(-32602, 'invalidArgument', message)
export const methodNotFound = (method: string): ChainError =>
  rpcError(-32601, 'unimplemented', `the method ${method} does not exist/is not available`)
/** A kind of subscription that there is not, which geth counts among the methods. */
export const subscriptionNotFound = (kind: string): ChainError =>
  rpcError(-32601, 'unimplemented', `no ${JSON.stringify(kind)} subscription in eth namespace`)
/** The general failure of a method. */
export const serverError = (message: string): ChainError => rpcError(-32000, 'unknown', message)
/** A limit of the server: size of an answer, number of filters, time. */
export const limitExceeded = (message: string): ChainError => rpcError(-32005, 'resourceExhausted', message)
/** A reverted call: code 3, and the revert bytes as `data`. */
export const reverted = (message: string, data: Uint8Array): ChainError =>
  rpcError(3, 'invalidArgument', message, [create(RevertSchema, { reason: message, data })])

/** The error object of a failure, with its first detail as `data`; undefined for a bug, which shows nothing of itself. */
export function toRpcError(error: unknown, writer: JsonWriter): RpcErrorObject | undefined {
  if (!(error instanceof ChainError)) return undefined
  const revert = error.details.find((detail) => isMessage(detail, RevertSchema))
  if (revert) return { code: 3, message: error.message, data: formatHex0x(revert.data) }
  const [data] = JSON.parse(detailsText(writer, error)) as unknown[]
  return {
    code: error.codespace === CODESPACE ? error.code : STATUS_CODES[error.status].jsonRpc,
    message: error.message,
    ...(data !== undefined && { data }),
  }
}
