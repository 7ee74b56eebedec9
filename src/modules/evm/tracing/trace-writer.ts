/** Results of traces: tracers, their output and their budget (docs/modules/evm.md#traces, D39). */

import type { Tracer } from '../../../evm/trace.ts'
import { traceFactoryOf } from '../../../evm/tracers/create.ts'
import type { ScriptEngine } from '../../../evm/tracers/javascript/sandbox.ts'
import { scriptFactory, scriptOf } from '../../../evm/tracers/javascript/trace.ts'
import { createOutput, type Output } from '../../../evm/tracers/output.ts'
import { createStructTrace } from '../../../evm/tracers/struct.ts'
import type { TraceContext } from '../../../evm/tracers/tracer.ts'
import { createViewTrace, isStreamed, type TraceView } from '../../../evm/tracers/views/view.ts'
import { SEPARATOR } from '../../../evm/tracers/views/view-options.ts'
import type { Precompiles } from '../../../evm/types.ts'
import { fromKey } from '../../../primitives/bytes.ts'
import { ChainError, queryError } from '../../../primitives/errors.ts'
import { isStruct, type TraceConfig, unknownTracer } from './trace-config.ts'

/** Budget and output of a trace. */
export interface TraceResources {
  /** True once the trace's deadline has passed or its client has gone. */
  shouldStop(): boolean
  /** Receives the parts of the result in order; can block until the client has read enough. */
  write(chunk: Uint8Array): void
  /** Maximum size of a result. Unit: bytes. */
  readonly outputBytes: number
  /** Runs scripts; absent on a thread that cannot be killed. */
  readonly scripts?: ScriptEngine | undefined
}

/** Maximum size of a tracer's data in memory before it writes. Unit: bytes. */
const MEMORY_BYTES = 64 << 20
/** Size up to which a result can still be replaced by an error. Unit: bytes. */
export const HOLD_BACK_BYTES = 1 << 20

/** One trace of one transaction. */
export interface OpenTrace {
  readonly tracer: Tracer
  shouldStop(): boolean
  /** Writes the rest of the result. Throws if the trace failed; then no part of the result has been written. */
  finish(): void
}

/** Writes one or more results in sequence. */
export interface TraceWriter {
  readonly output: Output
  /** Opens the trace of one transaction, and writes `head` before its result. Throws 3 `invalidArgument` for an unknown tracer or option. */
  open(context: TraceContext, precompiles: Precompiles, head?: string): OpenTrace
  /** Opens the trace of one transaction in the form of a view. Its values follow those of earlier views after a separator. */
  openView(view: TraceView, context: TraceContext): OpenTrace
  /** Writes buffered output. Call it once, at the end. */
  flush(): void
}

export function createTraceWriter(config: TraceConfig, resources: TraceResources): TraceWriter {
  const output = createOutput((chunk) => resources.write(chunk))

  function openStruct(head: string): OpenTrace {
    const before = output.written
    output.text(head)
    const trace = createStructTrace({ ...config, output, outputBytes: resources.outputBytes })
    return {
      tracer: trace.tracer,
      shouldStop: () => resources.shouldStop(),
      finish() {
        if (!resources.shouldStop()) trace.finish()
        else if (before === 0 && output.written < HOLD_BACK_BYTES) throw timedOut()
        else trace.finish('execution timeout')
      },
    }
  }

  function openOther(context: TraceContext, precompiles: Precompiles, head: string): OpenTrace {
    const kept = createKept(output, resources.outputBytes)
    const { scripts } = resources
    const factory = traceFactoryOf(config.tracer, (name) => {
      const source = scriptOf(name)
      if (source === undefined) throw unknownTracer(name)
      if (!scripts) throw queryError('unimplemented', 'tracer scripts do not run here')
      const addresses = [...precompiles.keys()].map(fromKey)
      const shouldStop = () => resources.shouldStop()
      return scriptFactory(source, { engine: scripts, shouldStop, precompiles: addresses })
    })
    const trace = factory({ config: config.tracerConfig, context, output: kept.output, memoryBytes: MEMORY_BYTES })
    return {
      tracer: trace.tracer,
      shouldStop: () => resources.shouldStop() || trace.isFull(),
      finish() {
        // A tracer that was stopped can lack the call that it reports.
        if (resources.shouldStop()) throw timedOut()
        trace.finish()
        if (resources.shouldStop()) throw timedOut()
        output.text(head)
        kept.pass()
      },
    }
  }

  let hasValues = false

  function openView(view: TraceView, context: TraceContext): OpenTrace {
    // Values that are written while the code runs are not kept: if they cannot be completed, the request fails.
    const kept = isStreamed(view) ? undefined : createKept(output, resources.outputBytes)
    let isBegun = false
    const begin = (): void => {
      if (!isBegun && hasValues) output.text(SEPARATOR)
      isBegun = true
      hasValues = true
    }
    if (!kept) begin()
    const trace = createViewTrace(view, { context, output: kept?.output ?? output, memoryBytes: MEMORY_BYTES })
    const isTooLong = (): boolean => output.written > resources.outputBytes
    return {
      tracer: trace.tracer,
      shouldStop: () => resources.shouldStop() || trace.isFull() || isTooLong(),
      finish() {
        if (resources.shouldStop()) throw timedOut()
        trace.finish()
        if (kept && kept.size() > 0) {
          begin()
          kept.pass()
        }
        if (isTooLong()) throw tooLong(resources.outputBytes)
      },
    }
  }

  return {
    output,
    open: (context, precompiles, head = '') =>
      isStruct(config) ? openStruct(head) : openOther(context, precompiles, head),
    openView,
    flush: () => output.flush(),
  }
}

/** Creates an output that is kept until it is passed on: a tracer can fail at its last write. Writes beyond `most` bytes throw. */
function createKept(target: Output, most: number) {
  const chunks: Uint8Array[] = []
  let size = 0
  const output = createOutput((chunk) => {
    size += chunk.length
    if (size > most) throw tooLong(most)
    chunks.push(chunk)
  })
  return {
    output,
    size: () => output.written,
    pass() {
      output.flush()
      for (const chunk of chunks) target.bytes(chunk)
    },
  }
}

const tooLong = (most: number): Error =>
  queryError('resourceExhausted', `trace is larger than the budget of ${most} bytes`)

/** Whether a trace failed because it is larger than its budget. */
export const isTooLong = (error: unknown): boolean =>
  error instanceof ChainError && /^trace is larger than the budget/.test(error.message)

export function timedOut(): Error {
  return queryError('deadlineExceeded', 'execution timeout')
}
