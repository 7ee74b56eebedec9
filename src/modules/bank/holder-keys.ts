/**
 * Keys and event attributes derived from a holder's address, cached: blocks repeat holders, and every transaction needs them
 * several times.
 */
import * as address from '../../identity/address.ts'
import type { Identity } from '../../identity/types.ts'
import { toKey } from '../../primitives/bytes.ts'
import { cachePerObject, createCache } from '../../primitives/cache.ts'
import type { ReadContext } from '../../sdk/context.ts'
import type { EventAttribute } from '../../store/types.ts'
import * as state from './state.ts'

/** The keys of a holder's balance of one denom in store `bank`. The bytes are shared and must not be changed. */
export interface BalanceKeys {
  readonly balanceKey: Uint8Array
  /** Key in the index of owners; undefined if it is not precomputed. */
  readonly ownerKey: Uint8Array | undefined
}

/** The keys of a holder's native coin and wei remainder, and the event attributes that name the holder. */
export interface HolderKeys extends BalanceKeys {
  readonly remainderKey: Uint8Array
  readonly spender: EventAttribute
  readonly receiver: EventAttribute
  readonly sender: EventAttribute
  readonly recipient: EventAttribute
}

/** Size of the cache, which contains 2,000 to 4,000 holders of about 1 kB each. */
const CACHE_SIZE = 2048
const cacheOf = cachePerObject((_identity: Identity) => createCache<HolderKeys>(CACHE_SIZE))

function makeHolderKeys(ctx: ReadContext, holder: Uint8Array): HolderKeys {
  const { baseDenom } = ctx.identity
  const value = address.format(ctx, holder)
  return {
    balanceKey: state.balances.keyBytes(ctx, [holder, baseDenom]),
    ownerKey: state.owners.keyBytes(ctx, [baseDenom, holder]),
    remainderKey: state.remainders.keyBytes(ctx, holder),
    spender: { key: 'spender', value },
    receiver: { key: 'receiver', value },
    sender: { key: 'sender', value },
    recipient: { key: 'recipient', value },
  }
}

export function holderKeysOf(ctx: ReadContext, holder: Uint8Array): HolderKeys {
  const cache = cacheOf(ctx.identity)
  const text = toKey(holder)
  return cache.get(text) ?? cache.set(text, makeHolderKeys(ctx, holder))
}

export function balanceKeysOf(ctx: ReadContext, holder: Uint8Array, denom: string): BalanceKeys {
  if (denom === ctx.identity.baseDenom) return holderKeysOf(ctx, holder)
  return { balanceKey: state.balances.keyBytes(ctx, [holder, denom]), ownerKey: undefined }
}
