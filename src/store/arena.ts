/** Bytes that share blocks of memory: a buffer for each of thousands a block would cost more than filling it. */

const BLOCK_BYTES = 65_536

/** Gives the next so many bytes of a block. What is longer than a block has one of its own. */
export type Arena = (length: number) => Uint8Array

export function createArena(): Arena {
  let block = new Uint8Array(BLOCK_BYTES)
  let used = 0
  return (length) => {
    if (length > BLOCK_BYTES) return new Uint8Array(length)
    if (used + length > BLOCK_BYTES) {
      block = new Uint8Array(BLOCK_BYTES)
      used = 0
    }
    used += length
    return block.subarray(used - length, used)
  }
}
