/** The memories of frames: growth against gas, copies with zeros behind the end of their source. */
import { F_MEMORY, F_MEMORY_SIZE, MEMORY_END } from './layout'
import { saturate } from './u256'

/** Ends and lengths from here on are out of gas whatever the gas. */
export const HUGE: u64 = 0x40000000

/** Linear memory grows by no less. */
const STEP: u64 = 0x1000000

/** Makes linear memory reach to `end`. */
export function reach(end: u64): bool {
  const size = <u64>memory.size() << 16
  if (end <= size) return true
  if (end > MEMORY_END) return false
  const wanted = min(max(end + (end >> 4), size + STEP), MEMORY_END)
  return memory.grow(<i32>((wanted - size + 0xffff) >> 16)) >= 0
}

/** Grows the frame's memory to hold `end` bytes. Returns the gas left, or -1. */
export function expand(frame: usize, gas: i64, end: u64): i64 {
  const size = <u64>load<u32>(frame, F_MEMORY_SIZE)
  if (end <= size) return gas
  if (end > HUGE) return -1
  const words = (end + 31) >> 5
  const before = size >> 5
  const cost = <i64>(3 * (words - before) + ((words * words) >> 9) - ((before * before) >> 9))
  if (cost > gas) return -1
  const base = load<u32>(frame, F_MEMORY)
  if (!reach(<u64>base + (words << 5))) return -1
  const from = base + <usize>size
  const length = <usize>((words << 5) - size)
  if (length <= 128) {
    for (let i: usize = 0; i < length; i += 8) store<u64>(from + i, 0)
  } else {
    memory.fill(from, 0, length)
  }
  store<u32>(frame, <u32>(words << 5), F_MEMORY_SIZE)
  return gas - cost
}

/** Grows for the range whose offset and length are words on the stack. Returns the gas left, or -1. */
@inline export function expandRange(frame: usize, gas: i64, offset: usize, length: usize): i64 {
  const n = saturate(length)
  if (n == 0) return gas
  const o = saturate(offset)
  return (o | n) >= HUGE ? -1 : expand(frame, gas, o + n)
}

/** Copies `length` bytes of a source of `size` bytes from `offset` on, zeros behind its end. */
export function copyPadded(target: usize, source: usize, size: u32, offset: u64, length: u32): void {
  const available: u32 = offset >= <u64>size ? 0 : min(<u32>(<u64>size - offset), length)
  if (available != 0) memory.copy(target, source + <usize>offset, available)
  if (available < length) memory.fill(target + available, 0, length - available)
}
