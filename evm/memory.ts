/** The memories of frames: growth and its gas, copies padded with zeros. */
import { F_MEMORY, F_MEMORY_SIZE, MEMORY_END, U_MEMORY_FULL, U_PRICE_OVERFLOW, U_SIZE_OVERFLOW } from './layout'
import * as host from './host'
import { saturate } from './u256'

/** The maximum end of a frame's memory. */
export const HUGE: u64 = 0x40000000
/** The maximum memory size that has a price. */
const MAX_PRICED: u64 = 0x1fffffffe0

/** The minimum growth of linear memory. */
const STEP: u64 = 0x1000000

/** Grows linear memory to `end`; false if that is beyond MEMORY_END. Ends in `host.noMemory` if the machine has no more memory. */
export function reach(end: u64): bool {
  const size = <u64>memory.size() << 16
  if (end <= size) return true
  if (end > MEMORY_END) return false
  const wanted = min(max(end + (end >> 4), size + STEP), MEMORY_END)
  if (memory.grow(<i32>((wanted - size + 0xffff) >> 16)) < 0) host.noMemory()
  return true
}

/** Returns the end of a range, saturated at 2^64 - 1. */
@inline export function endOf(offset: u64, length: u64): u64 {
  return offset + length < offset ? u64.MAX_VALUE : offset + length
}

/** Grows the frame's memory to `end` bytes. Returns the gas left, negative if there was too little. */
export function expand(frame: usize, gas: i64, end: u64): i64 {
  const size = <u64>load<u32>(frame, F_MEMORY_SIZE)
  if (end <= size) return gas
  if (end > MAX_PRICED) return end > u64.MAX_VALUE - 31 ? U_SIZE_OVERFLOW : U_PRICE_OVERFLOW
  const words = (end + 31) >> 5
  const before = size >> 5
  const cost = <i64>(3 * (words - before) + ((words * words) >> 9) - ((before * before) >> 9))
  if (cost > gas) return gas - cost
  const base = load<u32>(frame, F_MEMORY)
  if (end > HUGE || !reach(<u64>base + (words << 5))) return U_MEMORY_FULL
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

/** Grows the memory for a range whose offset and length are words on the stack. Returns the gas left, negative if there was too little. */
@inline export function expandRange(frame: usize, gas: i64, offset: usize, length: usize): i64 {
  const n = saturate(length)
  return n == 0 ? gas : expand(frame, gas, endOf(saturate(offset), n))
}

/** Copies `length` bytes of a source of `size` bytes from `offset` on, with zeros after its end. */
export function copyPadded(target: usize, source: usize, size: u32, offset: u64, length: u32): void {
  const available: u32 = offset >= <u64>size ? 0 : min(<u32>(<u64>size - offset), length)
  if (available != 0) memory.copy(target, source + <usize>offset, available)
  if (available < length) memory.fill(target + available, 0, length - available)
}
