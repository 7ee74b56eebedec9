/** keccak256PreimageTracer: the bytes that KECCAK256 hashed, by their hashes. */
import { decodeUint, formatHex0x, fromKey, toKey } from '../../primitives/bytes.ts'
import { keccak256 } from '../../primitives/hash.ts'
import { STEP, type StepBatch, type Tracer } from '../trace.ts'
import { createMemories, isStep, nextRecord, readU32, stackWord } from './records.ts'
import { configOf, createMemoryBudget, type MemoryBudget, type Trace, type TraceOptions } from './tracer.ts'

const KECCAK256 = 0x20
const ENTRY_BYTES = 200
/** Bytes beyond the end of the memory that a step can name, as in geth; a step that names more fails for want of gas. */
const MOST_PADDING = 1n << 20n

/** A collector of the bytes that an execution hashed. */
export interface Preimages {
  /** Takes the steps of a batch, and calls `onStep` for each before it. Tell it every frame by `enter`. */
  steps(batch: StepBatch, onStep?: (record: number) => void): void
  enter(depth: number): void
  /** Returns the distinct bytes, sorted. */
  all(): readonly Uint8Array[]
}

/** Creates a collector. */
export function createPreimages(budget: MemoryBudget): Preimages {
  const memories = createMemories()
  const found = new Set<string>()

  function keep(batch: StepBatch, record: number): void {
    const { bytes, depth } = batch
    if (bytes[record + STEP.op] !== KECCAK256 || readU32(bytes, record + STEP.height) < 2) return
    const [offset, length] = [decodeUint(stackWord(batch, record, 0)), decodeUint(stackWord(batch, record, 1))]
    if (length > 0n && offset + length > BigInt(readU32(bytes, record + STEP.memorySize)) + MOST_PADDING) return
    const preimage = length === 0n ? new Uint8Array(0) : memories.slice(depth, Number(offset), Number(length))
    const key = toKey(preimage)
    if (found.has(key)) return
    budget.use(ENTRY_BYTES + preimage.length)
    found.add(key)
  }

  return {
    steps(batch, onStep) {
      for (let record = batch.start; record < batch.end; record = nextRecord(batch, record)) {
        if (!isStep(batch, record)) memories.apply(batch, record)
        else if (!budget.isFull()) {
          onStep?.(record)
          keep(batch, record)
        }
      }
    },
    enter: memories.enter,
    all: () => [...found].sort((a, b) => (a < b ? -1 : 1)).map(fromKey),
  }
}

/** Creates keccak256PreimageTracer. It has no options. */
export function createPreimageTrace({ config, output, memoryBytes }: TraceOptions): Trace {
  configOf(config)
  const budget = createMemoryBudget(memoryBytes)
  const preimages = createPreimages(budget)
  const tracer: Tracer = {
    reads: () => ({ stack: true, memory: true }),
    steps: (batch) => preimages.steps(batch),
    enter: ({ depth }) => preimages.enter(depth),
  }
  return {
    tracer,
    isFull: budget.isFull,
    finish() {
      budget.check()
      const entries = preimages.all().map((bytes) => [formatHex0x(keccak256(bytes)), formatHex0x(bytes)] as const)
      entries.sort(([a], [b]) => (a < b ? -1 : 1))
      output.text(`{${entries.map(([hash, bytes]) => `"${hash}":"${bytes}"`).join()}}`)
    },
  }
}
