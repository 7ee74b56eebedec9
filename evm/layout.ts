/**
 * The layout of linear memory, and how runs end. `npm run build:evm` generates the host's view, `src/evm/layout.ts`, from this
 * file. Each line is blank, a comment, or a constant.
 *
 *   64 Ki  environment, opcode table, scratch
 *  128 Ki  frame records
 *    1 Mi  return data (up to 128 KiB; the host stores larger outputs)
 *  1152 Ki  trace records (traced build)
 *    2 Mi  code arena: deployed code and its jump destinations, shared by all executions until it is full
 *  130 Mi  block arena: analyses and fused copies of code, for the fast loop
 *  161 Mi  steps as text (traced build)
 *  162 Mi  operand stacks, one after the other
 *  196 Mi  memories, one after the other: [init code, jump destinations] [memory], the outermost frame first
 */

/** Two 32-byte big-endian words in which the host and the interpreter pass addresses, slots and values. */
export const A: usize = 0x10000
export const B: usize = 0x10020
/** Limbs of long division: the dividend (8 x u64 and a spare one), the divisor (4 x u64), and words of intermediate results. */
export const DIVIDEND: usize = 0x10100
export const DIVISOR: usize = 0x10180
export const TEMP: usize = 0x10200
/** The Keccak state, 25 x u64. */
export const SPONGE: usize = 0x10300
/** The Keccak-256 of the last `hash`, 32 bytes. */
export const DIGEST: usize = SPONGE

/** The words of the environment, little-endian, 32 bytes each. */
export const ENVIRONMENT: usize = 0x10400
export const ORIGIN: usize = 0x10400
export const GAS_PRICE: usize = 0x10420
export const COINBASE: usize = 0x10440
export const TIMESTAMP: usize = 0x10460
export const NUMBER: usize = 0x10480
export const RANDAO: usize = 0x104a0
export const GAS_LIMIT: usize = 0x104c0
export const CHAIN_ID: usize = 0x104e0
export const BASE_FEE: usize = 0x10500
export const BLOB_BASE_FEE: usize = 0x10520

/** The u32 cells of the rules. */
export const RULES: usize = 0x10600
export const EXP_BYTE_GAS: usize = 0x10600
export const SSTORE_SENTRY: usize = 0x10604
export const HAS_63_64: usize = 0x10608
export const INIT_CODE_LIMIT: usize = 0x1060c
/** The length of the last call's return data. The bytes are at RETURN_DATA if they fit, otherwise with the host. */
export const RETURN_LENGTH: usize = 0x10610

/**
 * Traced build: the end of the records, the incomplete record or 0, 1 if the host must read memory now, the refund counter, and a
 * bit set of what to record: 1 steps, 2 their stacks, 4 writes to memory.
 */
export const TRACE_TOP: usize = 0x10620
export const TRACE_LAST: usize = 0x10624
export const TRACE_HALT: usize = 0x10628
export const TRACE_REFUND: usize = 0x10630
export const TRACE_READS: usize = 0x10638
/** The gas before the last call was priced, and the gas when the host was asked for its part of the price, or -1. */
export const CALL_GAS: usize = 0x10640
export const CALL_PRICED: usize = 0x10648
export const TRACE: usize = 0x120000
export const TRACE_END: usize = 0x200000

/** Traced build: 256 names of opcodes, 32 bytes each, the length first; and the region for steps as text. */
export const NAMES: usize = 0xa100000
export const TEXT: usize = 0xa102000
export const TEXT_END: usize = 0xa200000
/** How `format` ended: the next record, the end of the text, the number of steps written, 1 if the last step is left open, its record. */
export const FORMAT_NEXT: usize = 0x10650
export const FORMAT_END: usize = 0x10654
export const FORMAT_COUNT: usize = 0x10658
export const FORMAT_OPEN: usize = 0x1065c
export const FORMAT_LAST: usize = 0x10660

/** 256 x u64: gas u16, minimum height in bytes u16, span of allowed heights u16, height change in bytes i16. */
export const OPCODES: usize = 0x11000

export const FRAMES: usize = 0x20000
export const FRAME_SIZE: usize = 288
export const RETURN_DATA: usize = 0x100000
export const RETURN_DATA_SIZE: u32 = 0x20000
export const CODES: usize = 0x200000
export const CODES_END: usize = 0x8200000
export const BLOCKS: usize = 0x8200000
export const BLOCKS_END: usize = 0xa100000
export const STACKS: usize = 0xa200000
export const STACKS_END: usize = 0xc400000
export const STACK_SIZE: u32 = 32768
/** The maximum size of linear memory: an opcode that needs more runs out of gas. */
export const MEMORY_END: u64 = 0x40000000

/** Fields of a frame record. */
export const F_PC: usize = 0
export const F_SP: usize = 4
export const F_GAS: usize = 8
export const F_STACK: usize = 16
export const F_MEMORY: usize = 20
export const F_MEMORY_SIZE: usize = 24
export const F_CODE: usize = 28
export const F_CODE_LENGTH: usize = 32
/** The analysis of the code's blocks, or 0 if only the careful loop can run it. */
export const F_BLOCKS: usize = 36
export const F_DATA: usize = 40
export const F_DATA_LENGTH: usize = 44
export const F_STATIC: usize = 48
export const F_OUT: usize = 52
export const F_OUT_LENGTH: usize = 56
/** The opcode of the call or creation that a waiting frame requests from the host. */
export const F_WANT: usize = 60
export const F_ADDRESS: usize = 64
export const F_CALLER: usize = 96
export const F_VALUE: usize = 128
export const F_CHILD_GAS: usize = 160
export const F_CHILD_DATA: usize = 168
export const F_CHILD_DATA_LENGTH: usize = 172
export const F_CHILD_OUT: usize = 176
export const F_CHILD_OUT_LENGTH: usize = 180
export const F_CHILD_VALUED: usize = 184
export const F_DEPTH: usize = 188
export const F_CHILD_VALUE: usize = 192
export const F_CHILD_ADDRESS: usize = 224

/** The distance from the code to its fused copy, which the fast loop reads. */
export const F_FUSED: usize = 256
/** The bitmap of the code's jump destinations. */
export const F_JUMPS: usize = 260

/** Zero bytes after code: a PUSH can read 32 bytes past the end, and the byte after them is a STOP. */
export const PADDING: u32 = 64

/** The gas after an opcode that has no price: the reason it is out of gas. Any other negative gas is the missing amount. */
export const U_SIZE_OVERFLOW: i64 = i64.MIN_VALUE + 1
export const U_PRICE_OVERFLOW: i64 = i64.MIN_VALUE + 2
export const U_BELOW_SENTRY: i64 = i64.MIN_VALUE + 3
export const U_MEMORY_FULL: i64 = i64.MIN_VALUE + 4

/** How a run ended. */
export const S_STOP: i32 = 0
export const S_RETURN: i32 = 1
export const S_REVERT: i32 = 2
export const S_YIELD: i32 = 3
export const S_CALL: i32 = 4
export const S_CREATE: i32 = 5
export const S_CAREFUL: i32 = 6
export const S_OUT_OF_GAS: i32 = 7
export const S_STACK: i32 = 8
export const S_INVALID_JUMP: i32 = 9
export const S_INVALID_OPCODE: i32 = 10
export const S_WRITE_PROTECTION: i32 = 11
export const S_RETURN_DATA: i32 = 12
export const S_INIT_CODE_SIZE: i32 = 14
