/** 4byteTracer: which functions were called, by selector and length of their arguments, and how often. */
import { formatHex0x } from '../../primitives/bytes.ts'
import { configOf, createHolding, type Trace, type TraceOptions } from './tracer.ts'

const CALLS: readonly string[] = ['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL']
const ENTRY_BYTES = 200

export function createFourByteTrace({ config, output, heldBytes }: TraceOptions): Trace {
  configOf(config)
  const counts = new Map<string, number>()
  const holding = createHolding(heldBytes)
  return {
    tracer: {
      enter({ kind, input, isPrecompile }) {
        if (input.length < 4 || isPrecompile || !CALLS.includes(kind) || holding.isFull()) return
        const id = `${formatHex0x(input.subarray(0, 4))}-${input.length - 4}`
        const count = counts.get(id)
        if (count === undefined) holding.hold(ENTRY_BYTES)
        counts.set(id, (count ?? 0) + 1)
      },
    },
    isFull: holding.isFull,
    finish() {
      holding.check()
      const entries = [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
      output.text(`{${entries.map(([id, count]) => `"${id}":${count}`).join()}}`)
    },
  }
}
