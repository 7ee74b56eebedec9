/** Records of steps and of writes to memory: their fields, the words of the stack, and the memories of the open frames. */
import { formatHex } from '../../primitives/bytes.ts'
import { RECORD, STEP, type StepBatch, WRITE } from '../trace.ts'

/** Returns four bytes as a number, the lowest first. */
export const readU32 = (bytes: Uint8Array, at: number): number =>
  bytes[at]! + bytes[at + 1]! * 0x100 + bytes[at + 2]! * 0x10000 + bytes[at + 3]! * 0x1000000

/** Returns the record after one. */
export const nextRecord = ({ bytes }: StepBatch, at: number): number => at + readU32(bytes, at)

/** Whether a record is that of a step; else it is that of a write to memory. */
export const isStep = ({ bytes }: StepBatch, record: number): boolean =>
  readU32(bytes, record + STEP.kind) === RECORD.step

/** Returns a word of the recorded stack; index 0 is the top. */
export function stackWord({ bytes }: StepBatch, record: number, index: number): Uint8Array {
  const from = record + STEP.stack + 32 * (readU32(bytes, record + STEP.height) - 1 - index)
  // A copy: the bytes can be a `Buffer`, whose slices share its memory.
  return Uint8Array.from(bytes.subarray(from, from + 32)).reverse()
}

/** The memories of the open frames, rebuilt from the recorded writes. */
export interface Memories {
  apply(batch: StepBatch, record: number): void
  /** Returns the first `size` bytes of a frame's memory as words. */
  words(depth: number, size: number): string
  /** Returns a copy of a part of a frame's memory; bytes that were never written are zero. */
  slice(depth: number, offset: number, length: number): Uint8Array
  /** Clears the memory of a depth. Call it for every frame that begins. */
  enter(depth: number): void
}

/** Creates the memories of an execution. */
export function createMemories(): Memories {
  /** The memories by depth; bytes that were never written are zero. */
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
    slice: (depth, offset, length) => reaching(depth, offset + length).slice(offset, offset + length),
    enter(depth) {
      memories.length = depth
    },
  }
}
