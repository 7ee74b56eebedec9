/**
 * The analysis of code before it runs: one u64 for every byte offset, 0 unless a block begins there.
 *
 *   bits 0..30   the gas of the block's opcodes that does not depend on operands
 *   bit  31      the block begins with JUMPDEST
 *   bits 32..47  the minimum stack height (in bytes) with which the block runs to its end; 0xffff if it cannot
 *   bits 48..63  how far the height can exceed that minimum
 *
 * A block ends after an opcode that leaves it or that exposes the gas counter to the code or the host, and before a JUMPDEST.
 */
import { OPCODES } from './layout'

const STACK_LIMIT: i32 = 32768

export const JUMPDEST_BIT: u64 = 0x80000000
export const GAS_BITS: u64 = 0x7fffffff

@inline function endsBlock(op: u32): bool {
  switch (op) {
    case 0x00: case 0x55: case 0x56: case 0x57: case 0x5a:
    case 0xf0: case 0xf1: case 0xf2: case 0xf3: case 0xf4: case 0xf5: case 0xfa: case 0xfd: case 0xfe: case 0xff:
      return true
    default:
      return false
  }
}

/** Returns the size in bytes of the bitmap of jump destinations for `length` bytes of code. */
export function jumpsSize(length: u32): u32 {
  return (length >> 3) + 8
}

/** Writes the bitmap of jump destinations: the only analysis that the careful loop needs, and a fast one. */
export function markJumps(code: usize, length: u32, jumps: usize): void {
  memory.fill(jumps, 0, jumpsSize(length))
  let pc: u32 = 0
  while (pc < length) {
    const op = <u32>load<u8>(code + pc)
    if (op == 0x5b) {
      const at = jumps + <usize>(pc >> 3)
      store<u8>(at, load<u8>(at) | (<u8>1 << <u8>(pc & 7)))
    }
    pc += op >= 0x60 && op <= 0x7f ? op - 0x5e : 1
  }
}

@inline export function isJump(jumps: usize, target: u32): bool {
  return ((load<u8>(jumps + <usize>(target >> 3)) >> (<u8>(target & 7))) & 1) != 0
}

/** Returns the size in bytes of the analysis of `length` bytes of code. */
export function analysisSize(length: u32): u32 {
  return (length + 8) << 3
}

export function analyse(code: usize, length: u32, blocks: usize): void {
  memory.fill(blocks, 0, analysisSize(length))
  let pc: u32 = 0
  // One step past the end: the implicit STOP there is a block too, if execution falls into it.
  while (pc <= length) {
    const start = pc
    const first = load<u8>(code + pc)
    let gas: u64 = 0
    let height: i32 = 0
    let least: i32 = 0
    let most: i32 = 0
    let broken = false
    while (pc <= length) {
      const op = <u32>load<u8>(code + pc)
      if (op == 0x5b && pc != start) break
      const info = OPCODES + (<usize>op << 3)
      const need = <i32>load<u16>(info, 2)
      if (need == 0xffff) {
        // Not an opcode under these rules: only the careful loop can run it.
        broken = true
        pc++
        break
      }
      gas += <u64>load<u16>(info)
      least = max(least, need - height)
      most = max(most, height + (STACK_LIMIT - need - <i32>load<u16>(info, 4)))
      height += <i32>load<i16>(info, 6)
      pc += op >= 0x60 && op <= 0x7f ? op - 0x5e : 1
      if (endsBlock(op)) break
    }
    const span = STACK_LIMIT - most - least
    let entry = gas
    if (broken || span < 0 || gas > GAS_BITS) entry = (<u64>0xffff << 32) | (gas & GAS_BITS)
    else entry |= (<u64>least << 32) | (<u64>span << 48)
    if (first == 0x5b && start < length) entry |= JUMPDEST_BIT
    store<u64>(blocks + (<usize>start << 3), entry)
  }
}
