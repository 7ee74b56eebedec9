/** Traces of calls, and of transactions that are in no block (docs/modules/evm.md#traces, D33). */

import type { TraceView } from '../../../evm/tracers/views/view.ts'
import { formatHex0x, ZERO_WORD } from '../../../primitives/bytes.ts'
import { ChainError } from '../../../primitives/errors.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import { type CallMessage, callMessage, requireValue, runMessage } from '../calls/call.ts'
import type { BlockOverrides, CallArgs } from '../calls/call-args.ts'
import { callSetup } from '../calls/call-setup.ts'
import type { CallPayload } from '../calls/jobs.ts'
import { HOLD_BACK_BYTES, type OpenTrace, type TraceResources, type TraceWriter, timedOut } from './trace-writer.ts'

export interface TracedMessage extends CallMessage {
  /** Hash of the transaction; absent for a call. */
  readonly hash?: Uint8Array | undefined
}

export interface TracedMessages {
  /** Messages that run first, untraced. */
  readonly predecessors: readonly TracedMessage[]
  readonly traced: readonly TracedMessage[]
  /** Whether the result is a list with one element for each message, as for a block. */
  readonly isList: boolean
  readonly blockOverrides: BlockOverrides | undefined
  readonly proposer: Uint8Array | undefined
}

/** Calls that run one after the other, each on the state after the one before. */
export interface TracedCalls {
  readonly calls: readonly { readonly args: CallArgs; readonly view: TraceView }[]
  /** Gas cap of one call. */
  readonly gasCap: bigint
}

/** Calls that run one after the other, in blocks of their own: each on the state after the one before. */
export interface TracedBundles {
  readonly bundles: readonly {
    readonly calls: readonly CallArgs[]
    readonly blockOverrides: BlockOverrides | undefined
  }[]
  readonly stateOverrides: CallPayload['stateOverrides']
  /** Gas cap of one call. */
  readonly gasCap: bigint
}

type Subject =
  | { readonly kind: 'call'; readonly call: CallPayload }
  | { readonly kind: 'calls'; readonly calls: TracedCalls }
  | { readonly kind: 'bundles'; readonly bundles: TracedBundles }
  | { readonly kind: 'messages'; readonly messages: TracedMessages }

/** Returns what the subject changes in its block and state. */
function overridesOf(subject: Subject): Pick<CallPayload, 'stateOverrides' | 'blockOverrides' | 'proposer'> {
  if (subject.kind === 'call') return subject.call
  if (subject.kind === 'bundles') return { stateOverrides: subject.bundles.stateOverrides }
  return subject.kind === 'calls' ? {} : { ...subject.messages, stateOverrides: undefined }
}

/**
 * Runs the subject and writes its result. Throws the errors of `runCall`, those of the tracer and, for a single call, those of
 * `requireValue`.
 */
export function traceCall(
  ctx: ReadContext,
  subject: Subject,
  writer: TraceWriter,
  resources: TraceResources,
  view?: TraceView,
): void {
  let trace: OpenTrace | undefined
  const shouldStop = (): boolean => trace?.shouldStop() ?? resources.shouldStop()
  const setup = callSetup(ctx, { ...overridesOf(subject), shouldStop })
  const state = setup.open()
  const place = { blockNumber: setup.block.number }

  /** Runs one message; a failure of the trace itself is thrown by `finish`. */
  function run(message: CallMessage, head: string, form = view, txHash?: Uint8Array, own = setup): void {
    const opened = form ? writer.openView(form, { ...place, txHash }) : writer.open(place, setup.precompiles, head)
    trace = opened
    try {
      runMessage({ ...own, tracer: opened.tracer }, message, state).keep()
    } catch (error) {
      // Stopped by the deadline, or by the tracer, whose `finish` throws the reason.
      if (!(error instanceof ChainError) || error.status !== 'deadlineExceeded') throw error
    } finally {
      trace = undefined
    }
    opened.finish()
  }

  const cappedMessage = (args: CallArgs, gasCap: bigint, own = setup): CallMessage =>
    callMessage(own, args, args.gas !== undefined && args.gas < gasCap ? args.gas : gasCap)
  if (subject.kind === 'call') {
    const { args, gasCap } = subject.call
    // A transaction like this is in no block: geth refuses it before its code runs.
    requireValue(setup, args)
    run(cappedMessage(args, gasCap), '')
    return
  }
  if (subject.kind === 'calls') {
    const { calls, gasCap } = subject.calls
    for (const one of calls) run(cappedMessage(one.args, gasCap), '', one.view)
    return
  }
  if (subject.kind === 'bundles') {
    const { bundles, stateOverrides, gasCap } = subject.bundles
    writeLists(bundles, writer, ({ calls, blockOverrides }) => {
      const own = blockOverrides ? callSetup(ctx, { stateOverrides, blockOverrides, shouldStop }) : setup
      return calls.map((args) => (head: string) => {
        if (resources.shouldStop()) throw timedOut()
        run(cappedMessage(args, gasCap, own), head, undefined, undefined, own)
      })
    })
    return
  }
  const { predecessors, traced, isList } = subject.messages
  for (const message of predecessors) runMessage(setup, message, state).keep()
  if (!isList) {
    run(traced[0]!, '', view, traced[0]!.hash)
    return
  }
  const { output } = writer
  output.text('[')
  for (const [i, message] of traced.entries()) {
    const head = `${i === 0 ? '' : ','}{"txHash":"${formatHex0x(message.hash ?? ZERO_WORD)}",`
    try {
      if (resources.shouldStop()) throw timedOut()
      run(message, `${head}"result":`)
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      if (error.status === 'deadlineExceeded' && output.written < HOLD_BACK_BYTES) throw error
      output.text(`${head}"error":${JSON.stringify(error.message)}`)
    }
    output.text('}')
  }
  output.text(']')
}

/** Writes a list of lists. Each function of `entriesOf` writes one entry after a head. */
function writeLists<Item>(
  items: readonly Item[],
  { output }: TraceWriter,
  entriesOf: (item: Item) => readonly ((head: string) => void)[],
): void {
  output.text('[')
  for (const [i, item] of items.entries()) {
    output.text(i === 0 ? '[' : ',[')
    for (const [j, write] of entriesOf(item).entries()) write(j === 0 ? '' : ',')
    output.text(']')
  }
  output.text(']')
}
