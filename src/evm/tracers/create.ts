/** Tracers by name. */
import { queryError } from '../../primitives/errors.ts'
import { createCallTrace } from './call.ts'
import { createErc7562Trace } from './erc7562.ts'
import { createFlatCallTrace } from './flat-call.ts'
import { createFourByteTrace } from './four-byte.ts'
import { createMuxTrace } from './mux.ts'
import { createNoopTrace } from './noop.ts'
import { createPreimageTrace } from './preimages.ts'
import { createPrestateTrace } from './prestate.ts'
import { createStructTraceOf } from './struct.ts'
import type { TraceFactory } from './tracer.ts'

const FACTORIES: Readonly<Record<string, TraceFactory>> = {
  callTracer: createCallTrace,
  flatCallTracer: createFlatCallTrace,
  prestateTracer: createPrestateTrace,
  '4byteTracer': createFourByteTrace,
  noopTracer: createNoopTrace,
  erc7562Tracer: createErc7562Trace,
  keccak256PreimageTracer: createPreimageTrace,
}

const NAMES = [...Object.keys(FACTORIES), 'muxTracer'].join(', ')

/**
 * Returns the native tracer of a name; the struct logger for `struct` and for an empty name (D20). Other names, muxTracer's
 * parts included, are passed to `otherwise`, which creates JavaScript tracers. Throws `invalidArgument` for an unknown name.
 * Bounded by: the levels of the configuration, `MAX_JSON_LEVELS`.
 */
export function traceFactoryOf(name: string, otherwise?: (name: string) => TraceFactory | undefined): TraceFactory {
  if (name === '' || name === 'struct') return createStructTraceOf
  if (name === 'muxTracer') {
    return (options) => createMuxTrace(options, (part) => traceFactoryOf(part, otherwise))
  }
  const factory = Object.hasOwn(FACTORIES, name) ? FACTORIES[name] : otherwise?.(name)
  if (!factory) throw queryError('invalidArgument', `unknown tracer ${name}: must be one of ${NAMES}`)
  return factory
}
