/** The inputs of a view, and the text between the values that it writes. */
import type { Output } from '../output.ts'
import type { TraceContext } from '../tracer.ts'

/** Text between the values of a view. No value contains a line feed, so that a reader can split without parsing. */
export const SEPARATOR = ',\n'

/** The parts of a view's trace. */
export interface ViewOptions {
  readonly context: TraceContext
  readonly output: Output
  /** The memory budget; the trace fails beyond it. Unit: bytes. */
  readonly memoryBytes: number
}
