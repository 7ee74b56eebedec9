/** Pages of a contract's storage in the order of geth's storage trie: by the hash of the slot number. */
import { formatHex0x } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import * as state from '../state.ts'

/** One slot; words are `0x` and 64 digits, so that text order is byte order. */
interface RangeSlot {
  /** Keccak-256 of the slot's number. */
  readonly hash: string
  readonly slot: string
  readonly value: string
}

export interface StorageRange {
  readonly slots: readonly RangeSlot[]
  /** Hash of the next slot; undefined on the last page. */
  readonly next: string | undefined
}

/** Number of slots between two checks of the deadline. */
const STRIDE = 256

/**
 * Returns the first `most` slots whose hashes are at least `start`. It reads every slot of the contract and keeps at most twice
 * a page in memory. Throws 4 `deadlineExceeded` when stopped.
 */
export function storageRange(
  ctx: ReadContext,
  address: Uint8Array,
  { start, most }: { readonly start: string; readonly most: number },
  shouldStop: () => boolean,
): StorageRange {
  let found: RangeSlot[] = []
  /** The maximum hash that can still be on the page. */
  let end: string | undefined
  const settle = (): void => {
    found = found.sort((a, b) => (a.hash < b.hash ? -1 : 1)).slice(0, most + 1)
    end = found.length > most ? found[most]!.hash : undefined
  }
  let seen = 0
  for (const [[, slot], value] of state.slots.iterate(ctx, { prefix: address })) {
    if (seen++ % STRIDE === 0 && shouldStop()) throw queryError('deadlineExceeded', 'execution timeout')
    const hash = formatHex0x(keccak256(slot))
    if (hash < start || (end !== undefined && hash > end)) continue
    const entry = { hash, slot: formatHex0x(slot), value: formatHex0x(value) }
    if (found.push(entry) > 2 * (most + 1)) settle()
  }
  settle()
  return { slots: found.slice(0, most), next: end }
}
