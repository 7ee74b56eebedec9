/** 4byteTracer: counts the functions called, by selector and length of their arguments. */
import { formatHex0x } from '../../primitives/bytes.ts'
import { configOf, createMemoryBudget, type Trace, type TraceOptions } from './tracer.ts'

const CALLS: readonly string[] = ['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL']
const ENTRY_BYTES = 200

export function createFourByteTrace({ config, output, memoryBytes }: TraceOptions): Trace {
  configOf(config)
  const counts = new Map<string, number>()
  const budget = createMemoryBudget(memoryBytes)
  return {
    tracer: {
      enter({ kind, input, isPrecompile }) {
        if (input.length < 4 || isPrecompile || !CALLS.includes(kind) || budget.isFull()) return
        const id = `${formatHex0x(input.subarray(0, 4))}-${input.length - 4}`
        const count = counts.get(id)
        if (count === undefined) budget.use(ENTRY_BYTES)
        counts.set(id, (count ?? 0) + 1)
      },
    },
    isFull: budget.isFull,
    finish() {
      budget.check()
      const entries = [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
      output.text(`{${entries.map(([id, count]) => `"${id}":${count}`).join()}}`)
    },
  }
}
