/** callTracer: the calls of a transaction as a tree. */
import { formatHex0x } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import * as errors from '../errors.ts'
import { decodeRevert } from '../revert.ts'
import { type CallFrame, createCallTree } from './call-frames.ts'
import type { Output } from './output.ts'
import { configOf, createMemoryBudget, flagOf, quantity, type Trace, type TraceOptions } from './tracer.ts'

/** Creates callTracer. Options: `onlyTopCall`, `withLog`. */
export function createCallTrace({ config, context, output, memoryBytes }: TraceOptions): Trace {
  const options = configOf(config)
  const budget = createMemoryBudget(memoryBytes)
  const tree = createCallTree({
    onlyTopCall: flagOf(options, 'onlyTopCall'),
    withLog: flagOf(options, 'withLog'),
    budget,
    firstLogIndex: context.firstLogIndex ?? 0,
  })
  return {
    tracer: tree.tracer,
    isFull: budget.isFull,
    finish() {
      budget.check()
      const top = tree.top()
      if (!top) throw queryError('internal', 'incorrect number of top-level calls')
      writeFrame(output, top)
    },
  }
}

/** Additions of another tracer to the frames of callTracer. */
interface Additions {
  /** Further fields, with a leading comma. */
  readonly fields: string
  /** Writes one of the frames inside. */
  readonly writeCall: (call: CallFrame, index: number) => void
}

/** Writes a frame and the frames inside it. Bounded by: the depth of calls, 1,024. */
export function writeFrame(output: Output, frame: CallFrame, more?: Additions): void {
  const { kind, from, to, gas, gasUsed, input, error, calls, logs, valueWei } = frame
  output.text(`{"from":"${formatHex0x(from)}","gas":"${quantity(gas)}","gasUsed":"${quantity(gasUsed)}"`)
  if (to) output.text(`,"to":"${formatHex0x(to)}"`)
  output.text(`,"input":"${formatHex0x(input)}"`)
  if (frame.output.length > 0) output.text(`,"output":"${formatHex0x(frame.output)}"`)
  if (error !== undefined) output.text(`,"error":${JSON.stringify(error)}`)
  const reason = error === errors.REVERTED ? decodeRevert(frame.output) : undefined
  if (reason) output.text(`,"revertReason":${JSON.stringify(reason)}`)
  if (calls.length > 0) {
    output.text(',"calls":[')
    calls.forEach((call, i) => {
      if (i > 0) output.text(',')
      if (more) more.writeCall(call, i)
      else writeFrame(output, call)
    })
    output.text(']')
  }
  if (logs.length > 0) {
    output.text(',"logs":[')
    logs.forEach(({ address, topics, data, position, index }, i) => {
      const words = topics.map((topic) => `"${formatHex0x(topic)}"`).join()
      output.text(
        `${i > 0 ? ',' : ''}{"address":"${formatHex0x(address)}","topics":[${words}],"data":"${formatHex0x(data)}","position":"${quantity(position)}","index":"${quantity(index)}"}`,
      )
    })
    output.text(']')
  }
  if (kind !== 'STATICCALL') output.text(`,"value":"${quantity(valueWei)}"`)
  if (more) output.text(more.fields)
  output.text(`,"type":"${kind}"}`)
}
