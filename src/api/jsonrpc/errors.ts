/** Errors of JSON-RPC methods, with the codes and texts of geth. */
import { create, isMessage, type Message } from '@bufbuild/protobuf'
import { RevertSchema, WaitingTransactionSchema } from '../../gen/chain/errors/v1/errors_pb.ts'
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
/** Length of a name of a client in an error. Beyond: it is cut off. Unit: characters. */
const MAX_NAME_CHARACTERS = 128
const shown = (name: string): string =>
  name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS)}…` : name

export const methodNotFound = (method: string): ChainError =>
  rpcError(-32601, 'unimplemented', `the method ${shown(method)} does not exist/is not available`)
/** Returns the error for a method whose namespace a flag leaves out. */
export const methodNotServed = (method: string, flag: string): ChainError =>
  rpcError(
    -32601,
    'unimplemented',
    `the method ${shown(method)} is not available here: its namespace is not among those of ${flag}`,
  )
/** Returns the error for an unknown kind of subscription, which geth treats as an unknown method. */
export const subscriptionNotFound = (kind: string): ChainError =>
  rpcError(-32601, 'unimplemented', `no ${JSON.stringify(shown(kind))} subscription in eth namespace`)
/** Returns the error for a caller without access to a method (EIP-1193). */
export const unauthorized = (message: string): ChainError => rpcError(4100, 'permissionDenied', message)
/** Returns the general failure of a method. */
export const serverError = (message: string): ChainError => rpcError(-32000, 'unknown', message)
/** Returns the error for an exceeded limit of the server: size of an answer, number of filters, time. */
export const limitExceeded = (message: string): ChainError => rpcError(-32005, 'resourceExhausted', message)
/** Returns the error of a batch whose answers exceed their limit, with the code of geth. */
export const responseTooLarge = (): ChainError => rpcError(-32003, 'resourceExhausted', 'response too large')
/** Returns the error of an answer that must be one text, and is too long for that. */
export const messageTooLong = (): ChainError =>
  serverError('the answer is longer than 64 MiB: send its request over HTTP and alone, where its length has no limit')
/** Returns the error of a reverted call: code 3, with the revert bytes as `data`. */
export const reverted = (message: string, data: Uint8Array): ChainError =>
  rpcError(3, 'invalidArgument', message, [create(RevertSchema, { reason: message, data })])

/** Returns the error for a transaction that waits when its request ends, with its hash as `data`: code 4 or 5 (EIP-7966). */
export const stillWaiting = (code: 4 | 5, message: string, hash: Uint8Array): ChainError =>
  rpcError(code, 'deadlineExceeded', message, [create(WaitingTransactionSchema, { hash })])

/** Returns the error object of a failure, with its first detail as `data`; undefined for a bug, whose text is hidden. */
export function toRpcError(error: unknown, writer: JsonWriter): RpcErrorObject | undefined {
  if (!(error instanceof ChainError)) return undefined
  const revert = error.details.find((detail) => isMessage(detail, RevertSchema))
  if (revert) return { code: 3, message: error.message, data: formatHex0x(revert.data) }
  const waiting = error.details.find((detail) => isMessage(detail, WaitingTransactionSchema))
  if (waiting) return { code: error.code, message: error.message, data: formatHex0x(waiting.hash) }
  const [data] = JSON.parse(detailsText(writer, error)) as unknown[]
  return {
    code: error.codespace === CODESPACE ? error.code : STATUS_CODES[error.status].jsonRpc,
    message: error.message,
    ...(data !== undefined && { data }),
  }
}
