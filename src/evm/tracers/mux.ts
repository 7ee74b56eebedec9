/** muxTracer: several tracers over one execution. */
import type { StepReads, Tracer } from '../trace.ts'
import { createOutput } from './output.ts'
import { configOf, type Trace, type TraceFactory, type TraceOptions } from './tracer.ts'

/** Creates muxTracer. Options: the options of each tracer, by its name. `factoryOf` throws for an unknown name. */
export function createMuxTrace(options: TraceOptions, factoryOf: (name: string) => TraceFactory): Trace {
  const { output, memoryBytes } = options
  const parts = Object.entries(configOf(options.config)).map(([name, config]) => {
    // A struct log is written while the code runs, so it is buffered until the results before it are written.
    const written: Uint8Array[] = []
    const own = createOutput((chunk) => written.push(chunk))
    const trace = factoryOf(name)({ ...options, config: config ?? undefined, output: own, outputBytes: memoryBytes })
    return { name, trace, own, written }
  })
  return {
    tracer: joinTracers(parts.map(({ trace }) => trace.tracer)),
    isFull: () => parts.some(({ trace }) => trace.isFull()),
    finish() {
      output.text('{')
      parts.forEach(({ name, trace, own, written }, i) => {
        output.text(`${i > 0 ? ',' : ''}${JSON.stringify(name)}:`)
        trace.finish()
        own.flush()
        for (const chunk of written.splice(0)) output.bytes(chunk)
      })
      output.text('}')
    },
  }
}

/** Creates one tracer that passes every event to the tracers that handle it. */
export function joinTracers(tracers: readonly Tracer[]): Tracer {
  const readers = tracers.filter(({ reads }) => reads !== undefined)
  const joined: Tracer = {
    start: (transaction, state) => {
      for (const tracer of tracers) tracer.start?.(transaction, state)
    },
    end: (result, state) => {
      for (const tracer of tracers) tracer.end?.(result, state)
    },
    enter: (frame, state) => {
      for (const tracer of tracers) tracer.enter?.(frame, state)
    },
    exit: (frame) => {
      for (const tracer of tracers) tracer.exit?.(frame)
    },
    ...(tracers.some(({ log }) => log)
      ? {
          log: (log) => {
            for (const tracer of tracers) tracer.log?.(log)
          },
        }
      : {}),
    ...(tracers.some(({ account, slot }) => account ?? slot)
      ? {
          account: (address, state) => {
            for (const tracer of tracers) tracer.account?.(address, state)
          },
          slot: (address, slot, state) => {
            for (const tracer of tracers) tracer.slot?.(address, slot, state)
          },
        }
      : {}),
  }
  if (readers.length === 0) return joined
  return {
    ...joined,
    reads: () => joinReads(readers.map(({ reads }) => reads?.())),
    steps: (batch) => {
      for (const tracer of readers) if (tracer.reads?.()) tracer.steps?.(batch)
    },
  }
}

function joinReads(all: readonly (StepReads | undefined)[]): StepReads | undefined {
  const wanted = all.filter((reads) => reads !== undefined)
  if (wanted.length === 0) return undefined
  return { stack: wanted.some(({ stack }) => stack), memory: wanted.some(({ memory }) => memory) }
}
