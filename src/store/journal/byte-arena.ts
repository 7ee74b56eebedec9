/** Memory for many byte strings. Written bytes never move, so callers can keep views of them without copying. */
import { createOutput, type Output } from '../../primitives/varint.ts'

const BUFFER_BYTES = 65_536

export const createByteArena = (): Output => createOutput(BUFFER_BYTES)

/** Ensures that `length` bytes fit after the written ones, in a new buffer if necessary. The old buffer stays with its views. */
export function makeRoom(arena: Output, length: number): void {
  if (arena.length + length <= arena.bytes.length) return
  arena.bytes = new Uint8Array(Math.max(BUFFER_BYTES, length))
  arena.length = 0
}
