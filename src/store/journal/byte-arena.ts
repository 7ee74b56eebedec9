/** Output in blocks of memory: what has been written stays where it is, so parts of it may be kept without a copy. */
import { createOutput, type Output } from '../varint.ts'

const BLOCK_BYTES = 65_536

export const createBlocks = (): Output => createOutput(BLOCK_BYTES)

/** Makes room for so many bytes, if need be in a block of their own or a new one, at its beginning. */
export function makeRoom(blocks: Output, length: number): void {
  if (blocks.length + length <= blocks.bytes.length) return
  blocks.bytes = new Uint8Array(Math.max(BLOCK_BYTES, length))
  blocks.length = 0
}
