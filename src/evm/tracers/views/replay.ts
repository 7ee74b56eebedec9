/** Output, calls, changes and opcodes of a transaction in OpenEthereum's form (`trace_call`, `trace_replay*`). */
import { formatHex0x } from '../../../primitives/bytes.ts'
import { createCallTree } from '../call-frames.ts'
import { joinTracers } from '../mux.ts'
import { collectAccounts } from '../prestate.ts'
import { createMemoryBudget, type Trace } from '../tracer.ts'
import { writeFlatFrames } from './flat.ts'
import { isShown } from './shown.ts'
import { writeStateDiff } from './state-diff.ts'
import type { ViewOptions } from './view-options.ts'
import { createVmTrace } from './vm-trace.ts'

/** The output of a transaction, and the chosen parts. */
export interface ReplayView {
  readonly kind: 'replay'
  readonly trace: boolean
  readonly stateDiff: boolean
  readonly vmTrace: boolean
  /** Whether it names the transaction. */
  readonly withHash: boolean
}

const DIFFERENCE = { diffMode: true, disableCode: false, disableStorage: false, includeEmpty: false }

/** Creates the trace. The opcodes are written while the code runs, the rest at the end. */
export function createReplayTrace(view: ReplayView, { context, output, memoryBytes }: ViewOptions): Trace {
  const budget = createMemoryBudget(memoryBytes)
  const tree = createCallTree({
    onlyTopCall: !view.trace,
    withLog: false,
    budget,
    firstLogIndex: 0,
    keeps: isShown,
    isCodeGas: true,
  })
  const accounts = view.stateDiff ? collectAccounts(DIFFERENCE, budget) : undefined
  let isBegun = false
  const begin = (): void => {
    if (isBegun) return
    isBegun = true
    output.text('{"vmTrace":')
  }
  const vm = view.vmTrace ? createVmTrace(output) : undefined
  const tracers = [tree.tracer, ...(accounts ? [accounts.tracer] : []), ...(vm ? [{ enter: begin }, vm.tracer] : [])]
  return {
    tracer: joinTracers(tracers),
    isFull: budget.isFull,
    finish() {
      budget.check()
      begin()
      if (vm) vm.finish()
      else output.text('null')
      const top = tree.top()
      output.text(`,"output":"${top ? formatHex0x(top.output) : '0x'}","stateDiff":`)
      if (accounts) {
        const { pre, post } = accounts.accounts()
        writeStateDiff(output, pre, post)
      } else output.text('null')
      output.text(',"trace":[')
      if (view.trace && top) writeFlatFrames(output, top, { place: ['', ''], between: ',' })
      output.text(']')
      if (view.withHash && context.txHash) output.text(`,"transactionHash":"${formatHex0x(context.txHash)}"`)
      output.text('}')
    },
  }
}
