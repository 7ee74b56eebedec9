/** The root of a contract's storage as Ethereum's trie, which this chain does not keep: it is computed from all slots. */
import { EMPTY_TRIE_ROOT, secureTrieRoot } from '../../evm/trie.ts'
import { decodeUint } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { encode, fromUint } from '../../primitives/rlp.ts'
import type { ReadContext } from '../../sdk/context.ts'
import * as state from './state.ts'

/** Slots of a contract whose storage root is computed. Beyond: an error. */
const MAX_SLOTS = 100_000
/** Number of slots between two checks of the deadline. */
const STRIDE = 256

/**
 * Returns the storage root of an account. Throws 8 `resourceExhausted` for more than `MAX_SLOTS` slots, 4 `deadlineExceeded`
 * when stopped.
 */
export function storageRoot(ctx: ReadContext, address: Uint8Array, shouldStop: () => boolean): Uint8Array {
  const entries: [Uint8Array, Uint8Array][] = []
  for (const [[, slot], value] of state.slots.iterate(ctx, { prefix: address })) {
    if (entries.length % STRIDE === 0 && shouldStop()) throw queryError('deadlineExceeded', 'execution timeout')
    if (entries.length === MAX_SLOTS) {
      throw queryError('resourceExhausted', `the storage root of more than ${MAX_SLOTS} slots is not computed`)
    }
    entries.push([slot, encode(fromUint(decodeUint(value)))])
  }
  return entries.length === 0 ? EMPTY_TRIE_ROOT : secureTrieRoot(entries)
}
