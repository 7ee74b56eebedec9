/** One unary call, as gRPC and gRPC-web answer it: from encoded request to headers, and encoded response or failure. */

import type { DescMethod, Message } from '@bufbuild/protobuf'
import { methodPath } from '../../identity/registry.ts'
import { EMPTY, formatUtf8, utf8 } from '../../primitives/bytes.ts'
import { ChainError } from '../../primitives/errors.ts'
import { encodeStatus, STATUS_CODES, toChainError, violation } from '../errors.ts'
import type { GatewayNode } from '../gateway.ts'
import type { Family } from '../names.ts'
import { readMessage } from '../read-message.ts'
import { statusPairs } from '../status-headers.ts'
import type { Pause } from '../transport/slices.ts'
import { renameTypeUrls } from '../type-urls.ts'
import { encodeBuffer } from './grpc-bytes.ts'

/** Limits of a failure in the trailers of at most 64 kB: percent-encoding and base64 enlarge both. */
const MAX_MESSAGE_BYTES = 4 * 1024
const MAX_DETAILS_BYTES = 24 * 1024
/** Headers and metadata that name a height, in requests and in answers. */
export const HEIGHT_NAMES = ['x-sdk-block-height', 'x-cosmos-block-height'] as const

/** A failed call. */
export interface CallFailure {
  /** Status code of gRPC. */
  readonly code: number
  readonly details: string
  /** Encoded `google.rpc.Status`; absent without details. */
  readonly status?: Uint8Array
}

export type CallAnswer = {
  /** Name and value of each header: the height that was read, and a halt of the chain. */
  readonly headers: readonly (readonly [string, string])[]
} & ({ readonly bytes: Buffer } | { readonly failure: CallFailure })

export interface Call {
  /** Id in the record of the log about a bug. */
  readonly requestId: string
  readonly request: Uint8Array
  /** Returns the height of the request; undefined for the latest. Throws `invalidArgument` for a bad one, or if two differ. */
  readonly height: () => bigint | undefined
  readonly signal: AbortSignal
  readonly timeoutMs: number | undefined
  /** The pause between the steps of a long answer: reading, naming its types, encoding. */
  readonly pause: Pause
}

/** Answers a call in a family of names. Never rejects: a bug is logged, and the answer is `internal`. */
export async function answerCall(
  node: GatewayNode,
  method: DescMethod,
  { toName }: Family,
  { requestId, request, height, signal, timeoutMs, pause }: Call,
): Promise<CallAnswer> {
  const startedMs = performance.now()
  const path = methodPath(method)
  const answered = { gateway: 'grpc', operation: path, startedMs } as const
  let headers: CallAnswer['headers'] = []
  try {
    const answer = await node.dispatch({
      method: path,
      request: decode(node, method, toName, request),
      height: height(),
      signal: () => signal,
      timeoutMs,
    })
    headers = headersOf(node, answer.height)
    if (!answer.ok) throw answer.error
    const afterReading = pause()
    if (afterReading) await afterReading
    const named = renameTypeUrls(node.identity, { toName }, method.output, answer.response)
    const afterNaming = pause()
    if (afterNaming) await afterNaming
    const bytes = encodeBuffer(method.output, named)
    node.observe?.({ ...answered, status: 'ok' })
    return { headers, bytes }
  } catch (error) {
    node.observe?.({ ...answered, status: toChainError(error).status })
    return { headers, failure: failureOf(node, path, error, requestId) }
  }
}

function decode({ identity }: GatewayNode, method: DescMethod, toName: Family['toName'], bytes: Uint8Array): Message {
  try {
    return readMessage(identity, method.input, bytes)
  } catch (error) {
    if (error instanceof ChainError) throw error
    throw violation('request', `not an encoded ${toName(method.input.typeName)}`)
  }
}

function headersOf(node: GatewayNode, height: bigint | undefined): CallAnswer['headers'] {
  const heights = height === undefined ? [] : HEIGHT_NAMES.map((name) => [name, height.toString()] as const)
  return [...heights, ...statusPairs(node.driver)]
}

/** Returns the failure that a client sees. Logs anything but a `ChainError`. */
export function failureOf(node: GatewayNode, path: string, thrown: unknown, requestId?: string): CallFailure {
  if (!(thrown instanceof ChainError)) {
    const error = thrown instanceof Error ? thrown.stack : String(thrown)
    node.log('error', 'a gRPC call failed', {
      ...(requestId !== undefined && { request: requestId }),
      method: path,
      error,
    })
    return { code: STATUS_CODES.internal.grpc, details: 'internal error' }
  }
  const status = thrown.details.length > 0 ? encodeStatus(thrown) : EMPTY
  const isSent = status.length > 0 && status.length <= MAX_DETAILS_BYTES
  const { grpc: code } = STATUS_CODES[thrown.status]
  return { code, details: shorten(thrown.message), ...(isSent && { status }) }
}

/** Returns a message as well-formed text of limited length: it can quote any input of the caller. */
function shorten(message: string): string {
  const bytes = utf8(message)
  const shown = formatUtf8(bytes.subarray(0, MAX_MESSAGE_BYTES))
  return bytes.length <= MAX_MESSAGE_BYTES ? shown : `${shown}…`
}
