/** The layout of the interpreter's memory, and how runs end. Generated from `evm/layout.ts` by `npm run build:evm`: do not edit. */

/** Two 32-byte big-endian words in which the host and the interpreter pass addresses, slots and values. */
export const A = 0x10000
export const B = 0x10020
/** Limbs of long division: the dividend (8 x u64 and a spare one), the divisor (4 x u64), and words of intermediate results. */
export const DIVIDEND = 0x10100
export const DIVISOR = 0x10180
export const TEMP = 0x10200
/** The Keccak state, 25 x u64. */
export const SPONGE = 0x10300
/** The Keccak-256 of the last `hash`, 32 bytes. */
export const DIGEST = SPONGE
/** The words of the environment, little-endian, 32 bytes each. */
export const ENVIRONMENT = 0x10400
export const ORIGIN = 0x10400
export const GAS_PRICE = 0x10420
export const COINBASE = 0x10440
export const TIMESTAMP = 0x10460
export const NUMBER = 0x10480
export const RANDAO = 0x104a0
export const GAS_LIMIT = 0x104c0
export const CHAIN_ID = 0x104e0
export const BASE_FEE = 0x10500
export const BLOB_BASE_FEE = 0x10520
/** The u32 cells of the rules. */
export const RULES = 0x10600
export const EXP_BYTE_GAS = 0x10600
export const SSTORE_SENTRY = 0x10604
export const HAS_63_64 = 0x10608
export const INIT_CODE_LIMIT = 0x1060c
/** The length of the last call's return data. The bytes are at RETURN_DATA if they fit, otherwise with the host. */
export const RETURN_LENGTH = 0x10610
/**
 * Traced build: the end of the records, the incomplete record or 0, 1 if the host must read memory now, the refund counter, and a
 * bit set of what to record: 1 steps, 2 their stacks, 4 writes to memory.
 */
export const TRACE_TOP = 0x10620
export const TRACE_LAST = 0x10624
export const TRACE_HALT = 0x10628
export const TRACE_REFUND = 0x10630
export const TRACE_READS = 0x10638
/** The gas before the last call was priced, and the gas when the host was asked for its part of the price, or -1. */
export const CALL_GAS = 0x10640
export const CALL_PRICED = 0x10648
export const TRACE = 0x120000
export const TRACE_END = 0x200000
/** Traced build: 256 names of opcodes, 32 bytes each, the length first; and the region for steps as text. */
export const NAMES = 0xa100000
export const TEXT = 0xa102000
export const TEXT_END = 0xa200000
/** How `format` ended: the next record, the end of the text, the number of steps written, 1 if the last step is left open, its record. */
export const FORMAT_NEXT = 0x10650
export const FORMAT_END = 0x10654
export const FORMAT_COUNT = 0x10658
export const FORMAT_OPEN = 0x1065c
export const FORMAT_LAST = 0x10660
/** 256 x u64: gas u16, minimum height in bytes u16, span of allowed heights u16, height change in bytes i16. */
export const OPCODES = 0x11000
export const FRAMES = 0x20000
export const FRAME_SIZE = 288
export const RETURN_DATA = 0x100000
export const RETURN_DATA_SIZE = 0x20000
export const CODES = 0x200000
export const CODES_END = 0x8200000
export const BLOCKS = 0x8200000
export const BLOCKS_END = 0xa100000
export const STACKS = 0xa200000
export const STACKS_END = 0xc400000
export const STACK_SIZE = 32768
/** The maximum size of linear memory: an opcode that needs more runs out of gas. */
export const MEMORY_END = 0x40000000n
/** Zero bytes after code: a PUSH can read 32 bytes past the end, and the byte after them is a STOP. */
export const PADDING = 64

/** Offsets in a frame record. */
export const FRAME = {
  pc: 0,
  sp: 4,
  gas: 8,
  stack: 16,
  memory: 20,
  memorySize: 24,
  code: 28,
  codeLength: 32,
  blocks: 36,
  data: 40,
  dataLength: 44,
  static: 48,
  out: 52,
  outLength: 56,
  want: 60,
  address: 64,
  caller: 96,
  value: 128,
  childGas: 160,
  childData: 168,
  childDataLength: 172,
  childOut: 176,
  childOutLength: 180,
  childValued: 184,
  depth: 188,
  childValue: 192,
  childAddress: 224,
  fused: 256,
  jumps: 260,
} as const

/** The gas after an opcode that has no price, by reason. */
export const UNPRICED = {
  sizeOverflow: -(1n << 63n) + 1n,
  priceOverflow: -(1n << 63n) + 2n,
  belowSentry: -(1n << 63n) + 3n,
  memoryFull: -(1n << 63n) + 4n,
} as const

/** How a run ended. */
export const STATUS = {
  stop: 0,
  return: 1,
  revert: 2,
  yield: 3,
  call: 4,
  create: 5,
  careful: 6,
  outOfGas: 7,
  stack: 8,
  invalidJump: 9,
  invalidOpcode: 10,
  writeProtection: 11,
  returnData: 12,
  initCodeSize: 14,
} as const
