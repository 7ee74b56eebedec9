/** What an execution on the traced build tells: frames as they begin and end, and every step between, in batches. */

import type { Interpreter } from './interpreter.ts'
import { FRAME, TRACE, TRACE_HALT, TRACE_TOP } from './layout.ts'

export type FrameKind = 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL' | 'CREATE' | 'CREATE2'

export interface FrameStart {
  readonly kind: FrameKind
  /** 1 for the outermost. */
  readonly depth: number
  readonly from: Uint8Array
  /** The account called or to be created. */
  readonly to: Uint8Array
  /** Calldata or init code. */
  readonly input: Uint8Array
  readonly gas: bigint
  /** Unit: wei. */
  readonly valueWei: bigint
  readonly isPrecompile: boolean
}

export interface FrameEnd {
  readonly depth: number
  readonly success: boolean
  /** In geth's words. */
  readonly error: string | undefined
  readonly gasUsed: bigint
  readonly output: Uint8Array
}

/** One opcode, before it ran. Valid only during the call of `step`: copy what is kept. */
interface Step {
  readonly pc: number
  readonly op: number
  readonly depth: number
  readonly gas: bigint
  /** All that it took, the gas of a call it made included; of a failed step, what it costs at least. */
  readonly cost: bigint
  readonly refund: bigint
  /** Unit: bytes, before the step. */
  readonly memorySize: number
  readonly stackHeight: number
  /** 32 bytes, big-endian; index 0 is the bottom. */
  stackItem(index: number): Uint8Array
}

/** Whoever listens. Order: `enter`, then the frame's steps, writes and inner frames, then `exit`. */
export interface Tracer {
  enter?(frame: FrameStart): void
  exit?(frame: FrameEnd): void
  step?(step: Step): void
  /** The frame that ran last wrote into its memory. */
  memory?(offset: number, bytes: Uint8Array): void
  selfdestruct?(from: Uint8Array, to: Uint8Array, balanceWei: bigint): void
}

const KIND_WRITE = 1
const STEP_HEADER = 56
const WRITE_HEADER = 24

/** Hands what the machine has recorded to the tracer, and empties the buffer. `frame` is the record of the frame that ran. */
export function drain(interpreter: Interpreter, frame: number, tracer: Tracer): void {
  const end = interpreter.u32(TRACE_TOP)
  for (let at = TRACE; at < end; at += interpreter.u32(at)) {
    if (interpreter.u32(at + 4) === KIND_WRITE) {
      const offset = interpreter.u32(at + 8)
      const from = interpreter.u32(at + 16) === 1 ? at + WRITE_HEADER : interpreter.u32(frame + FRAME.memory) + offset
      tracer.memory?.(offset, interpreter.slice(from, from + interpreter.u32(at + 12)))
    } else if (tracer.step) {
      tracer.step(stepAt(interpreter, at))
    }
  }
  clearTrace(interpreter)
}

/** Empties the buffer: before the first run of an execution. */
export function clearTrace(interpreter: Interpreter): void {
  interpreter.setU32(TRACE_TOP, TRACE)
  interpreter.setU32(TRACE_HALT, 0)
}

function stepAt(interpreter: Interpreter, at: number): Step {
  return {
    pc: interpreter.u32(at + 8),
    op: interpreter.u32(at + 12),
    depth: interpreter.u32(at + 16),
    memorySize: interpreter.u32(at + 20),
    gas: interpreter.i64(at + 24),
    cost: interpreter.i64(at + 32),
    refund: interpreter.i64(at + 40),
    stackHeight: interpreter.u32(at + 48),
    stackItem(index) {
      const from = at + STEP_HEADER + 32 * index
      return interpreter.slice(from, from + 32).reverse()
    },
  }
}
