/** The definition of an invariant. */
import type { Tip } from '../../../src/consensus/tip.ts'
import type { ReadContext } from '../../../src/sdk/context.ts'
import type { MadeBlock } from '../chain.ts'
import type { Wish } from '../transactions.ts'
import type { Token } from '../world.ts'

/** A transaction of the checked block. */
export interface Sent {
  readonly wish: Wish
  /** Index in the block. */
  readonly index: number
  /** Highest fee that the signer accepted. Unit: wei. */
  readonly feeWei: bigint
}

/** The state after a block, and the block. */
export interface Checked {
  readonly ctx: ReadContext
  readonly tip: Tip
  /** Absent right after an import. */
  readonly block?: MadeBlock
  readonly sent: readonly Sent[]
  readonly tokens: readonly Token[]
  /** Values that an invariant keeps from block to block. */
  readonly memory: Map<string, unknown>
}

export interface Invariant {
  /** The sentence that holds. */
  readonly name: string
  /** Number of blocks between two checks; every block if absent. */
  readonly every?: number
  /** Returns how the state breaks it; undefined if it holds. */
  broken(after: Checked): string | undefined
}

/** Returns a difference of two amounts as text; undefined if they are equal. */
export const differ = (what: string, given: bigint, expected: bigint): string | undefined =>
  given === expected ? undefined : `${what}: ${given}, expected ${expected}`

/** Adds to the amount of a key. */
export function addTo<Key>(sums: Map<Key, bigint>, key: Key, amount: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + amount)
}
