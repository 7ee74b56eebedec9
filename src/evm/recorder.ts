/** Passes recorded steps from the interpreter to the tracer. */
import { fromKey, toKey } from '../primitives/bytes.ts'
import type { Account } from './account.ts'
import type { Failure } from './failure.ts'
import type { Interpreter } from './interpreter.ts'
import type { Journal } from './journal/journal.ts'
import {
  FORMAT_COUNT,
  FORMAT_END,
  FORMAT_LAST,
  FORMAT_NEXT,
  FORMAT_OPEN,
  FRAME,
  NAMES,
  RETURN_DATA,
  RETURN_DATA_SIZE,
  RETURN_LENGTH,
  TEXT,
  TRACE,
  TRACE_HALT,
  TRACE_LAST,
  TRACE_READS,
  TRACE_REFUND,
  TRACE_TOP,
} from './layout.ts'
import { traceName } from './opcodes.ts'
import type { RunningState } from './running.ts'
import {
  FAILURE,
  type FormattedSteps,
  RECORD,
  type RunningContract,
  STEP,
  type StepFormat,
  type Tracer,
  type TraceState,
  WRITE,
} from './trace.ts'

/** The parts of a frame that the recorder reads. */
interface RecordedFrame {
  readonly record: number
  readonly depth: number
  readonly self: Account
  readonly caller: Account
}

export interface Recorder {
  /** Sets what the interpreter records. Call it before each run. */
  prepare(): void
  /** Reports the recorded steps. Call it after each run. `failure` is called only if the last step failed. */
  report(frame: RecordedFrame, failure: (priced: bigint) => Failure): void
  /** Records that the host wrote to a frame's memory. */
  wrote(record: number, address: number, length: number): void
}

/** The names of all opcodes in the interpreter's encoding: 32 bytes each, the length first. */
const OPCODE_NAMES = Buffer.alloc(256 * 32)
for (let op = 0; op < 256; op++) {
  const name = traceName(op)
  OPCODE_NAMES[op * 32] = name.length
  OPCODE_NAMES.write(name, op * 32 + 1, 'latin1')
}

/** Clears the buffer. Call it before the first run of an execution. */
export function clearTrace(interpreter: Interpreter): void {
  interpreter.setU32(TRACE_TOP, TRACE)
  interpreter.setU32(TRACE_HALT, 0)
  interpreter.setU32(TRACE_LAST, 0)
}

/** Creates the recorder of one execution; undefined if its tracer reads no steps. */
export function createRecorder(
  interpreter: Interpreter,
  journal: Journal,
  running: RunningState,
  tracer: Tracer | undefined,
): Recorder | undefined {
  if (!tracer?.reads) return undefined
  const { changes } = running

  /** Returns the address of the last step in the buffer, or 0. */
  function lastStep(end: number): number {
    let last = 0
    for (let at = TRACE; at < end; at += interpreter.u32(at))
      if (interpreter.u32(at + STEP.kind) === RECORD.step) last = at
    return last
  }

  /** Returns the error of a failure in the last step, and completes the step's cost. */
  function settleFailure(end: number, failure: (priced: bigint) => Failure): string | undefined {
    const last = lastStep(end)
    if (last === 0 || interpreter.u32(last + STEP.failure) === FAILURE.none) return undefined
    const { error, cost } = failure(interpreter.i64(last + STEP.cost))
    interpreter.setI64(last + STEP.cost, BigInt.asIntN(64, cost))
    return error
  }

  function returnData(): Uint8Array {
    const length = interpreter.u32(RETURN_LENGTH)
    return length > RETURN_DATA_SIZE ? running.largeReturn : interpreter.slice(RETURN_DATA, RETURN_DATA + length)
  }

  /** The arena of the instance that has the names of opcodes in its memory. */
  let named: object | undefined

  function format(from: number, end: number, { withStack, open }: StepFormat, most: number): FormattedSteps {
    if (named !== interpreter.arena()) {
      named = interpreter.arena()
      interpreter.bytes().set(OPCODE_NAMES, NAMES)
    }
    const flags = (withStack ? 1 : 0) | (open === 'storage' ? 2 : open === 'all' ? 4 : 0)
    const limit = Math.min(most, 0xffffffff)
    interpreter.exports.format(from, end, flags, limit)
    const next = interpreter.u32(FORMAT_NEXT)
    const isOpen = interpreter.u32(FORMAT_OPEN) === 1
    return {
      text: interpreter.bytes().subarray(TEXT, interpreter.u32(FORMAT_END)),
      count: interpreter.u32(FORMAT_COUNT),
      open: isOpen ? interpreter.u32(FORMAT_LAST) : 0,
      next,
    }
  }

  return {
    prepare() {
      const reads = tracer.reads?.()
      interpreter.setU32(TRACE_READS, reads ? 1 | (reads.stack ? 2 : 0) | (reads.memory ? 4 : 0) : 0)
      interpreter.setI64(TRACE_REFUND, journal.refund())
    },
    report({ record, depth, self, caller }, failure) {
      const end = interpreter.u32(TRACE_TOP)
      if (end !== TRACE) {
        tracer.steps?.({
          depth,
          get contract() {
            return runningContract(interpreter, record, self, caller)
          },
          bytes: interpreter.bytes(),
          start: TRACE,
          end,
          memory: interpreter.u32(record + FRAME.memory),
          error: settleFailure(end, failure),
          returnData,
          format: (from, how, most) => format(from, end, how, most),
          stateBefore: (at) => stateBefore(running, journal, at),
        })
      }
      changes.length = 0
      clearTrace(interpreter)
    },
    wrote(record, address, length) {
      if ((interpreter.u32(TRACE_READS) & 4) === 0) return
      const at = interpreter.u32(TRACE_TOP)
      interpreter.setU32(at + WRITE.size, WRITE.bytes)
      interpreter.setU32(at + WRITE.kind, RECORD.write)
      interpreter.setU32(at + WRITE.offset, address - interpreter.u32(record + FRAME.memory))
      interpreter.setU32(at + WRITE.length, length)
      interpreter.setU32(at + WRITE.whole, 0)
      interpreter.setU32(TRACE_TOP, at + WRITE.bytes)
      interpreter.setU32(TRACE_HALT, 1)
    },
  }
}

function runningContract(interpreter: Interpreter, record: number, self: Account, caller: Account): RunningContract {
  const data = interpreter.u32(record + FRAME.data)
  return {
    address: self.address,
    caller: caller.address,
    valueWei: interpreter.wordAt(record + FRAME.value),
    input: interpreter.slice(data, data + interpreter.u32(record + FRAME.dataLength)),
  }
}

/** Returns the state before a step that has already run. */
function stateBefore({ changes }: RunningState, journal: Journal, record: number): TraceState {
  if (changes.length === 0) return journal
  return {
    exists: (address) => journal.exists(address),
    isDestructed: (address) => journal.isDestructed(address),
    nonce: (address) => journal.nonce(address),
    code: (address) => journal.code(address),
    balance(address) {
      const key = toKey(address)
      const change = changes.find(
        ({ record: at, account, balance }) => at >= record && balance !== undefined && account.key === key,
      )
      return change?.balance ?? journal.balance(address)
    },
    storage(address, slot) {
      const [key, slotKey] = [toKey(address), toKey(slot)]
      const change = changes.find(
        (candidate) => candidate.record >= record && candidate.slot?.key === slotKey && candidate.account.key === key,
      )
      return change?.slot ? fromKey(change.slot.value) : journal.storage(address, slot)
    },
  }
}
