/** Results of traces: tracers, their output and their budget (docs/modules/evm.md#traces, D39). */

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
    // A tracer can fail at its last write, so its output is buffered until it succeeds.
    const kept: Uint8Array[] = []
    let size = 0
    const own = createOutput((chunk) => {
      size += chunk.length
      if (size > resources.outputBytes) {
        throw queryError('resourceExhausted', `trace is larger than the budget of ${resources.outputBytes} bytes`)
      }
      kept.push(chunk)
    })
    const { scripts } = resources
    const factory = traceFactoryOf(config.tracer, (name) => {
      const source = scriptOf(name)
      if (source === undefined) throw unknownTracer(name)
      if (!scripts) throw queryError('unimplemented', 'tracer scripts do not run here')
      const addresses = [...precompiles.keys()].map(fromKey)
      const shouldStop = () => resources.shouldStop()
      return scriptFactory(source, { engine: scripts, shouldStop, precompiles: addresses })
    })
    const trace = factory({ config: config.tracerConfig, context, output: own, memoryBytes: MEMORY_BYTES })
    return {
      tracer: trace.tracer,
      shouldStop: () => resources.shouldStop() || trace.isFull(),
      finish() {
        // A tracer that was stopped can lack the call that it reports.
        if (resources.shouldStop()) throw timedOut()
        trace.finish()
        if (resources.shouldStop()) throw timedOut()
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
