/**
 * The records of the traced build: one per opcode, begun before it runs and completed after it, and one per write to memory.
 * Records follow each other from TRACE to the address in TRACE_TOP; the host reads them after every run and clears TRACE_HALT.
 *
 *   step   u32 size, u32 0, u32 pc, u32 opcode, u32 depth, u32 memory size, i64 gas, i64 cost, i64 refund, u32 height, u32 failure, stack
 *   write  u32 size, u32 1, u32 offset, u32 length, u32 1 if the bytes follow, u32 0, bytes
 *
 * A failure is 1 if the opcode could not begin (stack, gas), 2 if it ended the frame.
 */
import { F_CHILD_GAS, F_CODE, F_DEPTH, F_MEMORY, F_MEMORY_SIZE, F_STACK, OPCODES, S_CREATE, S_INIT_CODE_SIZE, S_OUT_OF_GAS,
  S_REVERT, S_STACK, TRACE_END, TRACE_HALT, TRACE_LAST, TRACE_READS, TRACE_REFUND, TRACE_TOP } from './layout'
import { saturate } from './u256'

const READS_STEPS: u32 = 1
const READS_STACK: u32 = 2
const READS_MEMORY: u32 = 4

const STEP: u32 = 56
const WRITE: u32 = 24
/** The maximum length of a write whose bytes are recorded. After a longer one the run stops, and the host reads the memory itself. */
const LONGEST: u32 = 0x10000

/** Records the next opcode; false if the host must read the records first. */
export function step(frame: usize, pc: usize, op: u32, sp: usize, gas: i64): bool {
  const reads = load<u32>(TRACE_READS)
  if ((reads & READS_STEPS) == 0) return true
  const stack: usize = load<u32>(frame, F_STACK)
  const height = <u32>(sp - stack)
  const bytes = (reads & READS_STACK) != 0 ? height : 0
  const record: usize = load<u32>(TRACE_TOP)
  const size = STEP + bytes
  if (record + <usize>(size + 2 * WRITE + LONGEST) > TRACE_END || load<u32>(TRACE_HALT) != 0) return false
  store<u32>(record, size)
  store<u32>(record, 0, 4)
  store<u32>(record, <u32>(pc - <usize>load<u32>(frame, F_CODE)), 8)
  store<u32>(record, op, 12)
  store<u32>(record, load<u32>(frame, F_DEPTH), 16)
  store<u32>(record, load<u32>(frame, F_MEMORY_SIZE), 20)
  store<i64>(record, gas, 24)
  store<i64>(record, 0, 32)
  store<i64>(record, load<i64>(TRACE_REFUND), 40)
  store<u32>(record, height >> 5, 48)
  store<u32>(record, 0, 52)
  if (bytes != 0) memory.copy(record + <usize>STEP, stack + 32, bytes)
  store<u32>(TRACE_TOP, <u32>(record + <usize>size))
  store<u32>(TRACE_LAST, <u32>record)
  return true
}

/** Records a write of `length` bytes at `address` in the frame's memory. */
export function write(frame: usize, address: usize, length: u32): void {
  if (length == 0 || (load<u32>(TRACE_READS) & READS_MEMORY) == 0) return
  const record: usize = load<u32>(TRACE_TOP)
  const whole = length <= LONGEST && record + <usize>(WRITE + length + 8) <= TRACE_END
  const size = WRITE + (whole ? (length + 7) & ~7 : 0)
  store<u32>(record, size)
  store<u32>(record, 1, 4)
  store<u32>(record, <u32>(address - <usize>load<u32>(frame, F_MEMORY)), 8)
  store<u32>(record, length, 12)
  store<u32>(record, <u32>whole, 16)
  if (whole) memory.copy(record + <usize>WRITE, address, length)
  store<u32>(TRACE_TOP, <u32>(record + <usize>size))
  if (!whole) store<u32>(TRACE_HALT, 1)
}

/** Returns the `failure` of a record for the status of a run. */
@inline function failureOf(status: i32): u32 {
  if (status == S_OUT_OF_GAS || status == S_STACK || status == S_INIT_CODE_SIZE) return 1
  return status == S_REVERT || status > S_OUT_OF_GAS ? 2 : 0
}

/** Completes the record of the step that has just run: its cost, and its write to memory. Its operands are still above the stack. */
export function finish(frame: usize, gas: i64, status: i32): void {
  const record: usize = load<u32>(TRACE_LAST)
  if (record == 0) return
  store<u32>(TRACE_LAST, 0)
  const op = load<u32>(record, 12)
  const failure = failureOf(status)
  store<u32>(record, failure, 52)
  if (failure == 1 && (status != S_OUT_OF_GAS || gas < i64.MIN_VALUE >> 1)) {
    // Not fully priced: record its constant part.
    store<i64>(record, <i64>load<u16>(OPCODES + (<usize>op << 3)), 32)
  } else {
    // The cost of a call includes the gas passed to it; the cost of a creation does not.
    const given = (op == 0xf0 || op == 0xf5) && (status == S_CREATE || failure == 2) ? load<i64>(frame, F_CHILD_GAS) : 0
    store<i64>(record, load<i64>(record, 24) - gas - given, 32)
  }
  if (failure != 0 || (load<u32>(TRACE_READS) & READS_MEMORY) == 0) return
  const top: usize = <usize>load<u32>(frame, F_STACK) + (<usize>load<u32>(record, 48) << 5)
  let target: usize
  let length: u64
  switch (op) {
    case 0x37: case 0x39: case 0x3e: case 0x5e:
      target = top
      length = saturate(top - 64)
      break
    case 0x3c:
      target = top - 32
      length = saturate(top - 96)
      break
    case 0x52:
      target = top
      length = 32
      break
    case 0x53:
      target = top
      length = 1
      break
    default:
      return
  }
  if (length != 0) write(frame, <usize>load<u32>(frame, F_MEMORY) + <usize>saturate(target), <u32>length)
}
