/** Traces of stored blocks and of calls as views: streamed whole, or as separate values. */
import type { StoredBlock } from '../../app/records.ts'
import type { TracePayload } from '../../app/trace-jobs.ts'
import type { TraceView } from '../../evm/tracers/views/view.ts'
import { SEPARATOR } from '../../evm/tracers/views/view-options.ts'
import { formatUtf8 } from '../../primitives/bytes.ts'
import type { GatewayNode } from '../gateway.ts'
import type { TraceSettings } from '../trace-config.ts'
import { minedOrder, type TraceOrder } from '../trace-request.ts'
import { collect, runTrace } from '../traces.ts'
import type { RpcCall } from './method.ts'
import { type Streamed, streamed } from './streamed.ts'

/** Returns the settings of a trace in the form of a view, with the time budget of a call. */
export function viewSettings({ settings }: GatewayNode, view: TraceView | undefined): TraceSettings {
  const config = {
    tracer: '',
    tracerConfig: undefined,
    limit: 0,
    disableStack: false,
    disableStorage: false,
    enableMemory: false,
    enableReturnData: false,
    debug: false,
    view,
  }
  return { config, timeoutMs: settings.evmTimeoutMs, notice: undefined }
}

/** Streams the result of a trace: a list of the values of its views, or the only one. */
export function streamView({ node, signal }: RpcCall, order: TraceOrder, isList: boolean): Streamed {
  const listed = { ...order, payload: { ...order.payload, isList } }
  return streamed((onPart) => runTrace(node, listed, { signal: signal(), onPart }))
}

/** Streams a view of a stored block, or of one of its EVM transactions by index. */
export function streamMined(
  call: RpcCall,
  block: StoredBlock,
  target: number | undefined,
  view: TraceView,
  isList: boolean,
): Streamed {
  return streamView(call, minedOrder(call.node, block, target, viewSettings(call.node, view)), isList)
}

/** Returns the order of a subject that is in no block, on the state of a height. */
export function viewOrder(
  node: GatewayNode,
  subject: TracePayload['subject'],
  height: bigint | undefined,
  view?: TraceView,
): TraceOrder {
  const settings = viewSettings(node, view)
  const payload = { config: settings.config, subject, outputBytes: Number.POSITIVE_INFINITY }
  return { payload, height, shownHeight: undefined, settings }
}

/**
 * Returns the values of a view of a stored block, or of one of its EVM transactions, each as JSON. Rejects with
 * `resourceExhausted` if they have more than `mostBytes` together, and with `deadlineExceeded` after the time.
 */
export async function viewValues(
  { node, signal }: Pick<RpcCall, 'node' | 'signal'>,
  block: StoredBlock,
  target: number | undefined,
  view: TraceView,
  { timeoutMs, mostBytes }: { readonly timeoutMs: number; readonly mostBytes: number },
): Promise<readonly string[]> {
  const order = minedOrder(node, block, target, viewSettings(node, view))
  const whole = collect()
  const bounded = { ...order, payload: { ...order.payload, outputBytes: mostBytes } }
  await runTrace(node, bounded, { signal: signal(), timeoutMs, onPart: whole.onPart })
  const text = formatUtf8(whole.bytes())
  return text === '' ? [] : text.split(SEPARATOR)
}
