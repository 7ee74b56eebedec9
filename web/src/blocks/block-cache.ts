/** Headers of blocks by height, asked in pages of 20 as they come into view. */
import { type Block, type BlockMeta, blockMetas, PAGE_BLOCKS, readBlock } from '../api/blocks.ts'
import { createStore } from '../store.ts'

const known = new Map<bigint, BlockMeta>()
const asked = new Set<bigint>()
/** Counts the answers, so that lists are drawn again. */
export const arrivals = createStore(0)
/** The last failure; undefined after a success. */
export const failure = createStore<Error | undefined>(undefined)

export const metaOf = (height: bigint): BlockMeta | undefined => known.get(height)

/** Asks for the missing blocks of a range, whole pages at a time. */
export function wantBlocks(low: bigint, high: bigint): void {
  for (let page = high / PAGE_BLOCKS; page >= 0n && page >= low / PAGE_BLOCKS; page--) {
    const first = page * PAGE_BLOCKS < 1n ? 1n : page * PAGE_BLOCKS
    const last = page * PAGE_BLOCKS + PAGE_BLOCKS - 1n < high ? page * PAGE_BLOCKS + PAGE_BLOCKS - 1n : high
    let top = last
    while (top >= first && known.has(top)) top--
    if (top < first || asked.has(page)) continue
    asked.add(page)
    blockMetas(first, top)
      .then((metas) => {
        for (const meta of metas) known.set(BigInt(meta.header.height), meta)
        failure.set(undefined)
      })
      .catch((error: unknown) => failure.set(error instanceof Error ? error : new Error(String(error))))
      .finally(() => {
        asked.delete(page)
        arrivals.set(arrivals.get() + 1)
      })
  }
}

const MAX_BLOCKS = 100
const blocks = new Map<bigint, Promise<Block>>()

/** Reads a whole block once. A failure is asked again the next time. */
export function wholeBlock(height: bigint): Promise<Block> {
  const found = blocks.get(height)
  if (found) return found
  const asked = readBlock(height)
  blocks.set(height, asked)
  asked.catch(() => blocks.delete(height))
  for (const oldest of blocks.keys()) {
    if (blocks.size <= MAX_BLOCKS) break
    blocks.delete(oldest)
  }
  return asked
}

/** Forgets blocks above a height, which a development chain has reverted. */
export function forgetAbove(height: bigint): void {
  for (const one of known.keys()) if (one > height) known.delete(one)
  for (const one of blocks.keys()) if (one > height) blocks.delete(one)
}
