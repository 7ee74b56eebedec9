/**
 * SHA-256 within a memory of its own, for trees that hash thousands of short messages a block: no object is made for a
 * message or a digest.
 */
import { LANE_BYTES, program } from './sha256-program.ts'

export { LANE_BYTES, LANES } from './sha256-program.ts'

/** A memory whose first `MESSAGE_BYTES` hold the message; digests lie wherever the caller wants them. */
export interface Hasher {
  /** The memory; another object after `grow`. */
  bytes(): Uint8Array
  /** Makes the memory at least so large. */
  grow(sizeBytes: number): void
  /** Hashes the first `length` bytes, at most `MAX_MESSAGE`, and writes 32 bytes at `out`. */
  digest(length: number, out: number): void
  /** Ends a message of `length` bytes, at most `MAX_LANE_MESSAGE`, at `LANE_BYTES` times `lane` (0 to 3). */
  endLane(lane: number, length: number): void
  /**
   * Ends a message of `length` bytes, at most 53 and at least 0, to which it adds 0x20 and the 32 bytes at `left`, then 0x20
   * and those at `right`. It then has two blocks.
   */
  endLaneWithPair(lane: number, length: number, left: number, right: number): void
  /** Hashes what stands in the four lanes, all at once. All have as many blocks: `blocksOf` of their lengths. */
  digestLanes(blocks: number, out0: number, out1: number, out2: number, out3: number): void
}

/** Blocks of 64 bytes that a message takes with its end. */
export function blocksOf(length: number): number {
  return (length + 72) >>> 6
}

/** Room for the message and its padding. */
export const MESSAGE_BYTES = 8192
export const MAX_MESSAGE = MESSAGE_BYTES - 72
export const MAX_LANE_MESSAGE = LANE_BYTES - 9
const PAGE_BYTES = 65_536

interface Program {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  readonly digest: (blocks: number, out: number) => void
  readonly put: (at: number, length: number, left: number, right: number) => void
  readonly lanes: Hasher['digestLanes']
}

let compiled: WebAssembly.Module | undefined

export function createHasher(): Hasher {
  compiled ??= new WebAssembly.Module(program())
  const { memory, digest, put, lanes } = new WebAssembly.Instance(compiled).exports as unknown as Program
  let bytes = new Uint8Array(memory.buffer)

  /** Puts what stands behind every message. Returns its blocks. */
  function end(at: number, length: number): number {
    const blocks = blocksOf(length)
    const behind = at + blocks * 64
    bytes[at + length] = 0x80
    for (let i = at + length + 1; i < behind - 4; i++) bytes[i] = 0
    const bits = length * 8
    bytes[behind - 4] = bits >>> 24
    bytes[behind - 3] = bits >>> 16
    bytes[behind - 2] = bits >>> 8
    bytes[behind - 1] = bits
    return blocks
  }

  return {
    bytes: () => bytes,
    grow(sizeBytes) {
      const missing = Math.ceil((sizeBytes - bytes.length) / PAGE_BYTES)
      if (missing <= 0) return
      memory.grow(missing)
      bytes = new Uint8Array(memory.buffer)
    },
    digest(length, out) {
      digest(end(0, length), out)
    },
    endLane(lane, length) {
      end(lane * LANE_BYTES, length)
    },
    endLaneWithPair: (lane, length, left, right) => put(lane * LANE_BYTES, length, left, right),
    digestLanes: lanes,
  }
}
