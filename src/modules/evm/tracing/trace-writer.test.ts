import { expect, test } from 'vitest'
import { createTraceWriter } from './trace-writer.ts'

test.each([
  ['callTracer', {}],
  ['flatCallTracer', {}],
  ['muxTracer', { callTracer: {}, flatCallTracer: {} }],
  ['prestateTracer', {}],
  ['4byteTracer', {}],
  ['struct', {}],
])(
  '%s says execution timeout for a transaction that was stopped before its first call ended',
  (tracer, tracerConfig) => {
    const written: Uint8Array[] = []
    const writer = createTraceWriter(
      {
        tracer,
        tracerConfig,
        limit: 0,
        disableStack: false,
        disableStorage: false,
        enableMemory: false,
        enableReturnData: false,
        debug: false,
      },
      { shouldStop: () => true, write: (chunk) => void written.push(chunk), outputBytes: 1000 },
    )
    const trace = writer.open({ blockNumber: 1n }, new Map())
    expect(() => trace.finish()).toThrow(
      expect.objectContaining({ status: 'deadlineExceeded', message: 'execution timeout' }),
    )
    writer.flush()
    expect(written).toEqual([])
  },
)
