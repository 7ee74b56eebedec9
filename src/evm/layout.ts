/** Where things lie in the interpreter's linear memory, and how its runs end: the host's view of `evm/layout.ts`. Change both. */

/** Two big-endian words in which addresses, slots and values change hands. */
export const A = 0x10000
export const B = 0x10020
/** Keccak-256 of the last `hash`, 32 bytes. */
export const DIGEST = 0x10300
/** The words of the environment, 32 bytes little-endian each. */
export const ENVIRONMENT = 0x10400
/** The u32 cells of the rules, in the order of `ruleCells`. */
export const RULES = 0x10600
export const RETURN_LENGTH = 0x10610
/** Of the traced build: see `evm/layout.ts`. */
export const TRACE_TOP = 0x10620
export const TRACE_LAST = 0x10624
export const TRACE_HALT = 0x10628
export const TRACE_REFUND = 0x10630
export const TRACE_READS = 0x10638
export const CALL_GAS = 0x10640
export const CALL_PRICED = 0x10648
export const FORMAT_NEXT = 0x10650
export const FORMAT_END = 0x10654
export const FORMAT_COUNT = 0x10658
export const FORMAT_OPEN = 0x1065c
export const FORMAT_LAST = 0x10660
export const TRACE = 0x120000
export const OPCODES = 0x11000
export const FRAMES = 0x20000
export const FRAME_SIZE = 288
export const RETURN_DATA = 0x100000
export const RETURN_DATA_SIZE = 0x20000
export const CODES = 0x200000
export const CODES_END = 0x8200000
export const BLOCKS = 0x8200000
export const BLOCKS_END = 0xa100000
export const NAMES = 0xa100000
export const TEXT = 0xa102000
export const STACKS = 0xa200000
export const STACKS_END = 0xc400000
export const STACK_SIZE = 32768

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
} as const

/** Gas behind an opcode whose price cannot be said, by reason. */
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
  outOfGas: 7,
  stack: 8,
  invalidJump: 9,
  invalidOpcode: 10,
  writeProtection: 11,
  returnData: 12,
  initCodeSize: 14,
} as const
