/** Views: forms of a transaction's calls that no tracer of geth has, for other APIs. Every view is written from one tracer of calls. */
import { queryError } from '../../../primitives/errors.ts'
import { type CallFrame, createCallTree } from '../call-frames.ts'
import { createMemoryBudget, type Trace } from '../tracer.ts'
import { type FlatView, writeFlat } from './flat.ts'
import { writeCreator, writeEntries, writeOperations, writeOutput } from './otterscan.ts'
import { createParticipantsTrace } from './participants.ts'
import { createReplayTrace, type ReplayView } from './replay.ts'
import { isShown } from './shown.ts'
import type { ViewOptions } from './view-options.ts'

/** The form of a trace; plain data. A view writes any number of JSON values for a transaction, with `SEPARATOR` between them. */
export type TraceView =
  | FlatView
  | ReplayView
  /** Calls in order with their depth (`ots_traceTransaction`). */
  | { readonly kind: 'entries' }
  /** Transfers, creations and self-destructs inside a transaction (`ots_getInternalOperations`). */
  | { readonly kind: 'operations' }
  /** Bytes that a failed transaction returned (`ots_getTransactionError`). */
  | { readonly kind: 'output' }
  /** Creator of a contract, if the transaction created it (`ots_getContractCreator`). */
  | { readonly kind: 'creator'; readonly contract: Uint8Array }
  /** Index of the transaction in its block, and the accounts that its calls name. */
  | { readonly kind: 'participants' }

/** Whether a view writes while the code runs. */
export const isStreamed = (view: TraceView): boolean => view.kind === 'replay' && view.vmTrace

/** Creates the trace of a view. */
export function createViewTrace(view: TraceView, options: ViewOptions): Trace {
  if (view.kind === 'participants') return createParticipantsTrace(options)
  if (view.kind === 'replay') return createReplayTrace(view, options)
  const budget = createMemoryBudget(options.memoryBytes)
  const tree = createCallTree({
    onlyTopCall: view.kind === 'output',
    withLog: false,
    budget,
    firstLogIndex: 0,
    keeps: isShown,
    isCodeGas: true,
  })
  return {
    tracer: tree.tracer,
    isFull: budget.isFull,
    finish() {
      budget.check()
      const top = tree.top()
      if (!top) throw queryError('internal', 'nothing was executed')
      write(view, top, options)
    },
  }
}

type TreeView = Exclude<TraceView, { readonly kind: 'participants' | 'replay' }>

function write(view: TreeView, top: CallFrame, { output, context }: ViewOptions): void {
  switch (view.kind) {
    case 'flat':
      writeFlat(output, top, context, view)
      break
    case 'entries':
      writeEntries(output, top)
      break
    case 'operations':
      writeOperations(output, top)
      break
    case 'output':
      writeOutput(output, top)
      break
    case 'creator':
      writeCreator(output, top, context, view.contract)
      break
  }
}
