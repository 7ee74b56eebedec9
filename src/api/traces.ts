/** Runs traces in the compute pool and returns their results, in parts or whole. */
import { create, type Message } from '@bufbuild/protobuf'
import {
  type QueryTraceBlockRequest,
  QueryTraceBlockResponseSchema,
  type QueryTraceTxRequest,
  QueryTraceTxResponseSchema,
} from '../gen/chain/evm/v1/query_pb.ts'
import { concat } from '../primitives/bytes.ts'
import { ChainError, queryError } from '../primitives/errors.ts'
import type { GatewayNode, PartTaker, QueryAnswer, QueryCall } from './gateway.ts'
import { blockOrder, type TraceOrder, txOrder } from './trace-request.ts'

/** Limit of an answer that is not streamed. */
export const WHOLE_BYTES = 64 << 20
/** Length of the end of a result that is logged. */
const LOGGED_BYTES = 2048

/** Runs a trace and passes its result to `onPart`. Rejects if it fails; some parts can be sent by then. */
export async function runTrace(
  node: GatewayNode,
  order: TraceOrder,
  {
    signal,
    timeoutMs,
    onPart,
  }: { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number | undefined; readonly onPart: PartTaker },
): Promise<void> {
  const { payload, height, settings } = order
  const tail = payload.config.debug ? createTail() : undefined
  const take: PartTaker = tail
    ? (part, done) => {
        tail.add(part)
        onPart(part, done)
      }
    : onPart
  const limitMs = Math.min(settings.timeoutMs, timeoutMs ?? settings.timeoutMs)
  try {
    await node.compute.run('trace', payload, { height, signal, timeoutMs: limitMs, onPart: take })
  } catch (error) {
    if (error instanceof ChainError && error.status === 'deadlineExceeded') throw lateError(settings.notice)
    throw error
  } finally {
    if (tail) node.log('info', 'trace captured', { end: tail.text() })
  }
}

/** Returns the error of a trace over its time, with a notice if the requested time was reduced (D39). */
function lateError(notice: string | undefined): ChainError {
  return queryError('deadlineExceeded', notice === undefined ? 'execution timeout' : `execution timeout: ${notice}`)
}

/** Buffers the end of a result. */
function createTail() {
  let kept: Uint8Array = new Uint8Array(0)
  return {
    add(part: Uint8Array) {
      const joined = part.length >= LOGGED_BYTES ? part : concat(kept, part)
      kept = joined.slice(-LOGGED_BYTES)
    },
    /** Returns printable ASCII with everything else escaped, so that it is one log record. */
    text: () =>
      Array.from(kept, (byte) =>
        byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
      ).join(''),
  }
}

/** Collects the parts of a result into one. `bytes` throws `resourceExhausted` for more than 64 MiB. */
export function collect(): {
  readonly onPart: PartTaker
  readonly isTooLong: () => boolean
  readonly bytes: () => Uint8Array
} {
  const parts: Uint8Array[] = []
  let size = 0
  return {
    onPart(part, done) {
      size += part.length
      if (size <= WHOLE_BYTES) parts.push(part.slice())
      done()
    },
    isTooLong: () => size > WHOLE_BYTES,
    bytes() {
      if (size <= WHOLE_BYTES) return concat(...parts)
      throw queryError('resourceExhausted', `the answer is larger than the budget of ${WHOLE_BYTES} bytes`)
    },
  }
}

type OrderOf = (node: GatewayNode, request: Message, asked: bigint | undefined) => Promise<TraceOrder>

const ORDERS: ReadonlyMap<string, { readonly orderOf: OrderOf; readonly isBlock: boolean }> = new Map([
  [
    '/chain.evm.v1.Query/TraceTx',
    { orderOf: (node, request, asked) => txOrder(node, request as QueryTraceTxRequest, asked, false), isBlock: false },
  ],
  [
    '/chain.evm.v1.Query/TraceCall',
    { orderOf: (node, request, asked) => txOrder(node, request as QueryTraceTxRequest, asked, true), isBlock: false },
  ],
  [
    '/chain.evm.v1.Query/TraceBlock',
    { orderOf: (node, request, asked) => blockOrder(node, request as QueryTraceBlockRequest, asked), isBlock: true },
  ],
])

export const isTrace = (method: string): boolean => ORDERS.has(method)

/** Answers a trace operation. If the call has `onPart`, the result is passed there and the response is empty. */
export async function answerTrace(node: GatewayNode, call: QueryCall): Promise<QueryAnswer> {
  const { orderOf, isBlock } = ORDERS.get(call.method)!
  let height: bigint | undefined
  try {
    // A requested height must be readable even if the trace does not read it.
    if (call.height !== undefined) node.withContext(call.height, () => undefined)
    const order = await orderOf(node, call.request, call.height)
    height = order.shownHeight ?? node.withContext(order.height, (ctx) => ctx.block.height)
    const whole = call.onPart ? undefined : collect()
    await runTrace(node, order, {
      signal: call.signal?.(),
      timeoutMs: call.timeoutMs,
      onPart: call.onPart ?? whole!.onPart,
    })
    const data = whole?.bytes() ?? new Uint8Array(0)
    const response = create(isBlock ? QueryTraceBlockResponseSchema : QueryTraceTxResponseSchema, { data })
    const { notice } = order.settings
    const headers = notice === undefined ? {} : { headers: { Warning: `199 - ${JSON.stringify(notice)}` } }
    return { ok: true, height, response, ...headers }
  } catch (thrown) {
    const known = height === undefined ? {} : { height }
    if (thrown instanceof ChainError) return { ok: false, ...known, error: thrown }
    node.log('error', 'a trace failed', { method: call.method, error: thrown instanceof Error ? thrown.stack : thrown })
    return { ok: false, ...known, error: queryError('internal', 'internal error') }
  }
}
