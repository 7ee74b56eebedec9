/** Traces as requests ask for them: which tracer, its options, and what it may cost (evm.md §2.10, D16, D20, D39). */

import type { Tracer } from '../../../evm/trace.ts'
import { traceFactoryOf } from '../../../evm/tracers/create.ts'
import type { ScriptEngine } from '../../../evm/tracers/javascript/sandbox.ts'
import { scriptFactory, scriptOf } from '../../../evm/tracers/javascript/trace.ts'
import { createOutput, type Output } from '../../../evm/tracers/output.ts'
import { createStructTrace } from '../../../evm/tracers/struct.ts'
import type { TraceContext } from '../../../evm/tracers/tracer.ts'
import type { Precompiles } from '../../../evm/types.ts'
import { fromKey } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'

/** What a request says of its trace; plain data. */
export interface TraceConfig {
  /** A name, or the text of a script; empty for the struct logger. */
  readonly tracer: string
  /** Parsed JSON. */
  readonly tracerConfig: unknown
  /** Struct-log entries at most; 0 for all. */
  readonly limit: number
  readonly disableStack: boolean
  readonly disableStorage: boolean
  readonly enableMemory: boolean
  readonly enableReturnData: boolean
  /** Whether the end of the result goes to the node's log. */
  readonly debug: boolean
}

/** What whoever runs a trace gives it. */
export interface TraceMeans {
  /** True once the trace's time is up or nobody waits for it. */
  shouldStop(): boolean
  /** Takes parts of the result, in order; may wait until there is room. */
  write(chunk: Uint8Array): void
  /** Most bytes of a result. */
  readonly outputBytes: number
  /** Runs scripts; absent where one that does not end would hurt. */
  readonly scripts?: ScriptEngine | undefined
}

/** What a tracer holds in memory before it writes, at most. */
const HELD_BYTES = 64 << 20
/** A result that has not grown beyond this may still be taken back and answered by an error. */
export const HOLD_BACK_BYTES = 1 << 20

const isStruct = ({ tracer }: TraceConfig): boolean => tracer === '' || tracer === 'struct'

/** Whether any part of a trace is a script. Throws `invalidArgument` for the name of no tracer. */
export function needsScripts({ tracer, tracerConfig }: TraceConfig): boolean {
  let found = false
  const check = (name: string, config: unknown): void => {
    if (name === 'muxTracer') {
      if (typeof config !== 'object' || config === null) return
      for (const [part, inner] of Object.entries(config)) check(part, inner)
      return
    }
    traceFactoryOf(name, (other) => {
      if (scriptOf(other) === undefined) throw queryError('invalidArgument', `tracer ${shown(other)} is not known`)
      found = true
      return () => ({ tracer: {}, isFull: () => true, finish: () => {} })
    })
  }
  check(tracer, tracerConfig)
  return found
}

/** A name that came from outside, short and on one line. */
const shown = (name: string): string => JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name)

/** One trace of one transaction. */
export interface OpenTrace {
  readonly tracer: Tracer
  shouldStop(): boolean
  /** Writes what is left of the result. Throws why there is none; then nothing of it has been written. */
  finish(): void
}

/** Writes one or more results behind each other. */
export interface TraceWriter {
  readonly output: Output
  /** Opens the trace of one transaction, whose result follows on `head`. Throws 3 `invalidArgument` for a tracer or an option that there is not. */
  open(context: TraceContext, precompiles: Precompiles, head?: string): OpenTrace
  /** To be called once, at the end. */
  flush(): void
}

export function createTraceWriter(config: TraceConfig, means: TraceMeans): TraceWriter {
  const output = createOutput((chunk) => means.write(chunk))

  function openStruct(head: string): OpenTrace {
    const before = output.written
    output.text(head)
    const trace = createStructTrace({ ...config, output, outputBytes: means.outputBytes })
    return {
      tracer: trace.tracer,
      shouldStop: () => means.shouldStop(),
      finish() {
        if (!means.shouldStop()) trace.finish()
        else if (before === 0 && output.written < HOLD_BACK_BYTES) throw timedOut()
        else trace.finish('execution timeout')
      },
    }
  }

  function openOther(context: TraceContext, precompiles: Precompiles, head: string): OpenTrace {
    // A tracer may fail while it writes its end: nothing of it goes out before that is known.
    const kept: Uint8Array[] = []
    let size = 0
    const own = createOutput((chunk) => {
      size += chunk.length
      if (size > means.outputBytes) {
        throw queryError('resourceExhausted', `trace is larger than the budget of ${means.outputBytes} bytes`)
      }
      kept.push(chunk)
    })
    const { scripts } = means
    const factory = traceFactoryOf(config.tracer, (name) => {
      const source = scriptOf(name)
      if (source === undefined) throw queryError('invalidArgument', `tracer ${shown(name)} is not known`)
      if (!scripts) throw queryError('unimplemented', 'tracer scripts do not run here')
      const addresses = [...precompiles.keys()].map(fromKey)
      const shouldStop = () => means.shouldStop()
      return scriptFactory(source, { engine: scripts, shouldStop, precompiles: addresses })
    })
    const trace = factory({ config: config.tracerConfig, context, output: own, heldBytes: HELD_BYTES })
    return {
      tracer: trace.tracer,
      shouldStop: () => means.shouldStop() || trace.isFull(),
      finish() {
        trace.finish()
        if (means.shouldStop()) throw timedOut()
        own.flush()
        output.text(head)
        for (const chunk of kept) output.bytes(chunk)
      },
    }
  }

  return {
    output,
    open: (context, precompiles, head = '') =>
      isStruct(config) ? openStruct(head) : openOther(context, precompiles, head),
    flush: () => output.flush(),
  }
}

export function timedOut(): Error {
  return queryError('deadlineExceeded', 'execution timeout')
}
