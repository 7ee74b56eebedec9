/** A tracer that writes every step as a line, for tests. */
import { OPCODES } from '../../../src/evm/opcodes.ts'
import {
  FAILURE,
  type FrameEnd,
  type FrameStart,
  RECORD,
  STEP,
  type StepBatch,
  type Tracer,
  WRITE,
} from '../../../src/evm/trace.ts'
import { formatHex } from '../../../src/primitives/bytes.ts'

interface Line {
  readonly text: string
  readonly gas: bigint
  readonly cost: bigint
  readonly failure: number
  readonly error: string | undefined
}

export function recorder() {
  const steps: Line[] = []
  const frames: (FrameStart | FrameEnd)[] = []
  const memory: string[] = []

  function stackOf(bytes: Uint8Array, at: number, height: number): string[] {
    return Array.from({ length: height }, (_, i) => {
      const from = at + STEP.stack + 32 * i
      return BigInt(`0x${formatHex(bytes.slice(from, from + 32).reverse())}`).toString(16)
    })
  }

  function take({ bytes, start, end, error, memory: base }: StepBatch): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    for (let at = start; at < end; at += view.getUint32(at, true)) {
      const u32 = (offset: number) => view.getUint32(at + offset, true)
      if (u32(STEP.kind) === RECORD.write) {
        const from = u32(WRITE.whole) === 1 ? at + WRITE.bytes : base + u32(WRITE.offset)
        memory.push(`${u32(WRITE.offset)} ${formatHex(bytes.slice(from, from + u32(WRITE.length)))}`)
        continue
      }
      const op = u32(STEP.op)
      const stack = stackOf(bytes, at, u32(STEP.height))
      steps.push({
        text: `${u32(STEP.depth)} ${u32(STEP.pc)} ${OPCODES[op]?.name ?? op} [${stack}]`,
        gas: view.getBigInt64(at + STEP.gas, true),
        cost: view.getBigInt64(at + STEP.cost, true),
        failure: u32(STEP.failure),
        error: u32(STEP.failure) === FAILURE.none ? undefined : error,
      })
    }
  }

  const tracer: Tracer = {
    reads: () => ({ stack: true, memory: true }),
    enter: (frame) => frames.push(frame),
    exit: (frame) => frames.push(frame),
    steps: take,
  }
  return { tracer, steps, frames, memory }
}
