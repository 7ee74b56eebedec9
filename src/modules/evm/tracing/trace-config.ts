/** Options of a trace, and whether its tracer is a script (docs/modules/evm.md#traces, D16, D20). */
import { traceFactoryOf } from '../../../evm/tracers/create.ts'
import { scriptOf } from '../../../evm/tracers/javascript/trace.ts'
import type { TraceView } from '../../../evm/tracers/views/view.ts'
import { type ChainError, queryError } from '../../../primitives/errors.ts'

/** Options of a trace; plain data. */
export interface TraceConfig {
  /** Name of a tracer, or the text of a script; empty for the struct logger. */
  readonly tracer: string
  /** Parsed JSON. */
  readonly tracerConfig: unknown
  /** Maximum number of struct-log entries; 0 for all. */
  readonly limit: number
  readonly disableStack: boolean
  readonly disableStorage: boolean
  readonly enableMemory: boolean
  readonly enableReturnData: boolean
  /** Whether the node logs the end of the result. */
  readonly debug: boolean
  /** Form of the result instead of a tracer's; the values of several transactions are one list. */
  readonly view?: TraceView | undefined
}

/** Whether the trace is a struct log. */
export const isStruct = ({ tracer, view }: TraceConfig): boolean => !view && (tracer === '' || tracer === 'struct')

/** Whether any part of a trace is a script. Throws `invalidArgument` for an unknown tracer. */
export function needsScripts({ tracer, tracerConfig }: TraceConfig): boolean {
  let found = false
  /** Bounded by: the levels of the configuration, `MAX_JSON_LEVELS`. */
  const check = (name: string, config: unknown): void => {
    if (name === 'muxTracer') {
      if (typeof config !== 'object' || config === null) return
      for (const [part, inner] of Object.entries(config)) check(part, inner)
      return
    }
    traceFactoryOf(name, (other) => {
      if (scriptOf(other) === undefined) throw unknownTracer(other)
      found = true
      return () => ({ tracer: {}, isFull: () => true, finish: () => {} })
    })
  }
  check(tracer, tracerConfig)
  return found
}

/** Returns the error for an unknown tracer, with its name on one line, truncated. */
export function unknownTracer(name: string): ChainError {
  const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name)
  return queryError('invalidArgument', `tracer ${shown} is not known`)
}
