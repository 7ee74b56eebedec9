/** Frame records: entering a frame that its parent requested, and settling its result in the parent. */
import { A, F_ADDRESS, F_BLOCKS, F_CALLER, F_CHILD_ADDRESS, F_CHILD_DATA, F_CHILD_DATA_LENGTH, F_CHILD_GAS, F_CHILD_OUT,
  F_CHILD_OUT_LENGTH, F_CHILD_VALUE, F_CODE, F_CODE_LENGTH, F_DATA, F_DATA_LENGTH, F_DEPTH, F_FUSED, F_GAS, F_JUMPS, F_MEMORY, F_MEMORY_SIZE, F_OUT,
  F_OUT_LENGTH, F_PC, F_SP, F_STACK, F_STATIC, F_VALUE, F_WANT, PADDING, RETURN_DATA, RETURN_DATA_SIZE, RETURN_LENGTH } from './layout'
import { analyse, analysisSize, jumpsSize, markJumps } from './analysis'
import { fuse } from './fuse'
import { reach } from './memory'
import { write } from './trace'
import * as u256 from './u256'

/** Returns the first address after the memory of a frame, where its child's code and memory can begin. */
@inline function behind(frame: usize): usize {
  return (load<u32>(frame, F_MEMORY) + load<u32>(frame, F_MEMORY_SIZE) + 31) & ~31
}

/** Returns the bytes that `install` uses for code of this length. */
export function installedSize(length: u32): u32 {
  return ((length + PADDING + 31) & ~31) + jumpsSize(length) + 64
}

/** Returns the bytes that `optimise` uses for code of this length. */
export function optimisedSize(length: u32): u32 {
  return analysisSize(length) + length + PADDING + 64
}

/** Returns the address to which the host writes `length` bytes of code that only a child of `parent` runs; 0 if memory is full. */
export function placeBehind(parent: usize, length: u32): usize {
  const at = behind(parent) + 32
  return reach(<u64>at + <u64>installedSize(length)) ? at : 0
}

/** Prepares the code at `code` for the careful loop. Returns the address of its jump destinations. */
export function install(code: usize, length: u32): usize {
  memory.fill(code + length, 0, PADDING)
  const jumps = (code + length + PADDING + 7) & ~7
  markJumps(code, length, jumps)
  return jumps
}

/** Prepares installed code for the fast loop: writes its analysis to `blocks`, and after it the fused copy. */
export function optimise(code: usize, length: u32, blocks: usize): void {
  analyse(code, length, blocks)
  fuse(code, length, blocks, fusedAt(blocks, length))
}

@inline function fusedAt(blocks: usize, length: u32): usize {
  return blocks + analysisSize(length)
}

/** Makes a paused frame continue in the fast loop. */
export function quicken(frame: usize, blocks: usize): void {
  store<u32>(frame, blocks, F_BLOCKS)
  store<u32>(frame, fusedAt(blocks, load<u32>(frame, F_CODE_LENGTH)) - load<u32>(frame, F_CODE), F_FUSED)
}

/**
 * Enters the frame that `parent` requested. If `local`, the code is placed after the parent's memory, and the frame's memory begins
 * after the code. `blocks` is 0 for code that is not optimised. For a creation, A contains the new address.
 */
export function enter(frame: usize, parent: usize, code: usize, length: u32, jumps: usize, blocks: usize, local: bool): void {
  const op = load<u32>(parent, F_WANT)
  const sp = load<u32>(parent, F_SP)
  store<u32>(frame, code, F_PC)
  store<u32>(frame, sp, F_SP)
  store<i64>(frame, load<i64>(parent, F_CHILD_GAS), F_GAS)
  store<u32>(frame, sp, F_STACK)
  store<u32>(frame, local ? (jumps + jumpsSize(length) + 31) & ~31 : behind(parent), F_MEMORY)
  store<u32>(frame, 0, F_MEMORY_SIZE)
  store<u32>(frame, code, F_CODE)
  store<u32>(frame, length, F_CODE_LENGTH)
  store<u32>(frame, jumps, F_JUMPS)
  store<u32>(frame, 0, F_BLOCKS)
  if (blocks != 0) quicken(frame, blocks)
  store<u32>(frame, load<u32>(parent, F_STATIC) | u32(op == 0xfa), F_STATIC)
  store<u32>(frame, 0, F_OUT)
  store<u32>(frame, 0, F_OUT_LENGTH)
  store<u32>(frame, load<u32>(parent, F_DEPTH) + 1, F_DEPTH)
  if (op == 0xf0 || op == 0xf5) {
    store<u32>(frame, 0, F_DATA_LENGTH)
    u256.swap(frame + F_ADDRESS, A)
  } else {
    store<u32>(frame, load<u32>(parent, F_CHILD_DATA), F_DATA)
    store<u32>(frame, load<u32>(parent, F_CHILD_DATA_LENGTH), F_DATA_LENGTH)
    u256.copy(frame + F_ADDRESS, parent + (op == 0xf1 || op == 0xfa ? F_CHILD_ADDRESS : F_ADDRESS))
  }
  if (op == 0xf4) {
    u256.copy(frame + F_CALLER, parent + F_CALLER)
    u256.copy(frame + F_VALUE, parent + F_VALUE)
  } else {
    u256.copy(frame + F_CALLER, parent + F_ADDRESS)
    u256.copy(frame + F_VALUE, parent + F_CHILD_VALUE)
  }
  store<u32>(RETURN_LENGTH, 0)
}

/** Settles a call in the frame that made it: success, the gas left, the output at `out`. */
export function settleCall(parent: usize, success: bool, gas: i64, out: usize, length: u32): void {
  u256.setSmall(load<u32>(parent, F_SP), <u64>success)
  store<i64>(parent, load<i64>(parent, F_GAS) + gas, F_GAS)
  store<u32>(RETURN_LENGTH, length)
  if (length == 0) return
  if (length <= RETURN_DATA_SIZE && out != RETURN_DATA) memory.copy(RETURN_DATA, out, length)
  const wanted = min(length, load<u32>(parent, F_CHILD_OUT_LENGTH))
  if (wanted == 0) return
  memory.copy(load<u32>(parent, F_CHILD_OUT), out, wanted)
  if (isDefined(TRACED)) write(parent, load<u32>(parent, F_CHILD_OUT), wanted)
}

/** Settles a frame in its parent. If `keep`, the parent receives its gas and output (success or revert). */
export function settleFrame(parent: usize, frame: usize, success: bool, keep: bool): void {
  if (keep) settleCall(parent, success, load<i64>(frame, F_GAS), load<u32>(frame, F_OUT), load<u32>(frame, F_OUT_LENGTH))
  else settleCall(parent, false, 0, 0, 0)
}

/** Settles a creation in the frame that made it: on success the address in A is the result. */
export function settleCreate(parent: usize, success: bool, gas: i64, out: usize, length: u32): void {
  settleCall(parent, false, gas, out, length)
  if (success) u256.swap(load<u32>(parent, F_SP), A)
}

/** Settles a call or creation that is not allowed to begin: its gas is returned. */
export function refuse(parent: usize): void {
  settleCall(parent, false, load<i64>(parent, F_CHILD_GAS), 0, 0)
}

/** Settles a call of an account without code. */
export function pass(parent: usize): void {
  settleCall(parent, true, load<i64>(parent, F_CHILD_GAS), 0, 0)
}

/** Writes the Keccak-256 of a range to DIGEST. */
export { keccak as hash } from './keccak'
