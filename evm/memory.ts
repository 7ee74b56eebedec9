/** The memories of frames: growth against gas, copies with zeros behind the end of their source. */
import { F_MEMORY, F_MEMORY_SIZE, MEMORY_END, MEMORY_FULL, PRICE_OVERFLOW, SIZE_OVERFLOW } from './layout'
import * as host from './host'
import { saturate } from './u256'

/** Memories of frames end before this. */
export const HUGE: u64 = 0x40000000
/** What grows beyond it has no price. */
const MOST_PRICED: u64 = 0x1fffffffe0

/** Linear memory grows by no less. */
const STEP: u64 = 0x1000000

/** Makes linear memory reach to `end`; false if that lies behind its end. Does not return where the machine gives no more. */
export function reach(end: u64): bool {
  const size = <u64>memory.size() << 16
  if (end <= size) return true
  if (end > MEMORY_END) return false
  const wanted = min(max(end + (end >> 4), size + STEP), MEMORY_END)
  if (memory.grow(<i32>((wanted - size + 0xffff) >> 16)) < 0) host.noMemory()
  return true
}

/** The end of a range, the largest number if there is none so large. */
@inline export function endOf(offset: u64, length: u64): u64 {
  return offset + length < offset ? u64.MAX_VALUE : offset + length
}

/** Grows the frame's memory to hold `end` bytes. Returns the gas left, which is negative if it was not enough. */
export function expand(frame: usize, gas: i64, end: u64): i64 {
  const size = <u64>load<u32>(frame, F_MEMORY_SIZE)
  if (end <= size) return gas
  if (end > MOST_PRICED) return end > u64.MAX_VALUE - 31 ? SIZE_OVERFLOW : PRICE_OVERFLOW
  const words = (end + 31) >> 5
  const before = size >> 5
  const cost = <i64>(3 * (words - before) + ((words * words) >> 9) - ((before * before) >> 9))
  if (cost > gas) return gas - cost
  const base = load<u32>(frame, F_MEMORY)
  if (end > HUGE || !reach(<u64>base + (words << 5))) return MEMORY_FULL
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

/** Grows for the range whose offset and length are words on the stack. Returns the gas left, which is negative if it was not enough. */
@inline export function expandRange(frame: usize, gas: i64, offset: usize, length: usize): i64 {
  const n = saturate(length)
  return n == 0 ? gas : expand(frame, gas, endOf(saturate(offset), n))
}

/** Copies `length` bytes of a source of `size` bytes from `offset` on, zeros behind its end. */
export function copyPadded(target: usize, source: usize, size: u32, offset: u64, length: u32): void {
  const available: u32 = offset >= <u64>size ? 0 : min(<u32>(<u64>size - offset), length)
  if (available != 0) memory.copy(target, source + <usize>offset, available)
  if (available < length) memory.fill(target + available, 0, length - available)
}
