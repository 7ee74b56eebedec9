/**
 * The interpreter loop, compiled twice. The fast loop pays gas and checks the stack once per block, using the block's analysis. A
 * block that cannot run to its end is left to the careful loop, which does both per opcode and so fails at exactly the right opcode.
 * The traced build has only the careful loop, and records each step.
 */
import { A, B, BASE_FEE, U_BELOW_SENTRY, BLOB_BASE_FEE, CALL_GAS, CALL_PRICED, CHAIN_ID, COINBASE, EXP_BYTE_GAS, GAS_LIMIT, GAS_PRICE, HAS_63_64,
  INIT_CODE_LIMIT, NUMBER, OPCODES, ORIGIN, RANDAO, RETURN_DATA, RETURN_DATA_SIZE, RETURN_LENGTH, SPONGE, SSTORE_SENTRY, TIMESTAMP,
  F_ADDRESS, F_BLOCKS, F_CALLER, F_CHILD_ADDRESS, F_CHILD_DATA, F_CHILD_DATA_LENGTH, F_CHILD_GAS, F_CHILD_OUT, F_CHILD_OUT_LENGTH, F_CHILD_VALUE,
  F_CHILD_VALUED, F_CODE, F_CODE_LENGTH, F_DATA, F_DATA_LENGTH, F_FUSED, F_GAS, F_JUMPS, F_MEMORY, F_MEMORY_SIZE, F_OUT, F_OUT_LENGTH, F_PC, F_SP,
  F_STACK, F_STATIC, F_VALUE, F_WANT,
  S_CALL, S_CAREFUL, S_CREATE, S_INIT_CODE_SIZE, S_INVALID_JUMP, S_INVALID_OPCODE, S_OUT_OF_GAS, S_RETURN,
  S_RETURN_DATA, S_REVERT, S_STACK, S_STOP, S_WRITE_PROTECTION, S_YIELD } from './layout'
import { GAS_BITS, JUMPDEST_BIT, isJump } from './analysis'
import * as division from './division'
import { PUSH2_JUMP, PUSH2_JUMPI, PUSH1_JUMP, PUSH1_JUMPI, ISZERO_PUSH2_JUMPI, EQ_PUSH2_JUMPI, PUSH1_DUP_ADD, PUSH1_DUP_ADD_MLOAD,
  PUSH1_SHL, PUSH1_SHR, PUSH1_SAR, PUSH1_ADD, PUSH_MASK, PUSH1_MLOAD, DUP_ADD, DUP_MUL, DUP_SUB, DUP_AND,
  DUP_EQ, DUP_LT, DUP_GT, DUP_MLOAD, DUP_DUP, SWAP_POP, SWAP_SWAP, SWAP1_SUB, POP_POP } from './fuse'
import * as host from './host'
import { keccak } from './keccak'
import { copyPadded, endOf, expand, expandRange } from './memory'
import * as trace from './trace'
import * as u256 from './u256'

/** Ends `run`: saves the state of the frame, which `run` or the host reads next. */
function leave(frame: usize, pc: usize, sp: usize, gas: i64, status: i32): i32 {
  if (isDefined(TRACED)) trace.finish(frame, gas, status)
  store<u32>(frame, pc, F_PC)
  store<u32>(frame, sp, F_SP)
  store<i64>(frame, gas, F_GAS)
  return status
}

/** Returns the fuel left after an expensive opcode. When it is used up the host can end the execution by throwing. */
@inline function spend(fuel: i32, units: i32): i32 {
  const left = fuel - units
  if (left < 0) host.pause()
  return left
}

/** Returns the gas left after a block's opcodes, or -1 if it cannot run to its end. */
@inline function pay(entry: u64, gas: i64, height: u32): i64 {
  const left = gas - <i64>(entry & GAS_BITS)
  return height - (<u32>(entry >> 32) & 0xffff) > <u32>(entry >> 48) ? -1 : left
}

@inline function words(length: u64): i64 {
  return <i64>((length + 31) >> 5)
}

@inline function pushBytes(sp: usize, pc: usize, n: i32): void {
  const last = pc + 1 + n
  let a: u64 = 0, b: u64 = 0, c: u64 = 0, d: u64 = 0
  if (n == 1) {
    a = <u64>load<u8>(pc, 1)
  } else if (n <= 8) {
    a = bswap<u64>(load<u64>(last - 8))
    if (n < 8) a &= ((<u64>1 << (n << 3)) - 1)
  } else {
    a = bswap<u64>(load<u64>(last - 8))
    b = bswap<u64>(load<u64>(last - 16))
    if (n < 16) b &= ((<u64>1 << ((n - 8) << 3)) - 1)
    if (n > 16) {
      c = bswap<u64>(load<u64>(last - 24))
      if (n < 24) c &= ((<u64>1 << ((n - 16) << 3)) - 1)
    }
    if (n > 24) {
      d = bswap<u64>(load<u64>(last - 32))
      if (n < 32) d &= ((<u64>1 << ((n - 24) << 3)) - 1)
    }
  }
  u256.set(sp, a, b, c, d)
}

@inline function swapWith(sp: usize, n: usize): void {
  const p = sp - (n << 5)
  const a = load<u64>(sp), b = load<u64>(sp, 8), c = load<u64>(sp, 16), d = load<u64>(sp, 24)
  u256.copy(sp, p)
  u256.set(p, a, b, c, d)
}

/** Copies an address from the stack to A. */
@inline function handAddress(p: usize): void {
  u256.swap(A, p)
  store<u64>(A, 0)
  store<u32>(A, 0, 8)
}

/** Prices CALL, CALLCODE, DELEGATECALL, STATICCALL and writes the request to the frame. Returns the gas left, negative if there was too little. */
function prepareCall(frame: usize, op: u32, sp: usize, initial: i64): i64 {
  let gas = initial
  store<i64>(CALL_GAS, initial)
  store<i64>(CALL_PRICED, -1)
  const hasValue = op == 0xf1 || op == 0xf2
  const args = hasValue ? sp - 64 : sp - 32
  const inOffset = args - 32, inLength = args - 64, outOffset = args - 96, outLength = args - 128
  const valued = hasValue && !u256.isZero(sp - 64)
  const inN = u256.saturate(inLength)
  const outN = u256.saturate(outLength)
  const inO = inN == 0 ? 0 : u256.saturate(inOffset)
  const outO = outN == 0 ? 0 : u256.saturate(outOffset)
  gas = expand(frame, gas, max(endOf(inO, inN), endOf(outO, outN)))
  if (gas < 0) return gas
  handAddress(sp - 32)
  u256.swap(frame + F_CHILD_ADDRESS, A)
  if (valued) gas -= 9000
  const wanted = u256.saturate(sp)
  store<i64>(CALL_PRICED, gas)
  store<i64>(frame, <i64>wanted, F_CHILD_GAS)
  gas -= <i64>host.callcost(op, <u32>valued)
  if (gas < 0) return gas
  let child = gas
  if (load<u32>(HAS_63_64) != 0) child = gas - (gas >> 6)
  else if (wanted > <u64>gas) return -1
  if (wanted < <u64>child) child = <i64>wanted
  gas -= child
  const base = load<u32>(frame, F_MEMORY)
  store<i64>(frame, valued ? child + 2300 : child, F_CHILD_GAS)
  store<u32>(frame, op, F_WANT)
  store<u32>(frame, base + <u32>inO, F_CHILD_DATA)
  store<u32>(frame, <u32>inN, F_CHILD_DATA_LENGTH)
  store<u32>(frame, base + <u32>outO, F_CHILD_OUT)
  store<u32>(frame, <u32>outN, F_CHILD_OUT_LENGTH)
  store<u32>(frame, <u32>valued, F_CHILD_VALUED)
  if (valued) u256.copy(frame + F_CHILD_VALUE, sp - 64)
  else u256.setSmall(frame + F_CHILD_VALUE, 0)
  return gas
}

/** Prices CREATE and CREATE2 of init code within the limit and writes the request to the frame. Returns the gas left, negative if there was too little. */
function prepareCreate(frame: usize, op: u32, sp: usize, initial: i64): i64 {
  let gas = expandRange(frame, initial, sp - 32, sp - 64)
  if (gas < 0) return gas
  const length = u256.saturate(sp - 64)
  if (load<u32>(INIT_CODE_LIMIT) != 0) gas -= 2 * words(length)
  if (op == 0xf5) {
    gas -= 6 * words(length)
    u256.swap(A, sp - 96)
  }
  if (gas < 0) return gas
  let child = gas
  if (load<u32>(HAS_63_64) != 0) child = gas - (gas >> 6)
  gas -= child
  store<i64>(frame, child, F_CHILD_GAS)
  store<u32>(frame, op, F_WANT)
  store<u32>(frame, length == 0 ? 0 : load<u32>(frame, F_MEMORY) + load<u32>(sp - 32), F_CHILD_DATA)
  store<u32>(frame, <u32>length, F_CHILD_DATA_LENGTH)
  store<u32>(frame, 0, F_CHILD_OUT_LENGTH)
  store<u32>(frame, <u32>!u256.isZero(sp), F_CHILD_VALUED)
  u256.copy(frame + F_CHILD_VALUE, sp)
  return gas
}

/** Pays for and makes a copy to memory; target offset, source offset and length are on the stack. Returns the gas left. */
function copyIn(frame: usize, gas: i64, sp: usize, source: usize, size: u32): i64 {
  const length = u256.saturate(sp - 64)
  if (length == 0) return gas
  const target = u256.saturate(sp)
  const left = expand(frame, gas - 3 * words(length), endOf(target, length))
  if (left < 0) return left
  copyPadded(load<u32>(frame, F_MEMORY) + <usize>target, source, size, u256.saturate(sp - 32), <u32>length)
  return left
}

/** Runs one of the two loops: `M` is u8 for the fast one, u16 for the careful one. */
function interpret<M>(frame: usize, initialFuel: i32): i32 {
  let fuel = initialFuel
  // The fast loop reads the fused copy of the code.
  const fused: usize = sizeof<M>() == 1 ? load<u32>(frame, F_FUSED) : 0
  let pc: usize = load<u32>(frame, F_PC) + fused
  let sp: usize = load<u32>(frame, F_SP)
  let gas: i64 = load<i64>(frame, F_GAS)
  const stack: usize = load<u32>(frame, F_STACK)
  const code: usize = load<u32>(frame, F_CODE) + fused
  const blocks: usize = load<u32>(frame, F_BLOCKS)
  const jumps: usize = load<u32>(frame, F_JUMPS)
  const base: usize = load<u32>(frame, F_MEMORY)

  if (sizeof<M>() == 1) {
    const entry = load<u64>(blocks + ((pc - code) << 3))
    const left = pay(entry, gas, sp - stack)
    if (left < 0) return leave(frame, pc - fused, sp, gas, S_CAREFUL)
    gas = left
    pc += <usize>((entry >> 31) & 1)
  }

  for (;;) {
    const op = <u32>load<u8>(pc)
    if (sizeof<M>() == 2) {
      const info = load<u64>(OPCODES + (<usize>op << 3))
      const need = <u32>(info >> 16) & 0xffff
      if (isDefined(TRACED)) {
        trace.finish(frame, gas, S_STOP)
        if (!trace.step(frame, pc, op, sp, gas)) return leave(frame, pc - fused, sp, gas, S_YIELD)
      }
      if (sp - stack - need > (<u32>(info >> 32) & 0xffff)) {
        return leave(frame, pc - fused, sp, gas, need == 0xffff ? S_INVALID_OPCODE : S_STACK)
      }
      gas -= <i64>(info & 0xffff)
      if (gas < 0) return leave(frame, pc - fused, sp, gas, S_OUT_OF_GAS)
    }
    switch (op) {
      case 0x00: // STOP
        return leave(frame, pc - fused, sp, gas, S_STOP)
      case 0x01: // ADD
        u256.add(sp - 32, sp, sp - 32)
        sp -= 32
        break
      case 0x02: // MUL
        u256.mul(sp - 32, sp, sp - 32)
        sp -= 32
        break
      case 0x03: // SUB
        u256.sub(sp - 32, sp, sp - 32)
        sp -= 32
        break
      case 0x04: // DIV
        division.div(sp - 32, sp, sp - 32)
        sp -= 32
        break
      case 0x05: // SDIV
        division.sdiv(sp - 32, sp, sp - 32)
        sp -= 32
        break
      case 0x06: // MOD
        division.mod(sp - 32, sp, sp - 32)
        sp -= 32
        break
      case 0x07: // SMOD
        division.smod(sp - 32, sp, sp - 32)
        sp -= 32
        break
      case 0x08: // ADDMOD
        division.addmod(sp - 64, sp, sp - 32, sp - 64)
        sp -= 64
        break
      case 0x09: // MULMOD
        division.mulmod(sp - 64, sp, sp - 32, sp - 64)
        sp -= 64
        break
      case 0x0a: { // EXP
        const exponent = sp - 32
        let bits: i32 = 0
        for (let i: i32 = 24; i >= 0; i -= 8) {
          const limb = load<u64>(exponent + i)
          if (limb != 0) {
            bits = (i << 3) + 64 - <i32>clz(limb)
            break
          }
        }
        gas -= <i64>load<u32>(EXP_BYTE_GAS) * <i64>((bits + 7) >> 3)
        if (gas < 0) return leave(frame, pc - fused, sp, gas, S_OUT_OF_GAS)
        fuel = spend(fuel, bits >> 3)
        u256.exp(sp - 32, sp, sp - 32)
        sp -= 32
        break
      }
      case 0x0b: // SIGNEXTEND
        u256.signextend(sp - 32, sp, sp - 32)
        sp -= 32
        break

      case 0x10: // LT
        u256.setSmall(sp - 32, <u64>u256.less(sp, sp - 32))
        sp -= 32
        break
      case 0x11: // GT
        u256.setSmall(sp - 32, <u64>u256.less(sp - 32, sp))
        sp -= 32
        break
      case 0x12: // SLT
        u256.setSmall(sp - 32, <u64>u256.signedLess(sp, sp - 32))
        sp -= 32
        break
      case 0x13: // SGT
        u256.setSmall(sp - 32, <u64>u256.signedLess(sp - 32, sp))
        sp -= 32
        break
      case 0x14: // EQ
        u256.setSmall(sp - 32, <u64>u256.equals(sp, sp - 32))
        sp -= 32
        break
      case 0x15: // ISZERO
        u256.setSmall(sp, <u64>u256.isZero(sp))
        break
      case 0x16: { // AND
        const p = sp - 32
        u256.set(p, load<u64>(sp) & load<u64>(p), load<u64>(sp, 8) & load<u64>(p, 8),
          load<u64>(sp, 16) & load<u64>(p, 16), load<u64>(sp, 24) & load<u64>(p, 24))
        sp = p
        break
      }
      case 0x17: { // OR
        const p = sp - 32
        u256.set(p, load<u64>(sp) | load<u64>(p), load<u64>(sp, 8) | load<u64>(p, 8),
          load<u64>(sp, 16) | load<u64>(p, 16), load<u64>(sp, 24) | load<u64>(p, 24))
        sp = p
        break
      }
      case 0x18: { // XOR
        const p = sp - 32
        u256.set(p, load<u64>(sp) ^ load<u64>(p), load<u64>(sp, 8) ^ load<u64>(p, 8),
          load<u64>(sp, 16) ^ load<u64>(p, 16), load<u64>(sp, 24) ^ load<u64>(p, 24))
        sp = p
        break
      }
      case 0x19: // NOT
        u256.set(sp, ~load<u64>(sp), ~load<u64>(sp, 8), ~load<u64>(sp, 16), ~load<u64>(sp, 24))
        break
      case 0x1a: { // BYTE
        const index = u256.saturate(sp)
        u256.setSmall(sp - 32, index > 31 ? 0 : <u64>load<u8>(sp - 32 + (31 - <usize>index)))
        sp -= 32
        break
      }
      case 0x1b: // SHL
        u256.shl(sp - 32, sp, sp - 32)
        sp -= 32
        break
      case 0x1c: // SHR
        u256.shr(sp - 32, sp, sp - 32)
        sp -= 32
        break
      case 0x1d: // SAR
        u256.sar(sp - 32, sp, sp - 32)
        sp -= 32
        break
      case 0x1e: // CLZ
        u256.countLeadingZeros(sp, sp)
        break

      case 0x20: { // KECCAK256
        const length = u256.saturate(sp - 32)
        gas = expandRange(frame, gas - 6 * words(length), sp, sp - 32)
        if (gas < 0) return leave(frame, pc - fused, sp, gas, S_OUT_OF_GAS)
        keccak(base + (length == 0 ? 0 : <usize>load<u32>(sp)), <u32>length)
        sp -= 32
        u256.swap(sp, SPONGE)
        fuel = spend(fuel, <i32>(length >> 5))
        break
      }

      case 0x30: // ADDRESS
        sp += 32
        u256.copy(sp, frame + F_ADDRESS)
        break
      case 0x31: // BALANCE
        handAddress(sp)
        store<i64>(frame, gas, F_GAS)
        gas -= <i64>host.balance()
        if (gas < 0) return leave(frame, pc - fused, sp, gas, S_OUT_OF_GAS)
        u256.swap(sp, B)
        break
      case 0x32: // ORIGIN
        sp += 32
        u256.copy(sp, ORIGIN)
        break
      case 0x33: // CALLER
        sp += 32
        u256.copy(sp, frame + F_CALLER)
        break
      case 0x34: // CALLVALUE
        sp += 32
        u256.copy(sp, frame + F_VALUE)
        break
      case 0x35: { // CALLDATALOAD
        const size = <u64>load<u32>(frame, F_DATA_LENGTH)
        const offset = u256.saturate(sp)
        if (offset >= size) {
          u256.setSmall(sp, 0)
        } else if (offset + 32 <= size) {
          u256.swap(sp, load<u32>(frame, F_DATA) + <usize>offset)
        } else {
          copyPadded(B, load<u32>(frame, F_DATA), <u32>size, offset, 32)
          u256.swap(sp, B)
        }
        break
      }
      case 0x36: // CALLDATASIZE
        sp += 32
        u256.setSmall(sp, load<u32>(frame, F_DATA_LENGTH))
        break
      case 0x37: // CALLDATACOPY
        gas = copyIn(frame, gas, sp, load<u32>(frame, F_DATA), load<u32>(frame, F_DATA_LENGTH))
        if (gas < 0) return leave(frame, pc - fused, sp, gas, S_OUT_OF_GAS)
        fuel = spend(fuel, <i32>(load<u32>(sp - 64) >> 8))
        sp -= 96
        break
      case 0x38: // CODESIZE
        sp += 32
        u256.setSmall(sp, load<u32>(frame, F_CODE_LENGTH))
        break
      case 0x39: // CODECOPY
        gas = copyIn(frame, gas, sp, code - fused, load<u32>(frame, F_CODE_LENGTH))
        if (gas < 0) return leave(frame, pc - fused, sp, gas, S_OUT_OF_GAS)
        fuel = spend(fuel, <i32>(load<u32>(sp - 64) >> 8))
        sp -= 96
        break
      case 0x3a: // GASPRICE
        sp += 32
        u256.copy(sp, GAS_PRICE)
        break
      case 0x3b: // EXTCODESIZE
        handAddress(sp)
        store<i64>(frame, gas, F_GAS)
        gas -= <i64>host.extcodesize()
        if (gas < 0) return leave(frame, pc - fused, sp, gas, S_OUT_OF_GAS)
        u256.setSmall(sp, load<u32>(B))
        break
      case 0x3c: { // EXTCODECOPY
        const length = u256.saturate(sp - 96)
        gas = expandRange(frame, gas - 3 * words(length), sp - 32, sp - 96)
        handAddress(sp)
        store<i64>(frame, gas, F_GAS)
        const price = <i64>host.extcodesize()
        // Negative gas that encodes a reason (`U_`) is not changed.
        if (gas > i64.MIN_VALUE >> 1) gas -= price
        if (gas < 0) return leave(frame, pc - fused, sp, gas, S_OUT_OF_GAS)
        if (length != 0) {
          const target = base + <usize>u256.saturate(sp - 32)
          host.extcodecopy(target, <u32>min(u256.saturate(sp - 64), 0xffffffff), <u32>length)
        }
        fuel = spend(fuel, <i32>(length >> 8))
        sp -= 128
        break
      }
      case 0x3d: // RETURNDATASIZE
        sp += 32
        u256.setSmall(sp, load<u32>(RETURN_LENGTH))
        break
      case 0x3e: { // RETURNDATACOPY
        const size = load<u32>(RETURN_LENGTH)
        const offset = u256.saturate(sp - 32)
        const length = u256.saturate(sp - 64)
        gas = expandRange(frame, gas - 3 * words(length), sp, sp - 64)
        if (gas < 0) return leave(frame, pc - fused, sp, gas, S_OUT_OF_GAS)
        if (offset > size || length > <u64>size || offset + length > size) return leave(frame, pc - fused, sp, gas, S_RETURN_DATA)
        if (length != 0) {
          const target = base + <usize>load<u32>(sp)
          if (size > RETURN_DATA_SIZE) host.returndatacopy(target, <u32>offset, <u32>length)
          else memory.copy(target, RETURN_DATA + <usize>offset, <usize>length)
        }
        fuel = spend(fuel, <i32>(length >> 8))
        sp -= 96
        break
      }
      case 0x3f: // EXTCODEHASH
        handAddress(sp)
        store<i64>(frame, gas, F_GAS)
        gas -= <i64>host.extcodehash()
        if (gas < 0) return leave(frame, pc - fused, sp, gas, S_OUT_OF_GAS)
        u256.swap(sp, B)
        break

      case 0x40: // BLOCKHASH
        u256.swap(A, sp)
        host.blockhash()
        u256.swap(sp, B)
        break
      case 0x41: // COINBASE
        sp += 32
        u256.copy(sp, COINBASE)
        break
      case 0x42: // TIMESTAMP
        sp += 32
        u256.copy(sp, TIMESTAMP)
        break
      case 0x43: // NUMBER
        sp += 32
        u256.copy(sp, NUMBER)
        break
      case 0x44: // PREVRANDAO, DIFFICULTY
        sp += 32
        u256.copy(sp, RANDAO)
        break
      case 0x45: // GASLIMIT
        sp += 32
        u256.copy(sp, GAS_LIMIT)
        break
      case 0x46: // CHAINID
        sp += 32
        u256.copy(sp, CHAIN_ID)
        break
      case 0x47: // SELFBALANCE
        host.selfbalance()
        sp += 32
        u256.swap(sp, B)
        break
      case 0x48: // BASEFEE
        sp += 32
        u256.copy(sp, BASE_FEE)
        break
      case 0x49: // BLOBHASH
        host.blobhash(<u32>min(u256.saturate(sp), 0xffffffff))
        u256.swap(sp, B)
        break
      case 0x4a: // BLOBBASEFEE
        sp += 32
        u256.copy(sp, BLOB_BASE_FEE)
        break

      case 0x50: // POP
        sp -= 32
        break
      case 0x51: { // MLOAD
        const offset = u256.saturate(sp)
        if (endOf(offset, 32) > <u64>load<u32>(frame, F_MEMORY_SIZE)) {
          gas = expand(frame, gas, endOf(offset, 32))
          if (gas < 0) return leave(frame, pc - fused, sp, gas, S_OUT_OF_GAS)
        }
        u256.swap(sp, base + <usize>offset)
        break
      }
      case 0x52: { // MSTORE
        const offset = u256.saturate(sp)
        if (endOf(offset, 32) > <u64>load<u32>(frame, F_MEMORY_SIZE)) {
          gas = expand(frame, gas, endOf(offset, 32))
          if (gas < 0) return leave(frame, pc - fused, sp, gas, S_OUT_OF_GAS)
        }
        u256.swap(base + <usize>offset, sp - 32)
        sp -= 64
        break
      }
      case 0x53: { // MSTORE8
        const offset = u256.saturate(sp)
        if (offset >= <u64>load<u32>(frame, F_MEMORY_SIZE)) {
          gas = expand(frame, gas, endOf(offset, 1))
          if (gas < 0) return leave(frame, pc - fused, sp, gas, S_OUT_OF_GAS)
        }
        store<u8>(base + <usize>offset, load<u8>(sp - 32))
        sp -= 64
        break
      }
      case 0x54: // SLOAD
        u256.swap(A, sp)
        store<i64>(frame, gas, F_GAS)
        gas -= <i64>host.sload()
        if (gas < 0) return leave(frame, pc - fused, sp, gas, S_OUT_OF_GAS)
        u256.swap(sp, B)
        break
      case 0x55: // SSTORE
        if (gas <= <i64>load<i32>(SSTORE_SENTRY)) return leave(frame, pc - fused, sp, U_BELOW_SENTRY, S_OUT_OF_GAS)
        u256.swap(A, sp)
        u256.swap(B, sp - 32)
        store<i64>(frame, gas, F_GAS)
        gas -= <i64>host.sstore()
        if (gas < 0) return leave(frame, pc - fused, sp, gas, S_OUT_OF_GAS)
        // Reverting the frame undoes the write.
        if (load<u32>(frame, F_STATIC) != 0) return leave(frame, pc - fused, sp, gas, S_WRITE_PROTECTION)
        sp -= 64
        if (sizeof<M>() == 1) {
          const entry = load<u64>(blocks + ((pc + 1 - code) << 3))
          const left = pay(entry, gas, sp - stack)
          if (left < 0) return leave(frame, pc - fused + 1, sp, gas, S_CAREFUL)
          gas = left
          pc += <usize>((entry >> 31) & 1)
        }
        break
      case 0x56: { // JUMP
        const target = u256.saturate(sp)
        if (target >= <u64>load<u32>(frame, F_CODE_LENGTH)) return leave(frame, pc - fused, sp, gas, S_INVALID_JUMP)
        if (sizeof<M>() == 2) {
          if (!isJump(jumps, <u32>target)) return leave(frame, pc - fused, sp, gas, S_INVALID_JUMP)
          sp -= 32
          pc = code + <usize>target
          if (--fuel < 0) return leave(frame, pc - fused, sp, gas, S_YIELD)
          continue
        }
        const entry = load<u64>(blocks + (<usize>target << 3))
        if ((entry & JUMPDEST_BIT) == 0) return leave(frame, pc - fused, sp, gas, S_INVALID_JUMP)
        sp -= 32
        pc = code + <usize>target
        if (--fuel < 0) return leave(frame, pc - fused, sp, gas, S_YIELD)
        const left = pay(entry, gas, sp - stack)
        if (left < 0) return leave(frame, pc - fused, sp, gas, S_CAREFUL)
        gas = left
        break
      }
      case 0x57: { // JUMPI
        sp -= 64
        if (!u256.isZero(sp + 32)) {
          const target = u256.saturate(sp + 64)
          if (target >= <u64>load<u32>(frame, F_CODE_LENGTH)) return leave(frame, pc - fused, sp + 64, gas, S_INVALID_JUMP)
          if (sizeof<M>() == 2) {
            if (!isJump(jumps, <u32>target)) return leave(frame, pc - fused, sp + 64, gas, S_INVALID_JUMP)
            pc = code + <usize>target
            if (--fuel < 0) return leave(frame, pc - fused, sp, gas, S_YIELD)
            continue
          }
          const entry = load<u64>(blocks + (<usize>target << 3))
          if ((entry & JUMPDEST_BIT) == 0) return leave(frame, pc - fused, sp + 64, gas, S_INVALID_JUMP)
          pc = code + <usize>target
          if (--fuel < 0) return leave(frame, pc - fused, sp, gas, S_YIELD)
          const left = pay(entry, gas, sp - stack)
          if (left < 0) return leave(frame, pc - fused, sp, gas, S_CAREFUL)
          gas = left
          break
        }
        if (sizeof<M>() == 2) break
        const entry = load<u64>(blocks + ((pc + 1 - code) << 3))
        const left = pay(entry, gas, sp - stack)
        if (left < 0) return leave(frame, pc - fused + 1, sp, gas, S_CAREFUL)
        gas = left
        pc += <usize>((entry >> 31) & 1)
        break
      }
      case 0x58: // PC
        sp += 32
        u256.setSmall(sp, <u64>(pc - code))
        break
      case 0x59: // MSIZE
        sp += 32
        u256.setSmall(sp, load<u32>(frame, F_MEMORY_SIZE))
        break
      case 0x5a: // GAS
        sp += 32
        u256.setSmall(sp, <u64>gas)
        if (sizeof<M>() == 1) {
          const entry = load<u64>(blocks + ((pc + 1 - code) << 3))
          const left = pay(entry, gas, sp - stack)
          if (left < 0) return leave(frame, pc - fused + 1, sp, gas, S_CAREFUL)
          gas = left
          pc += <usize>((entry >> 31) & 1)
        }
        break
      case 0x5b: // JUMPDEST, fallen into
        if (sizeof<M>() == 1) {
          // A jump enters a block after its JUMPDEST; this block was entered by falling through.
          const left = pay(load<u64>(blocks + ((pc - code) << 3)), gas, sp - stack)
          if (left < 0) return leave(frame, pc - fused, sp, gas, S_CAREFUL)
          gas = left
        }
        break
      case 0x5c: // TLOAD
        u256.swap(A, sp)
        host.tload()
        u256.swap(sp, B)
        break
      case 0x5d: // TSTORE
        if (load<u32>(frame, F_STATIC) != 0) return leave(frame, pc - fused, sp, gas, S_WRITE_PROTECTION)
        u256.swap(A, sp)
        u256.swap(B, sp - 32)
        host.tstore()
        sp -= 64
        break
      case 0x5e: { // MCOPY
        const length = u256.saturate(sp - 64)
        if (length != 0) {
          const target = u256.saturate(sp)
          const source = u256.saturate(sp - 32)
          gas = expand(frame, gas - 3 * words(length), endOf(max(target, source), length))
          if (gas < 0) return leave(frame, pc - fused, sp, gas, S_OUT_OF_GAS)
          memory.copy(base + <usize>target, base + <usize>source, <usize>length)
          fuel = spend(fuel, <i32>(length >> 8))
        }
        sp -= 96
        break
      }
      case 0x5f: // PUSH0
        sp += 32
        u256.setSmall(sp, 0)
        break
      case 0x60: // PUSH1
        sp += 32
        pushBytes(sp, pc, 1)
        pc += 1
        break
      case 0x61: // PUSH2
        sp += 32
        pushBytes(sp, pc, 2)
        pc += 2
        break
      case 0x62: // PUSH3
        sp += 32
        pushBytes(sp, pc, 3)
        pc += 3
        break
      case 0x63: // PUSH4
        sp += 32
        pushBytes(sp, pc, 4)
        pc += 4
        break
      case 0x64: // PUSH5
        sp += 32
        pushBytes(sp, pc, 5)
        pc += 5
        break
      case 0x65: // PUSH6
        sp += 32
        pushBytes(sp, pc, 6)
        pc += 6
        break
      case 0x66: // PUSH7
        sp += 32
        pushBytes(sp, pc, 7)
        pc += 7
        break
      case 0x67: // PUSH8
        sp += 32
        pushBytes(sp, pc, 8)
        pc += 8
        break
      case 0x68: // PUSH9
        sp += 32
        pushBytes(sp, pc, 9)
        pc += 9
        break
      case 0x69: // PUSH10
        sp += 32
        pushBytes(sp, pc, 10)
        pc += 10
        break
      case 0x6a: // PUSH11
        sp += 32
        pushBytes(sp, pc, 11)
        pc += 11
        break
      case 0x6b: // PUSH12
        sp += 32
        pushBytes(sp, pc, 12)
        pc += 12
        break
      case 0x6c: // PUSH13
        sp += 32
        pushBytes(sp, pc, 13)
        pc += 13
        break
      case 0x6d: // PUSH14
        sp += 32
        pushBytes(sp, pc, 14)
        pc += 14
        break
      case 0x6e: // PUSH15
        sp += 32
        pushBytes(sp, pc, 15)
        pc += 15
        break
      case 0x6f: // PUSH16
        sp += 32
        pushBytes(sp, pc, 16)
        pc += 16
        break
      case 0x70: // PUSH17
        sp += 32
        pushBytes(sp, pc, 17)
        pc += 17
        break
      case 0x71: // PUSH18
        sp += 32
        pushBytes(sp, pc, 18)
        pc += 18
        break
      case 0x72: // PUSH19
        sp += 32
        pushBytes(sp, pc, 19)
        pc += 19
        break
      case 0x73: // PUSH20
        sp += 32
        pushBytes(sp, pc, 20)
        pc += 20
        break
      case 0x74: // PUSH21
        sp += 32
        pushBytes(sp, pc, 21)
        pc += 21
        break
      case 0x75: // PUSH22
        sp += 32
        pushBytes(sp, pc, 22)
        pc += 22
        break
      case 0x76: // PUSH23
        sp += 32
        pushBytes(sp, pc, 23)
        pc += 23
        break
      case 0x77: // PUSH24
        sp += 32
        pushBytes(sp, pc, 24)
        pc += 24
        break
      case 0x78: // PUSH25
        sp += 32
        pushBytes(sp, pc, 25)
        pc += 25
        break
      case 0x79: // PUSH26
        sp += 32
        pushBytes(sp, pc, 26)
        pc += 26
        break
      case 0x7a: // PUSH27
        sp += 32
        pushBytes(sp, pc, 27)
        pc += 27
        break
      case 0x7b: // PUSH28
        sp += 32
        pushBytes(sp, pc, 28)
        pc += 28
        break
      case 0x7c: // PUSH29
        sp += 32
        pushBytes(sp, pc, 29)
        pc += 29
        break
      case 0x7d: // PUSH30
        sp += 32
        pushBytes(sp, pc, 30)
        pc += 30
        break
      case 0x7e: // PUSH31
        sp += 32
        pushBytes(sp, pc, 31)
        pc += 31
        break
      case 0x7f: // PUSH32
        sp += 32
        pushBytes(sp, pc, 32)
        pc += 32
        break
      case 0x80: // DUP1
        sp += 32
        u256.copy(sp, sp - 32)
        break
      case 0x81: // DUP2
        sp += 32
        u256.copy(sp, sp - 64)
        break
      case 0x82: // DUP3
        sp += 32
        u256.copy(sp, sp - 96)
        break
      case 0x83: // DUP4
        sp += 32
        u256.copy(sp, sp - 128)
        break
      case 0x84: // DUP5
        sp += 32
        u256.copy(sp, sp - 160)
        break
      case 0x85: // DUP6
        sp += 32
        u256.copy(sp, sp - 192)
        break
      case 0x86: // DUP7
        sp += 32
        u256.copy(sp, sp - 224)
        break
      case 0x87: // DUP8
        sp += 32
        u256.copy(sp, sp - 256)
        break
      case 0x88: // DUP9
        sp += 32
        u256.copy(sp, sp - 288)
        break
      case 0x89: // DUP10
        sp += 32
        u256.copy(sp, sp - 320)
        break
      case 0x8a: // DUP11
        sp += 32
        u256.copy(sp, sp - 352)
        break
      case 0x8b: // DUP12
        sp += 32
        u256.copy(sp, sp - 384)
        break
      case 0x8c: // DUP13
        sp += 32
        u256.copy(sp, sp - 416)
        break
      case 0x8d: // DUP14
        sp += 32
        u256.copy(sp, sp - 448)
        break
      case 0x8e: // DUP15
        sp += 32
        u256.copy(sp, sp - 480)
        break
      case 0x8f: // DUP16
        sp += 32
        u256.copy(sp, sp - 512)
        break
      case 0x90: // SWAP1
        swapWith(sp, 1)
        break
      case 0x91: // SWAP2
        swapWith(sp, 2)
        break
      case 0x92: // SWAP3
        swapWith(sp, 3)
        break
      case 0x93: // SWAP4
        swapWith(sp, 4)
        break
      case 0x94: // SWAP5
        swapWith(sp, 5)
        break
      case 0x95: // SWAP6
        swapWith(sp, 6)
        break
      case 0x96: // SWAP7
        swapWith(sp, 7)
        break
      case 0x97: // SWAP8
        swapWith(sp, 8)
        break
      case 0x98: // SWAP9
        swapWith(sp, 9)
        break
      case 0x99: // SWAP10
        swapWith(sp, 10)
        break
      case 0x9a: // SWAP11
        swapWith(sp, 11)
        break
      case 0x9b: // SWAP12
        swapWith(sp, 12)
        break
      case 0x9c: // SWAP13
        swapWith(sp, 13)
        break
      case 0x9d: // SWAP14
        swapWith(sp, 14)
        break
      case 0x9e: // SWAP15
        swapWith(sp, 15)
        break
      case 0x9f: // SWAP16
        swapWith(sp, 16)
        break
      case 0xa0: case 0xa1: case 0xa2: case 0xa3: case 0xa4: { // LOG0 to LOG4
        const length = u256.saturate(sp - 32)
        gas = expandRange(frame, gas, sp, sp - 32)
        if (gas >= 0) gas -= 8 * <i64>length
        if (gas < 0) return leave(frame, pc - fused, sp, gas, S_OUT_OF_GAS)
        if (load<u32>(frame, F_STATIC) != 0) return leave(frame, pc - fused, sp, gas, S_WRITE_PROTECTION)
        const count = op - 0xa0
        for (let i: u32 = 0; i < count; i++) u256.swap(sp - 64 - (<usize>i << 5), sp - 64 - (<usize>i << 5))
        host.log(base + (length == 0 ? 0 : <usize>load<u32>(sp)), <u32>length, sp - 64, count)
        sp -= <usize>(count + 2) << 5
        break
      }

      case 0xf0: case 0xf5: { // CREATE, CREATE2
        const limit = load<u32>(INIT_CODE_LIMIT)
        if (limit != 0 && u256.saturate(sp - 64) > limit) return leave(frame, pc - fused, sp, gas, S_INIT_CODE_SIZE)
        const left = prepareCreate(frame, op, sp, gas)
        if (left < 0) return leave(frame, pc - fused, sp, left, S_OUT_OF_GAS)
        if (load<u32>(frame, F_STATIC) != 0) return leave(frame, pc - fused, sp, left, S_WRITE_PROTECTION)
        return leave(frame, pc - fused + 1, sp - (op == 0xf0 ? 64 : 96), left, S_CREATE)
      }
      case 0xf1: case 0xf2: { // CALL, CALLCODE
        const left = prepareCall(frame, op, sp, gas)
        if (left < 0) return leave(frame, pc - fused, sp, left, S_OUT_OF_GAS)
        if (op == 0xf1 && load<u32>(frame, F_STATIC) != 0 && !u256.isZero(sp - 64)) {
          return leave(frame, pc - fused, sp, left, S_WRITE_PROTECTION)
        }
        return leave(frame, pc - fused + 1, sp - 192, left, S_CALL)
      }
      case 0xf4: case 0xfa: { // DELEGATECALL, STATICCALL
        const left = prepareCall(frame, op, sp, gas)
        if (left < 0) return leave(frame, pc - fused, sp, left, S_OUT_OF_GAS)
        return leave(frame, pc - fused + 1, sp - 160, left, S_CALL)
      }
      case 0xf3: case 0xfd: { // RETURN, REVERT
        const length = u256.saturate(sp - 32)
        gas = expandRange(frame, gas, sp, sp - 32)
        if (gas < 0) return leave(frame, pc - fused, sp, gas, S_OUT_OF_GAS)
        store<u32>(frame, length == 0 ? 0 : base + load<u32>(sp), F_OUT)
        store<u32>(frame, <u32>length, F_OUT_LENGTH)
        return leave(frame, pc - fused, sp, gas, op == 0xf3 ? S_RETURN : S_REVERT)
      }
      case 0xff: // SELFDESTRUCT
        handAddress(sp)
        store<i64>(frame, gas, F_GAS)
        gas -= <i64>host.selfdestruct(load<u32>(frame, F_STATIC))
        if (gas < 0) return leave(frame, pc - fused, sp, gas, S_OUT_OF_GAS)
        if (load<u32>(frame, F_STATIC) != 0) return leave(frame, pc - fused, sp, gas, S_WRITE_PROTECTION)
        return leave(frame, pc - fused, sp, gas, S_STOP)

      // Fused sequences: see `fuse`.
      case PUSH2_JUMP: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        const target = <usize>bswap<u16>(load<u16>(pc, 1))
        const entry = load<u64>(blocks + (target << 3))
        pc = code + target
        if (--fuel < 0) return leave(frame, pc - fused, sp, gas, S_YIELD)
        const left = pay(entry, gas, sp - stack)
        if (left < 0) return leave(frame, pc - fused, sp, gas, S_CAREFUL)
        gas = left
        break
      }
      case PUSH2_JUMPI: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        sp -= 32
        if (!u256.isZero(sp + 32)) {
          const target = <usize>bswap<u16>(load<u16>(pc, 1))
          const entry = load<u64>(blocks + (target << 3))
          pc = code + target
          if (--fuel < 0) return leave(frame, pc - fused, sp, gas, S_YIELD)
          const left = pay(entry, gas, sp - stack)
          if (left < 0) return leave(frame, pc - fused, sp, gas, S_CAREFUL)
          gas = left
        } else {
          pc += 4
          const entry = load<u64>(blocks + ((pc - code) << 3))
          const left = pay(entry, gas, sp - stack)
          if (left < 0) return leave(frame, pc - fused, sp, gas, S_CAREFUL)
          gas = left
          pc += <usize>((entry >> 31) & 1) - 1
        }
        break
      }
      case PUSH1_JUMP: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        const target = <usize>load<u8>(pc, 1)
        const entry = load<u64>(blocks + (target << 3))
        pc = code + target
        if (--fuel < 0) return leave(frame, pc - fused, sp, gas, S_YIELD)
        const left = pay(entry, gas, sp - stack)
        if (left < 0) return leave(frame, pc - fused, sp, gas, S_CAREFUL)
        gas = left
        break
      }
      case PUSH1_JUMPI: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        sp -= 32
        if (!u256.isZero(sp + 32)) {
          const target = <usize>load<u8>(pc, 1)
          const entry = load<u64>(blocks + (target << 3))
          pc = code + target
          if (--fuel < 0) return leave(frame, pc - fused, sp, gas, S_YIELD)
          const left = pay(entry, gas, sp - stack)
          if (left < 0) return leave(frame, pc - fused, sp, gas, S_CAREFUL)
          gas = left
        } else {
          pc += 3
          const entry = load<u64>(blocks + ((pc - code) << 3))
          const left = pay(entry, gas, sp - stack)
          if (left < 0) return leave(frame, pc - fused, sp, gas, S_CAREFUL)
          gas = left
          pc += <usize>((entry >> 31) & 1) - 1
        }
        break
      }
      case ISZERO_PUSH2_JUMPI: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        sp -= 32
        if (u256.isZero(sp + 32)) {
          const target = <usize>bswap<u16>(load<u16>(pc, 2))
          const entry = load<u64>(blocks + (target << 3))
          pc = code + target
          if (--fuel < 0) return leave(frame, pc - fused, sp, gas, S_YIELD)
          const left = pay(entry, gas, sp - stack)
          if (left < 0) return leave(frame, pc - fused, sp, gas, S_CAREFUL)
          gas = left
        } else {
          pc += 5
          const entry = load<u64>(blocks + ((pc - code) << 3))
          const left = pay(entry, gas, sp - stack)
          if (left < 0) return leave(frame, pc - fused, sp, gas, S_CAREFUL)
          gas = left
          pc += <usize>((entry >> 31) & 1) - 1
        }
        break
      }
      case EQ_PUSH2_JUMPI: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        sp -= 64
        if (u256.equals(sp + 64, sp + 32)) {
          const target = <usize>bswap<u16>(load<u16>(pc, 2))
          const entry = load<u64>(blocks + (target << 3))
          pc = code + target
          if (--fuel < 0) return leave(frame, pc - fused, sp, gas, S_YIELD)
          const left = pay(entry, gas, sp - stack)
          if (left < 0) return leave(frame, pc - fused, sp, gas, S_CAREFUL)
          gas = left
        } else {
          pc += 5
          const entry = load<u64>(blocks + ((pc - code) << 3))
          const left = pay(entry, gas, sp - stack)
          if (left < 0) return leave(frame, pc - fused, sp, gas, S_CAREFUL)
          gas = left
          pc += <usize>((entry >> 31) & 1) - 1
        }
        break
      }
      case PUSH1_DUP_ADD: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        sp += 32
        u256.addSmall(sp, sp - (<usize>load<u8>(pc, 2) << 5) + 32, <u64>load<u8>(pc, 1))
        pc += 3
        break
      }
      case PUSH1_DUP_ADD_MLOAD: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        sp += 32
        u256.addSmall(sp, sp - (<usize>load<u8>(pc, 2) << 5) + 32, <u64>load<u8>(pc, 1))
        const offset = u256.saturate(sp)
        if (endOf(offset, 32) > <u64>load<u32>(frame, F_MEMORY_SIZE)) {
          gas = expand(frame, gas, endOf(offset, 32))
          if (gas < 0) return leave(frame, pc - fused, sp, gas, S_OUT_OF_GAS)
        }
        u256.swap(sp, base + <usize>offset)
        pc += 4
        break
      }
      case PUSH1_SHL: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        u256.shlBy(sp, <u64>load<u8>(pc, 1))
        pc += 2
        break
      }
      case PUSH1_SHR: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        u256.shrBy(sp, <u64>load<u8>(pc, 1))
        pc += 2
        break
      }
      case PUSH1_SAR: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        u256.sarBy(sp, <u64>load<u8>(pc, 1))
        pc += 2
        break
      }
      case PUSH1_ADD: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        u256.addSmall(sp, sp, <u64>load<u8>(pc, 1))
        pc += 2
        break
      }
      case PUSH_MASK: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        sp += 32
        u256.setMask(sp, <u64>load<u8>(pc, 5))
        pc += 7
        break
      }
      case PUSH1_MLOAD: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        sp += 32
        const offset = <u64>load<u8>(pc, 1)
        if (offset + 32 > <u64>load<u32>(frame, F_MEMORY_SIZE)) {
          gas = expand(frame, gas, offset + 32)
          if (gas < 0) return leave(frame, pc - fused, sp, gas, S_OUT_OF_GAS)
        }
        u256.swap(sp, base + <usize>offset)
        pc += 2
        break
      }
      case DUP_ADD: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        const p = sp + 32 - (<usize>load<u8>(pc, 1) << 5)
        u256.add(sp, p, sp)
        pc++
        break
      }
      case DUP_MUL: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        const p = sp + 32 - (<usize>load<u8>(pc, 1) << 5)
        u256.mul(sp, p, sp)
        pc++
        break
      }
      case DUP_SUB: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        const p = sp + 32 - (<usize>load<u8>(pc, 1) << 5)
        u256.sub(sp, p, sp)
        pc++
        break
      }
      case DUP_AND: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        const p = sp + 32 - (<usize>load<u8>(pc, 1) << 5)
        u256.and(sp, p, sp)
        pc++
        break
      }
      case DUP_EQ: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        const p = sp + 32 - (<usize>load<u8>(pc, 1) << 5)
        u256.setSmall(sp, <u64>u256.equals(p, sp))
        pc++
        break
      }
      case DUP_LT: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        const p = sp + 32 - (<usize>load<u8>(pc, 1) << 5)
        u256.setSmall(sp, <u64>u256.less(p, sp))
        pc++
        break
      }
      case DUP_GT: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        const p = sp + 32 - (<usize>load<u8>(pc, 1) << 5)
        u256.setSmall(sp, <u64>u256.less(sp, p))
        pc++
        break
      }
      case DUP_MLOAD: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        const offset = u256.saturate(sp + 32 - (<usize>load<u8>(pc, 1) << 5))
        sp += 32
        if (endOf(offset, 32) > <u64>load<u32>(frame, F_MEMORY_SIZE)) {
          gas = expand(frame, gas, endOf(offset, 32))
          if (gas < 0) return leave(frame, pc - fused, sp, gas, S_OUT_OF_GAS)
        }
        u256.swap(sp, base + <usize>offset)
        pc++
        break
      }
      case DUP_DUP: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        const both = <usize>load<u8>(pc, 1)
        u256.copy(sp + 32, sp - ((both >> 4) << 5))
        u256.copy(sp + 64, sp + 32 - ((both & 15) << 5))
        sp += 64
        pc++
        break
      }
      case SWAP_POP: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        u256.copy(sp - (<usize>load<u8>(pc, 1) << 5), sp)
        sp -= 32
        pc++
        break
      }
      case SWAP_SWAP: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        const both = <usize>load<u8>(pc, 1)
        swapWith(sp, (both >> 4) + 1)
        swapWith(sp, (both & 15) + 1)
        pc++
        break
      }
      case SWAP1_SUB: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        u256.sub(sp - 32, sp - 32, sp)
        sp -= 32
        pc++
        break
      }
      case POP_POP: {
        if (sizeof<M>() == 2) return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
        sp -= 64
        pc++
        break
      }
      default:
        return leave(frame, pc - fused, sp, gas, S_INVALID_OPCODE)
    }
    pc++
  }
  return S_STOP
}

/** Runs a frame until it ends, requests a call or creation, or has used up its fuel (about one unit per jump). */
export function run(frame: usize, fuel: i32): i32 {
  if (isDefined(TRACED)) return interpret<u16>(frame, fuel)
  if (load<u32>(frame, F_BLOCKS) == 0) return interpret<u16>(frame, fuel)
  const status = interpret<u8>(frame, fuel)
  return status == S_CAREFUL ? interpret<u16>(frame, fuel) : status
}
