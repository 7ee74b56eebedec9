/** The holder of a stored balance, found from its key. */
import type { ReadContext } from '../../sdk/context.ts'
import { accountTextKey, addressKey } from '../../store/collections/key-codecs.ts'
import * as state from './state.ts'

/** Returns the holder of the balance or wei remainder stored under a key; undefined if the entry is neither. */
export function holderAt(ctx: ReadContext, store: string, key: Uint8Array): Uint8Array | undefined {
  if (store !== state.STORE) return undefined
  if (key[0] === state.BALANCE_PREFIX) return addressKey.decode(ctx, key, 1)[0]
  return key[0] === state.REMAINDER_PREFIX ? accountTextKey.decode(ctx, key, 1)[0] : undefined
}
