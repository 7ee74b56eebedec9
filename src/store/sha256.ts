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
  /** Hashes the first `length` bytes (at most 53), then 0x20 and the 32 bytes at `left`, then 0x20 and those at `right`. */
  digestPair(length: number, left: number, right: number, out: number): void
  /** Puts 0x20 and two digests, as `digestPair` does, behind the `length` bytes at `LANE_BYTES` times `lane` (0 to 3). */
  putLane(lane: number, length: number, left: number, right: number): void
  /** Hashes what stands in the four lanes, all at once. */
  digestLanes(out0: number, out1: number, out2: number, out3: number): void
}

/** Room for the message and its padding. */
export const MESSAGE_BYTES = 8192
export const MAX_MESSAGE = MESSAGE_BYTES - 72
const PAGE_BYTES = 65_536

interface Program {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  readonly digest: (blocks: number, out: number) => void
  readonly pair: (length: number, left: number, right: number, out: number) => void
  readonly put: (at: number, length: number, left: number, right: number) => void
  readonly lanes: (out0: number, out1: number, out2: number, out3: number) => void
}

let compiled: WebAssembly.Module | undefined

export function createHasher(): Hasher {
  compiled ??= new WebAssembly.Module(program())
  const { memory, digest, pair, put, lanes } = new WebAssembly.Instance(compiled).exports as unknown as Program
  let bytes = new Uint8Array(memory.buffer)
  return {
    bytes: () => bytes,
    grow(sizeBytes) {
      const missing = Math.ceil((sizeBytes - bytes.length) / PAGE_BYTES)
      if (missing <= 0) return
      memory.grow(missing)
      bytes = new Uint8Array(memory.buffer)
    },
    digest(length, out) {
      const blocks = (length + 72) >>> 6
      const end = blocks * 64
      bytes[length] = 0x80
      bytes.fill(0, length + 1, end - 4)
      const bits = length * 8
      bytes[end - 4] = bits >>> 24
      bytes[end - 3] = bits >>> 16
      bytes[end - 2] = bits >>> 8
      bytes[end - 1] = bits
      digest(blocks, out)
    },
    digestPair: pair,
    putLane: (lane, length, left, right) => put(lane * LANE_BYTES, length, left, right),
    digestLanes: lanes,
  }
}
