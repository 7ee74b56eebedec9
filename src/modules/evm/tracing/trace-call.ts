/** Traces of calls, and of transactions that are in no block (docs/modules/evm.md#traces, D33). */

import { formatHex0x, ZERO_WORD } from '../../../primitives/bytes.ts'
import { ChainError } from '../../../primitives/errors.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import { type CallMessage, callMessage, runMessage } from '../calls/call.ts'
import type { BlockOverrides } from '../calls/call-args.ts'
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

type Subject =
  | { readonly kind: 'call'; readonly call: CallPayload }
  | { readonly kind: 'messages'; readonly messages: TracedMessages }

/** Runs the subject and writes its result. Throws the errors of `runCall`, and the errors of the tracer. */
export function traceCall(ctx: ReadContext, subject: Subject, writer: TraceWriter, resources: TraceResources): void {
  let trace: OpenTrace | undefined
  const shouldStop = (): boolean => trace?.shouldStop() ?? resources.shouldStop()
  const { stateOverrides, blockOverrides, proposer } =
    subject.kind === 'call' ? subject.call : { ...subject.messages, stateOverrides: undefined }
  const setup = callSetup(ctx, { stateOverrides, blockOverrides, proposer, shouldStop })
  const state = setup.open()
  const place = { blockNumber: setup.block.number }

  /** Runs one message; a failure of the trace itself is thrown by `finish`. */
  function run(message: CallMessage, head: string): void {
    const opened = writer.open(place, setup.precompiles, head)
    trace = opened
    try {
      runMessage({ ...setup, tracer: opened.tracer }, message, state).keep()
    } catch (error) {
      // Stopped by the deadline, or by the tracer, whose `finish` throws the reason.
      if (!(error instanceof ChainError) || error.status !== 'deadlineExceeded') throw error
    } finally {
      trace = undefined
    }
    opened.finish()
  }

  if (subject.kind === 'call') {
    const { args, gasCap } = subject.call
    const gas = args.gas !== undefined && args.gas < gasCap ? args.gas : gasCap
    run(callMessage(setup, args, gas), '')
    return
  }
  const { predecessors, traced, isList } = subject.messages
  for (const message of predecessors) runMessage(setup, message, state).keep()
  if (!isList) {
    run(traced[0]!, '')
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
