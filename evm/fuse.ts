/**
 * Fused sequences: opcodes that run as one. They exist only in a copy of the code that the fast loop reads. A number that no fork
 * uses replaces the first opcode; operands stay at their offsets, or follow as one byte.
 */
import { JUMPDEST_BIT } from './analysis'
import { PADDING } from './layout'

export const PUSH2_JUMP: u32 = 0xb0
export const PUSH2_JUMPI: u32 = 0xb1
export const PUSH1_JUMP: u32 = 0xb2
export const PUSH1_JUMPI: u32 = 0xb3
export const ISZERO_PUSH2_JUMPI: u32 = 0xb4
export const EQ_PUSH2_JUMPI: u32 = 0xb5
export const PUSH1_DUP_ADD: u32 = 0xb6
export const PUSH1_DUP_ADD_MLOAD: u32 = 0xb7
export const PUSH1_SHL: u32 = 0xb8
export const PUSH1_SHR: u32 = 0xb9
export const PUSH1_SAR: u32 = 0xba
export const PUSH1_ADD: u32 = 0xbb
export const PUSH_MASK: u32 = 0xbc
export const PUSH1_MLOAD: u32 = 0xbd
export const DUP_ADD: u32 = 0xc0
export const DUP_MUL: u32 = 0xc1
export const DUP_SUB: u32 = 0xc2
export const DUP_AND: u32 = 0xc3
export const DUP_EQ: u32 = 0xc4
export const DUP_LT: u32 = 0xc5
export const DUP_GT: u32 = 0xc6
export const DUP_MLOAD: u32 = 0xc8
export const DUP_DUP: u32 = 0xca
export const SWAP_POP: u32 = 0xd0
export const SWAP_SWAP: u32 = 0xd1
export const SWAP1_SUB: u32 = 0xd2
export const POP_POP: u32 = 0xd3

@inline function isTarget(blocks: usize, length: u32, target: u32): bool {
  return target < length && (load<u64>(blocks + (<usize>target << 3)) & JUMPDEST_BIT) != 0
}

@inline function isDup(op: u32): bool {
  return op >= 0x80 && op <= 0x8f
}

@inline function isSwap(op: u32): bool {
  return op >= 0x90 && op <= 0x9f
}

/** Returns the opcode that replaces DUPn and the opcode after it, or 0. */
@inline function withDup(next: u32): u32 {
  switch (next) {
    case 0x01: return DUP_ADD
    case 0x02: return DUP_MUL
    case 0x03: return DUP_SUB
    case 0x10: return DUP_LT
    case 0x11: return DUP_GT
    case 0x14: return DUP_EQ
    case 0x16: return DUP_AND
    case 0x51: return DUP_MLOAD
    default: return 0
  }
}

/** Writes the fused copy of code; `blocks` is its finished analysis. */
export function fuse(code: usize, length: u32, blocks: usize, fused: usize): void {
  memory.copy(fused, code, length + PADDING)
  let pc: u32 = 0
  while (pc < length) {
    const at = code + <usize>pc
    const to = fused + <usize>pc
    const op = <u32>load<u8>(at)
    const next = <u32>load<u8>(at, 1)
    let size: u32 = op >= 0x60 && op <= 0x7f ? op - 0x5e : 1
    if (op == 0x61) {
      const jump = <u32>load<u8>(at, 3)
      if ((jump == 0x56 || jump == 0x57) && isTarget(blocks, length, <u32>bswap<u16>(load<u16>(at, 1)))) {
        store<u8>(to, jump == 0x56 ? PUSH2_JUMP : PUSH2_JUMPI)
        size = 4
      }
    } else if (op == 0x60) {
      const after = <u32>load<u8>(at, 2)
      const third = <u32>load<u8>(at, 3)
      if ((after == 0x56 || after == 0x57) && isTarget(blocks, length, next)) {
        store<u8>(to, after == 0x56 ? PUSH1_JUMP : PUSH1_JUMPI)
        size = 3
      } else if (isDup(after) && third == 0x01) {
        const loads = load<u8>(at, 4) == 0x51
        store<u8>(to, loads ? PUSH1_DUP_ADD_MLOAD : PUSH1_DUP_ADD)
        store<u8>(to, after - 0x7f, 2)
        size = loads ? 5 : 4
      } else if ((load<u64>(at) & 0xffff00ffffffffff) == 0x031b006001600160) {
        store<u8>(to, PUSH_MASK)
        size = 8
      } else if (after >= 0x1b && after <= 0x1d) {
        store<u8>(to, PUSH1_SHL + after - 0x1b)
        size = 3
      } else if (after == 0x01 || after == 0x51) {
        store<u8>(to, after == 0x01 ? PUSH1_ADD : PUSH1_MLOAD)
        size = 3
      }
    } else if (op == 0x15 || op == 0x14) {
      if (next == 0x61 && load<u8>(at, 4) == 0x57 && isTarget(blocks, length, <u32>bswap<u16>(load<u16>(at, 2)))) {
        store<u8>(to, op == 0x15 ? ISZERO_PUSH2_JUMPI : EQ_PUSH2_JUMPI)
        size = 5
      }
    } else if (isDup(op)) {
      const together = withDup(next)
      if (together != 0) {
        store<u8>(to, together)
        store<u8>(to, op - 0x7f, 1)
        size = 2
      } else if (isDup(next) && withDup(<u32>load<u8>(at, 2)) == 0) {
        store<u8>(to, DUP_DUP)
        store<u8>(to, ((op - 0x80) << 4) | (next - 0x80), 1)
        size = 2
      }
    } else if (isSwap(op)) {
      if (next == 0x50) {
        store<u8>(to, SWAP_POP)
        store<u8>(to, op - 0x8f, 1)
        size = 2
      } else if (op == 0x90 && next == 0x03) {
        store<u8>(to, SWAP1_SUB)
        size = 2
      } else if (isSwap(next)) {
        store<u8>(to, SWAP_SWAP)
        store<u8>(to, ((op - 0x90) << 4) | (next - 0x90), 1)
        size = 2
      }
    } else if (op == 0x50 && next == 0x50) {
      store<u8>(to, POP_POP)
      size = 2
    }
    pc += size
  }
}
