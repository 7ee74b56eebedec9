/**
 * Where everything lies in linear memory. `src/evm/layout.ts` says the same to the host: change both.
 *
 *   64 Ki  environment, opcode table, scratch
 *  128 Ki  frame records
 *    1 Mi  return data (up to 128 KiB; larger outputs stay with the host)
 *  1152 Ki  trace records (traced build)
 *    2 Mi  code arena: deployed code and its jump destinations, shared by all executions until it is full
 *  130 Mi  block arena: what the fast loop needs of code that is called more than once
 *  161 Mi  steps as text (traced build)
 *  162 Mi  operand stacks, one behind the other
 *  196 Mi  memories, one behind the other: [init code, jump destinations] [memory] of the outermost frame first
 */

/** Two 32-byte words in which the host and the interpreter hand over addresses, slots and values, big-endian. */
export const A: usize = 0x10000
export const B: usize = 0x10020
/** Limbs of long division: dividend (8 x u64 and a spare one), divisor (4 x u64), and words of intermediate results. */
export const DIVIDEND: usize = 0x10100
export const DIVISOR: usize = 0x10180
export const TEMP: usize = 0x10200
/** Keccak state, 25 x u64. */
export const SPONGE: usize = 0x10300

/** Words of the environment, little-endian, 32 bytes each. */
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

/** u32 cells of the rules. */
export const EXP_BYTE_GAS: usize = 0x10600
export const SSTORE_SENTRY: usize = 0x10604
export const HAS_63_64: usize = 0x10608
export const INIT_CODE_LIMIT: usize = 0x1060c
/** Length of the return data of the last call; its bytes are at RETURN_DATA when they fit, else with the host. */
export const RETURN_LENGTH: usize = 0x10610

/**
 * Traced build: end of the records, the one that is not complete (or 0), 1 if the host must look at memory now, refund counter, and
 * what is recorded: 1 steps, 2 their stacks, 4 writes into memory.
 */
export const TRACE_TOP: usize = 0x10620
export const TRACE_LAST: usize = 0x10624
export const TRACE_HALT: usize = 0x10628
export const TRACE_REFUND: usize = 0x10630
export const TRACE_READS: usize = 0x10638
/** The gas with which the last call began to be priced, and with which the host was asked for its part of the price, or -1. */
export const CALL_GAS: usize = 0x10640
export const CALL_PRICED: usize = 0x10648
export const TRACE: usize = 0x120000
export const TRACE_END: usize = 0x200000

/** Traced build: 256 names of opcodes, 32 bytes each with their length in front, and room for steps as text. */
export const NAMES: usize = 0xa100000
export const TEXT: usize = 0xa102000
export const TEXT_END: usize = 0xa200000
/** Where `format` stopped: the next record, the end of the text, how many steps it wrote, 1 if the last one is still open, its record. */
export const FORMAT_NEXT: usize = 0x10650
export const FORMAT_END: usize = 0x10654
export const FORMAT_COUNT: usize = 0x10658
export const FORMAT_OPEN: usize = 0x1065c
export const FORMAT_LAST: usize = 0x10660

/** 256 x u64: gas u16, least height in bytes u16, span of allowed heights u16, height change in bytes i16. */
export const OPCODES: usize = 0x11000

export const FRAMES: usize = 0x20000
export const FRAME_SIZE: usize = 288
export const RETURN_DATA: usize = 0x100000
export const RETURN_DATA_SIZE: u32 = 0x20000
export const STACKS_END: usize = 0xc400000
/** The end of all memory the interpreter ever takes: what goes beyond is out of gas. */
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
/** The analysis of the code's blocks, or 0 if only the careful loop may run it. */
export const F_BLOCKS: usize = 36
export const F_DATA: usize = 40
export const F_DATA_LENGTH: usize = 44
export const F_STATIC: usize = 48
export const F_OUT: usize = 52
export const F_OUT_LENGTH: usize = 56
/** What a frame that waits for the host wants: the opcode of its call or creation. */
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

/** Distance from the code to the copy of it that the fast loop reads. */
export const F_FUSED: usize = 256
/** The bitmap of the code's jump destinations. */
export const F_JUMPS: usize = 260

/** Zeros behind code: a PUSH may read 32 bytes past the end, and the byte after them is a STOP. */
export const PADDING: u32 = 64

/** Gas left behind an opcode whose price cannot be said: why it is out of gas. Any other negative gas is what was missing. */
export const SIZE_OVERFLOW: i64 = i64.MIN_VALUE + 1
export const PRICE_OVERFLOW: i64 = i64.MIN_VALUE + 2
export const BELOW_SENTRY: i64 = i64.MIN_VALUE + 3
export const MEMORY_FULL: i64 = i64.MIN_VALUE + 4

/** How `run` ended. The host knows the same numbers. */
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
