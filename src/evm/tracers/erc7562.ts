/** erc7562Tracer: calls with the opcodes, slots and code that they used, by which bundlers check user operations (ERC-7562). */
import { formatHex0x, fromKey, toKey } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import * as errors from '../errors.ts'
import { STEP, type StepBatch, type Tracer } from '../trace.ts'
import { writeFrame } from './call.ts'
import { type CallFrame, createCallTree } from './call-frames.ts'
import type { Output } from './output.ts'
import { createPreimages } from './preimages.ts'
import { readU32, stackWord } from './records.ts'
import { configOf, createMemoryBudget, flagOf, type Trace, type TraceOptions, wrongConfig } from './tracer.ts'

const [GAS, SLOAD, SSTORE, TLOAD, TSTORE, RETURN, REVERT] = [0x5a, 0x54, 0x55, 0x5c, 0x5d, 0xf3, 0xfd]
const [EXTCODESIZE, ISZERO] = [0x3b, 0x15]
const EXT_CODE: ReadonlySet<number> = new Set([EXTCODESIZE, 0x3c, 0x3f])
const CALLS: ReadonlySet<number> = new Set([0xf1, 0xf2, 0xf4, 0xfa])
/** Opcodes that are not counted unless the options say so: arithmetic, comparisons, POP, and all of PUSH, DUP and SWAP. */
const IGNORED: readonly number[] = [
  ...[0x50, 0x01, 0x03, 0x02, 0x04, 0x14, 0x10, 0x11, 0x12, 0x13, 0x1b, 0x1c, 0x16, 0x17, 0x19, ISZERO],
  ...Array.from({ length: 0x9f - 0x5f + 1 }, (_, i) => 0x5f + i),
]
const ENTRY_BYTES = 200

/** The opcodes, slots and code that one frame used. Keys are those of `toKey`. */
interface Usage {
  readonly reads: Map<string, string>
  readonly writes: Map<string, number>
  readonly transientReads: Map<string, number>
  readonly transientWrites: Map<string, number>
  readonly extCode: Uint8Array[]
  readonly opcodes: Map<number, number>
  readonly codeSizes: Map<string, { readonly size: number; readonly opcode: number }>
  readonly calls: Usage[]
}

/** A step of which the next one decides whether it counts. */
interface LastStep {
  readonly op: number
  /** The address on top of its stack. */
  readonly address: Uint8Array
}

const newUsage = (): Usage => ({
  reads: new Map(),
  writes: new Map(),
  transientReads: new Map(),
  transientWrites: new Map(),
  extCode: [],
  opcodes: new Map(),
  codeSizes: new Map(),
  calls: [],
})

function readIgnored(value: unknown): ReadonlySet<number> {
  if (value === undefined || value === null) return new Set(IGNORED)
  const isOpcode = (item: unknown): item is string => typeof item === 'string' && /^0x[0-9a-fA-F]{1,2}$/.test(item)
  if (!Array.isArray(value) || !value.every(isOpcode)) {
    throw wrongConfig('ignoredOpcodes must be a list of opcodes such as "0x50"')
  }
  return new Set(value.map(Number))
}

/** Creates erc7562Tracer. Options: `ignoredOpcodes`, `withLog`; `stackTopItemsSize` changes nothing in the result. */
export function createErc7562Trace({ config, context, output, memoryBytes }: TraceOptions): Trace {
  const options = configOf(config)
  const ignored = readIgnored(options['ignoredOpcodes'])
  const budget = createMemoryBudget(memoryBytes)
  const tree = createCallTree({
    onlyTopCall: false,
    withLog: flagOf(options, 'withLog'),
    budget,
    firstLogIndex: context.firstLogIndex ?? 0,
  })
  const preimages = createPreimages(budget)
  const stack: Usage[] = []
  let top: Usage | undefined
  let last: LastStep | undefined

  function count<Key>(counts: Map<Key, number>, key: Key): void {
    const before = counts.get(key)
    if (before === undefined) budget.use(ENTRY_BYTES)
    counts.set(key, (before ?? 0) + 1)
  }

  function storage(batch: StepBatch, record: number, op: number, usage: Usage): void {
    const slot = stackWord(batch, record, 0)
    const key = toKey(slot)
    if (op === SSTORE) count(usage.writes, key)
    else if (op === TLOAD) count(usage.transientReads, key)
    else if (op === TSTORE) count(usage.transientWrites, key)
    // Only a slot that the frame has not written still has its earlier value.
    else if (!usage.reads.has(key) && !usage.writes.has(key)) {
      budget.use(ENTRY_BYTES)
      usage.reads.set(key, toKey(batch.stateBefore(record).storage(batch.contract.address, slot)))
    }
  }

  function step(batch: StepBatch, record: number): void {
    const usage = stack.at(-1)
    if (!usage) return
    const { bytes } = batch
    const op = bytes[record + STEP.op]!
    const height = readU32(bytes, record + STEP.height)
    const addressAt = (index: number): Uint8Array =>
      height > index ? stackWord(batch, record, index).subarray(12) : new Uint8Array(20)
    if (op === RETURN || op === REVERT) last = undefined
    if (last && EXT_CODE.has(last.op) && !(last.op === EXTCODESIZE && op === ISZERO)) {
      budget.use(ENTRY_BYTES)
      usage.extCode.push(last.address)
    }
    const isCall = CALLS.has(op)
    if (isCall || EXT_CODE.has(op)) {
      const address = addressAt(isCall ? 1 : 0)
      const key = toKey(address)
      if (!usage.codeSizes.has(key)) {
        budget.use(ENTRY_BYTES)
        usage.codeSizes.set(key, { size: batch.stateBefore(record).code(address).length, opcode: op })
      }
    }
    if (last?.op === GAS && !isCall) count(usage.opcodes, GAS)
    if (op !== GAS && !ignored.has(op)) count(usage.opcodes, op)
    if (height > 0 && (op === SLOAD || op === SSTORE || op === TLOAD || op === TSTORE)) {
      storage(batch, record, op, usage)
    }
    last = { op, address: addressAt(0) }
  }

  const tracer: Tracer = {
    ...tree.tracer,
    reads: () => ({ stack: true, memory: true }),
    steps: (batch) => preimages.steps(batch, (record) => step(batch, record)),
    enter(frame, state) {
      tree.tracer.enter!(frame, state)
      preimages.enter(frame.depth)
      const usage = newUsage()
      budget.use(ENTRY_BYTES)
      stack.at(-1)?.calls.push(usage)
      top ??= usage
      stack.push(usage)
    },
    exit(end) {
      tree.tracer.exit!(end)
      stack.pop()
    },
  }

  return {
    tracer,
    isFull: budget.isFull,
    finish() {
      budget.check()
      const frame = tree.top()
      if (!frame || !top) throw queryError('internal', 'incorrect number of top-level calls')
      const hashed = preimages.all().map((bytes) => `"${formatHex0x(bytes)}"`)
      const keccak = hashed.length === 0 ? '' : `,"keccak":[${hashed.join()}]`
      writeUsedFrame(output, { frame, usage: top, more: keccak, isOutermost: true })
    },
  }
}

interface UsedFrame {
  readonly frame: CallFrame
  readonly usage: Usage
  /** Further fields. */
  readonly more: string
  readonly isOutermost: boolean
}

/** Writes a frame with what it used, and the frames inside it. Bounded by: the depth of calls, 1,024. */
function writeUsedFrame(output: Output, { frame, usage, more, isOutermost }: UsedFrame): void {
  const { error } = frame
  const isOutOfGas = !isOutermost && (error === errors.OUT_OF_GAS || error === errors.CODE_STORE_OUT_OF_GAS)
  writeFrame(output, frame, {
    fields: `${usageFields(usage)},"outOfGas":${isOutOfGas}${more}`,
    writeCall: (call, i) => {
      writeUsedFrame(output, { frame: call, usage: usage.calls[i]!, more: '', isOutermost: false })
    },
  })
}

/** Returns an object of sorted keys, as JSON. */
const objectText = <Key, Value>(
  entries: ReadonlyMap<Key, Value>,
  keyText: (key: Key) => string,
  valueText: (value: Value) => string,
): string =>
  `{${[...entries]
    .map(([key, value]) => [keyText(key), valueText(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `"${key}":${value}`)
    .join()}}`

const wordText = (key: string): string => formatHex0x(fromKey(key))

function usageFields(usage: Usage): string {
  const { reads, writes, transientReads, transientWrites, extCode, opcodes, codeSizes } = usage
  const counts = (of: ReadonlyMap<string, number>): string => objectText(of, wordText, String)
  const accessed = [
    `"reads":${objectText(reads, wordText, (value) => `["${wordText(value)}"]`)}`,
    `"writes":${counts(writes)}`,
    `"transientReads":${counts(transientReads)}`,
    `"transientWrites":${counts(transientWrites)}`,
  ]
  const sizes = objectText(codeSizes, wordText, ({ size, opcode }) => `{"contractSize":${size},"opcode":${opcode}}`)
  const used = objectText(opcodes, (op) => `0x${op.toString(16)}`, String)
  const addresses = extCode.map((address) => `"${formatHex0x(address)}"`).join()
  return `,"accessedSlots":{${accessed.join()}},"extCodeAccessInfo":[${addresses}],"usedOpcodes":${used},"contractSize":${sizes}`
}
