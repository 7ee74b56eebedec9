/** Traces of what is in no block: calls, and transactions that somebody holds (D33, evm.md §2.11). */

import { formatHex0x } from '../../../primitives/bytes.ts'
import { ChainError } from '../../../primitives/errors.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import { type CallMessage, callGround, callMessage, runMessage } from '../calls/call.ts'
import type { BlockOverrides } from '../calls/call-args.ts'
import type { CallPayload } from '../jobs.ts'
import { HOLD_BACK_BYTES, type OpenTrace, type TraceMeans, type TraceWriter, timedOut } from './tracing.ts'

export interface TracedMessage extends CallMessage {
  /** Of the transaction, where it is one. */
  readonly hash?: Uint8Array | undefined
}

export interface TracedMessages {
  /** Run before, untraced. */
  readonly predecessors: readonly TracedMessage[]
  readonly traced: readonly TracedMessage[]
  /** Whether the result is a list with an element for each, as that of a block. */
  readonly isList: boolean
  readonly blockOverrides: BlockOverrides | undefined
  readonly proposer: Uint8Array | undefined
}

type Subject =
  | { readonly kind: 'call'; readonly call: CallPayload }
  | { readonly kind: 'messages'; readonly messages: TracedMessages }

/** Runs the subject and writes its result. Throws as `runCall`, and what a trace throws. */
export function traceCall(ctx: ReadContext, subject: Subject, writer: TraceWriter, means: TraceMeans): void {
  let trace: OpenTrace | undefined
  const shouldStop = (): boolean => trace?.shouldStop() ?? means.shouldStop()
  const { stateOverrides, blockOverrides, proposer } =
    subject.kind === 'call' ? subject.call : { ...subject.messages, stateOverrides: undefined }
  const ground = callGround(ctx, { stateOverrides, blockOverrides, proposer, shouldStop })
  const state = ground.open()
  const place = { blockNumber: ground.block.number }

  /** Runs one message; a failure of the trace itself is thrown by `finish`. */
  function run(message: CallMessage, head: string): void {
    const opened = writer.open(place, ground.precompiles, head)
    trace = opened
    try {
      runMessage({ ...ground, tracer: opened.tracer }, message, state).keep()
    } catch (error) {
      // Stopped: by the time, or by the trace, which then says why.
      if (!(error instanceof ChainError) || error.status !== 'deadlineExceeded') throw error
    } finally {
      trace = undefined
    }
    opened.finish()
  }

  if (subject.kind === 'call') {
    const { args, gasCap } = subject.call
    const gas = args.gas !== undefined && args.gas < gasCap ? args.gas : gasCap
    run(callMessage(args, gas, ground.block.baseFee), '')
    return
  }
  const { predecessors, traced, isList } = subject.messages
  for (const message of predecessors) runMessage(ground, message, state).keep()
  if (!isList) {
    run(traced[0]!, '')
    return
  }
  const { output } = writer
  output.text('[')
  for (const [i, message] of traced.entries()) {
    const head = `${i === 0 ? '' : ','}{"txHash":"${formatHex0x(message.hash ?? new Uint8Array(32))}",`
    try {
      if (means.shouldStop()) throw timedOut()
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
