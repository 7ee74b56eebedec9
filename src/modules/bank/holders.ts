/** The way back from an entry of the store to the holder whose balance it is part of. */
import type { ReadContext } from '../../sdk/context.ts'
import { accountTextKey, addressKey } from '../../store/collections/key-codecs.ts'
import * as state from './state.ts'

/** Whose balance, whole or below one unit, lies under a key of a store; undefined for any other entry. */
export function holderAt(ctx: ReadContext, store: string, key: Uint8Array): Uint8Array | undefined {
  if (store !== state.STORE) return undefined
  if (key[0] === state.BALANCE_PREFIX) return addressKey.decode(ctx, key, 1)[0]
  return key[0] === state.REMAINDER_PREFIX ? accountTextKey.decode(ctx, key, 1)[0] : undefined
}
