/** The struct logger: every step of an execution, written as it runs. */
import { formatHex, formatHex0x, fromKey, toKey } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import * as errors from '../errors.ts'
import { RECORD, STEP, type StepBatch, type StepFormat, type TracedResult, type Tracer, WRITE } from '../trace.ts'
import type { Output } from './output.ts'
import { configOf, flagOf, type Trace, type TraceFactory, wrongConfig } from './tracer.ts'

export interface StructLogOptions {
  readonly enableMemory: boolean
  readonly disableStack: boolean
  readonly disableStorage: boolean
  readonly enableReturnData: boolean
  /** How many entries at most; 0 for as many as there are. */
  readonly limit: number
  readonly output: Output
  /** What the result may be long; what does not fit is cut off, and the result says so. Unit: bytes. */
  readonly outputBytes: number
}

/** A trace whose result is written while it runs: when it is cut short, what there is can still be closed. */
export interface StructTrace extends Trace {
  /** `cut`: why the execution was ended before its end, named in the result. */
  finish(cut?: string): void
}

/** Memories of the frames that are open, as their code has written them. */
interface Memories {
  apply(batch: StepBatch, record: number): void
  /** The memory of the batch's frame at a size in bytes. */
  words(depth: number, size: number): string
  /** To be called with every frame that begins. */
  enter(depth: number): void
}

/**
 * Field names and forms are geth's of version 1.14: words of memory and storage, and the return value, without `0x`. The entries come
 * before the totals, which are known last.
 */
export function createStructTrace(options: StructLogOptions): StructTrace {
  const { enableMemory, disableStack, disableStorage, enableReturnData, limit, output, outputBytes } = options
  const storage = createStorageLog()
  const memories = createMemories()
  const format: StepFormat = {
    withStack: !disableStack,
    open: enableMemory || enableReturnData ? 'all' : disableStorage ? 'none' : 'storage',
  }
  const reads = { stack: !disableStack || !disableStorage, memory: enableMemory }
  let entries = 0
  let isCut: string | undefined
  let result: TracedResult | undefined
  let begun = false

  function begin(): void {
    if (begun) return
    begun = true
    output.text('{"structLogs":[')
  }

  /** Writes what the machine formatted; the first entry has no comma in front. */
  function write(text: Uint8Array, isFirst: boolean): void {
    output.bytes(isFirst ? text.subarray(1) : text)
  }

  function steps(batch: StepBatch): void {
    begin()
    const { start, end } = batch
    let applied = start
    for (let at = start; at < end && isCut === undefined; ) {
      const most = limit === 0 ? Number.POSITIVE_INFINITY : limit - entries
      const { text, count, open, next } = batch.format(at, format, most)
      if (count === 0) break
      write(text, entries === 0)
      entries += count
      if (open !== 0) {
        // What earlier steps wrote is in memory before this one.
        for (; enableMemory && applied < open; applied = nextRecord(batch, applied)) memories.apply(batch, applied)
        writeRest(batch, open)
      }
      at = next
      if (limit !== 0 && entries >= limit) isCut = `limit of ${limit} entries`
      else if (output.written > outputBytes) isCut = `budget of ${outputBytes} bytes`
    }
    for (; enableMemory && applied < end; applied = nextRecord(batch, applied)) memories.apply(batch, applied)
  }

  /** What the machine does not know of an entry, and its end. */
  function writeRest(batch: StepBatch, record: number): void {
    const u32 = (offset: number): number => readU32(batch.bytes, record + offset)
    if (u32(STEP.failure) === 1 && batch.error !== undefined) output.text(`,"error":${JSON.stringify(batch.error)}`)
    if (enableReturnData) {
      const data = batch.returnData()
      if (data.length > 0) output.text(`,"returnData":"${formatHex0x(data)}"`)
    }
    const size = u32(STEP.memorySize)
    if (enableMemory && size > 0) output.text(`,"memory":[${memories.words(batch.depth, size)}]`)
    if (!disableStorage) {
      const slots = storage.step(batch, record)
      if (slots !== undefined) output.text(`,"storage":{${slots}}`)
    }
    output.text('}')
  }

  const tracer: Tracer = {
    reads: () => (isCut === undefined ? reads : undefined),
    steps,
    enter: ({ depth }) => memories.enter(depth),
    end(ended) {
      result = ended
    },
  }

  return {
    tracer,
    isFull: () => false,
    finish(cut) {
      begin()
      output.text(']')
      if (result) {
        const { gasUsed, success, error } = result
        const returned = success || error === errors.REVERTED ? formatHex(result.output) : ''
        output.text(`,"gas":${gasUsed},"failed":${!success},"returnValue":"${returned}"`)
      }
      const reason = cut ?? isCut
      if (reason !== undefined) output.text(`,"truncated":${JSON.stringify(reason)}`)
      output.text('}')
    },
  }
}

/** The struct logger as a tracer with options: `enableMemory`, `disableStack`, `disableStorage`, `enableReturnData`, `limit`. */
export const createStructTraceOf: TraceFactory = ({ config, output, outputBytes = Number.POSITIVE_INFINITY }) => {
  const options = configOf(config)
  const limit = options['limit'] ?? 0
  if (typeof limit !== 'number' || !Number.isSafeInteger(limit)) throw wrongConfig('limit is not a whole number')
  if (limit < 0) throw queryError('invalidArgument', `output limit cannot be negative, got ${limit}`)
  return createStructTrace({
    enableMemory: flagOf(options, 'enableMemory'),
    disableStack: flagOf(options, 'disableStack'),
    disableStorage: flagOf(options, 'disableStorage'),
    enableReturnData: flagOf(options, 'enableReturnData'),
    limit,
    output,
    outputBytes,
  })
}

const readU32 = (bytes: Uint8Array, at: number): number =>
  bytes[at]! + bytes[at + 1]! * 0x100 + bytes[at + 2]! * 0x10000 + bytes[at + 3]! * 0x1000000

const nextRecord = ({ bytes }: StepBatch, at: number): number => at + readU32(bytes, at)

/** The slots that SLOAD and SSTORE touched so far, by contract. */
function createStorageLog() {
  const contracts = new Map<string, Map<string, string>>()

  /** A word of the recorded stack, 0 the top. */
  function word({ bytes }: StepBatch, record: number, index: number): Uint8Array {
    const from = record + STEP.stack + 32 * (readU32(bytes, record + STEP.height) - 1 - index)
    return bytes.slice(from, from + 32).reverse()
  }

  return {
    /** The slots of the contract as geth shows them at this step; undefined if it shows none. */
    step(batch: StepBatch, record: number): string | undefined {
      const { bytes, contract } = batch
      const op = bytes[record + STEP.op]!
      const height = readU32(bytes, record + STEP.height)
      const isLoad = op === 0x54 && height >= 1
      if (!isLoad && !(op === 0x55 && height >= 2)) return undefined
      const { address } = contract
      const slot = word(batch, record, 0)
      const value = isLoad ? batch.stateBefore(record).storage(address, slot) : word(batch, record, 1)
      const key = toKey(address)
      let slots = contracts.get(key)
      if (!slots) {
        slots = new Map()
        contracts.set(key, slots)
      }
      slots.set(toKey(slot), toKey(value))
      return [...slots].map(([name, held]) => `"${formatHex(fromKey(name))}":"${formatHex(fromKey(held))}"`).join()
    },
  }
}

function createMemories(): Memories {
  /** By depth; bytes that were never written are zero. */
  const memories: Uint8Array[] = []

  function reaching(depth: number, size: number): Uint8Array {
    const memory = memories[depth] ?? new Uint8Array(0)
    if (memory.length >= size) return memory
    const larger = new Uint8Array(Math.max(size, 2 * memory.length, 1024))
    larger.set(memory)
    memories[depth] = larger
    return larger
  }

  return {
    apply({ bytes, depth, memory: base }, record) {
      if (readU32(bytes, record + WRITE.kind) !== RECORD.write) return
      const offset = readU32(bytes, record + WRITE.offset)
      const length = readU32(bytes, record + WRITE.length)
      const from = readU32(bytes, record + WRITE.whole) === 1 ? record + WRITE.bytes : base + offset
      reaching(depth, offset + length).set(bytes.subarray(from, from + length), offset)
    },
    words(depth, size) {
      const memory = reaching(depth, size)
      const words: string[] = []
      for (let at = 0; at < size; at += 32) words.push(`"${formatHex(memory.subarray(at, at + 32))}"`)
      return words.join()
    },
    enter(depth) {
      memories.length = depth
    },
  }
}
