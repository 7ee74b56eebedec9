/** The accounts that the calls of a transaction name, for searches by account. */
import { formatHex0x, fromKey, toKey } from '../../../primitives/bytes.ts'
import { createMemoryBudget, type Trace } from '../tracer.ts'
import type { ViewOptions } from './view-options.ts'

/** Approximate memory of an account. */
const ACCOUNT_BYTES = 100

/** Creates a trace that writes the index of the transaction in its block and, after it, each account once. */
export function createParticipantsTrace({ context, output, memoryBytes }: ViewOptions): Trace {
  const budget = createMemoryBudget(memoryBytes)
  const found = new Set<string>()
  const add = (address: Uint8Array): void => {
    const key = toKey(address)
    if (found.has(key) || budget.isFull()) return
    budget.use(ACCOUNT_BYTES)
    found.add(key)
  }
  return {
    tracer: {
      enter({ from, to }) {
        add(from)
        add(to)
      },
    },
    isFull: budget.isFull,
    finish() {
      budget.check()
      output.text(`[${context.txIndex ?? 0}`)
      for (const key of found) output.text(`,"${formatHex0x(fromKey(key))}"`)
      output.text(']')
    },
  }
}
