/** The opcodes: name, stack, gas that does not depend on operands or state, and the EIP that introduced each. */
import type { Rules } from './forks.ts'

export interface Opcode {
  readonly code: number
  readonly name: string
  readonly pops: number
  readonly pushes: number
  readonly gas: number
  /** Absent for opcodes of Frontier. */
  readonly eip?: number
}

type Row = readonly [code: number, name: string, pops: number, pushes: number, gas: number, eip?: number]

// Gas that depends on operands or state is charged in `evm/interpreter.ts` and the files that `access.ts` composes.
const ROWS: readonly Row[] = [
  [0x00, 'STOP', 0, 0, 0],
  [0x01, 'ADD', 2, 1, 3],
  [0x02, 'MUL', 2, 1, 5],
  [0x03, 'SUB', 2, 1, 3],
  [0x04, 'DIV', 2, 1, 5],
  [0x05, 'SDIV', 2, 1, 5],
  [0x06, 'MOD', 2, 1, 5],
  [0x07, 'SMOD', 2, 1, 5],
  [0x08, 'ADDMOD', 3, 1, 8],
  [0x09, 'MULMOD', 3, 1, 8],
  [0x0a, 'EXP', 2, 1, 10],
  [0x0b, 'SIGNEXTEND', 2, 1, 5],
  [0x10, 'LT', 2, 1, 3],
  [0x11, 'GT', 2, 1, 3],
  [0x12, 'SLT', 2, 1, 3],
  [0x13, 'SGT', 2, 1, 3],
  [0x14, 'EQ', 2, 1, 3],
  [0x15, 'ISZERO', 1, 1, 3],
  [0x16, 'AND', 2, 1, 3],
  [0x17, 'OR', 2, 1, 3],
  [0x18, 'XOR', 2, 1, 3],
  [0x19, 'NOT', 1, 1, 3],
  [0x1a, 'BYTE', 2, 1, 3],
  [0x1b, 'SHL', 2, 1, 3, 145],
  [0x1c, 'SHR', 2, 1, 3, 145],
  [0x1d, 'SAR', 2, 1, 3, 145],
  [0x1e, 'CLZ', 1, 1, 5, 7939],
  [0x20, 'KECCAK256', 2, 1, 30],
  [0x30, 'ADDRESS', 0, 1, 2],
  [0x31, 'BALANCE', 1, 1, 0],
  [0x32, 'ORIGIN', 0, 1, 2],
  [0x33, 'CALLER', 0, 1, 2],
  [0x34, 'CALLVALUE', 0, 1, 2],
  [0x35, 'CALLDATALOAD', 1, 1, 3],
  [0x36, 'CALLDATASIZE', 0, 1, 2],
  [0x37, 'CALLDATACOPY', 3, 0, 3],
  [0x38, 'CODESIZE', 0, 1, 2],
  [0x39, 'CODECOPY', 3, 0, 3],
  [0x3a, 'GASPRICE', 0, 1, 2],
  [0x3b, 'EXTCODESIZE', 1, 1, 0],
  [0x3c, 'EXTCODECOPY', 4, 0, 0],
  [0x3d, 'RETURNDATASIZE', 0, 1, 2, 211],
  [0x3e, 'RETURNDATACOPY', 3, 0, 3, 211],
  [0x3f, 'EXTCODEHASH', 1, 1, 0, 1052],
  [0x40, 'BLOCKHASH', 1, 1, 20],
  [0x41, 'COINBASE', 0, 1, 2],
  [0x42, 'TIMESTAMP', 0, 1, 2],
  [0x43, 'NUMBER', 0, 1, 2],
  [0x44, 'PREVRANDAO', 0, 1, 2],
  [0x45, 'GASLIMIT', 0, 1, 2],
  [0x46, 'CHAINID', 0, 1, 2, 1344],
  [0x47, 'SELFBALANCE', 0, 1, 5, 1884],
  [0x48, 'BASEFEE', 0, 1, 2, 3198],
  [0x49, 'BLOBHASH', 1, 1, 3, 4844],
  [0x4a, 'BLOBBASEFEE', 0, 1, 2, 7516],
  [0x50, 'POP', 1, 0, 2],
  [0x51, 'MLOAD', 1, 1, 3],
  [0x52, 'MSTORE', 2, 0, 3],
  [0x53, 'MSTORE8', 2, 0, 3],
  [0x54, 'SLOAD', 1, 1, 0],
  [0x55, 'SSTORE', 2, 0, 0],
  [0x56, 'JUMP', 1, 0, 8],
  [0x57, 'JUMPI', 2, 0, 10],
  [0x58, 'PC', 0, 1, 2],
  [0x59, 'MSIZE', 0, 1, 2],
  [0x5a, 'GAS', 0, 1, 2],
  [0x5b, 'JUMPDEST', 0, 0, 1],
  [0x5c, 'TLOAD', 1, 1, 100, 1153],
  [0x5d, 'TSTORE', 2, 0, 100, 1153],
  [0x5e, 'MCOPY', 3, 0, 3, 5656],
  [0x5f, 'PUSH0', 0, 1, 2, 3855],
  ...Array.from({ length: 32 }, (_, i): Row => [0x60 + i, `PUSH${i + 1}`, 0, 1, 3]),
  ...Array.from({ length: 16 }, (_, i): Row => [0x80 + i, `DUP${i + 1}`, i + 1, i + 2, 3]),
  ...Array.from({ length: 16 }, (_, i): Row => [0x90 + i, `SWAP${i + 1}`, i + 2, i + 2, 3]),
  ...Array.from({ length: 5 }, (_, i): Row => [0xa0 + i, `LOG${i}`, i + 2, 0, 375 * (i + 1)]),
  [0xf0, 'CREATE', 3, 1, 32000],
  [0xf1, 'CALL', 7, 1, 0],
  [0xf2, 'CALLCODE', 7, 1, 0],
  [0xf3, 'RETURN', 2, 0, 0],
  [0xf4, 'DELEGATECALL', 6, 1, 0, 7],
  [0xf5, 'CREATE2', 4, 1, 32000, 1014],
  [0xfa, 'STATICCALL', 6, 1, 0, 214],
  [0xfd, 'REVERT', 2, 0, 0, 140],
  [0xff, 'SELFDESTRUCT', 1, 0, 0],
]

/** The opcodes by code; undefined for a code that no fork defines. */
export const OPCODES: readonly (Opcode | undefined)[] = Array.from({ length: 256 }, (_, code) => {
  const row = ROWS.find((candidate) => candidate[0] === code)
  if (!row) return undefined
  const [, name, pops, pushes, gas, eip] = row
  return { code, name, pops, pushes, gas, ...(eip === undefined ? {} : { eip }) }
})

/** Returns the name of a code in geth's traces, whether it is defined or not. */
export function traceName(code: number): string {
  if (code === 0x44) return 'DIFFICULTY'
  if (code === 0xfe) return 'INVALID'
  return OPCODES[code]?.name ?? `opcode 0x${code.toString(16)} not defined`
}

/** Returns the opcode of a code; undefined if these rules do not define it. */
export function opcodeOf(rules: Rules, code: number): Opcode | undefined {
  const opcode = OPCODES[code]
  return opcode && (opcode.eip === undefined || rules.eips.has(opcode.eip)) ? opcode : undefined
}

/** Encodes the table for the interpreter: see OPCODES in `evm/layout.ts`. */
export function encodeOpcodes(rules: Rules): Uint8Array {
  const bytes = new Uint8Array(256 * 8)
  const view = new DataView(bytes.buffer)
  for (let code = 0; code < 256; code++) {
    const opcode = opcodeOf(rules, code)
    if (!opcode) {
      view.setUint16(code * 8 + 2, 0xffff, true)
      continue
    }
    const growth = Math.max(0, opcode.pushes - opcode.pops)
    view.setUint16(code * 8, opcode.gas, true)
    view.setUint16(code * 8 + 2, opcode.pops * 32, true)
    view.setUint16(code * 8 + 4, (1024 - growth - opcode.pops) * 32, true)
    view.setInt16(code * 8 + 6, (opcode.pushes - opcode.pops) * 32, true)
  }
  return bytes
}
