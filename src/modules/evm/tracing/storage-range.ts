/** Slots of a contract in the order of geth's storage trie, which is that of their numbers' hashes. */
import { formatHex0x } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import * as state from '../state.ts'

/** Words as `0x` and 64 digits, whose order is that of the bytes. */
interface RangeSlot {
  /** Keccak-256 of the slot's number. */
  readonly hash: string
  readonly slot: string
  readonly value: string
}

export interface StorageRange {
  readonly slots: readonly RangeSlot[]
  /** Hash of the slot behind them; undefined: there is none. */
  readonly next: string | undefined
}

/** How many slots go by between two looks at the time. */
const STRIDE = 256

/**
 * The first `most` slots whose hashes do not lie before `start`. Every slot of the contract is looked at, no more than twice the
 * page is held. Throws 4 `deadlineExceeded` when stopped.
 */
export function storageRange(
  ctx: ReadContext,
  address: Uint8Array,
  { start, most }: { readonly start: string; readonly most: number },
  shouldStop: () => boolean,
): StorageRange {
  let found: RangeSlot[] = []
  /** What lies behind it can be on no page. */
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
