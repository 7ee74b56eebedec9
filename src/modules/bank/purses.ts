/** What is worked out of a holder's address, once: blocks have the same holders, and every transaction asks several times. */
import * as address from '../../identity/address.ts'
import type { Identity } from '../../identity/types.ts'
import { toKey } from '../../primitives/bytes.ts'
import { createMemo, type Memo } from '../../primitives/memo.ts'
import type { ReadContext } from '../../sdk/context.ts'
import type { EventAttribute } from '../../store/types.ts'
import * as state from './state.ts'

/** Where coins of one denom stand in store `bank`. Nobody changes the bytes. */
export interface Place {
  readonly balanceKey: Uint8Array
  /** In the index of owners; undefined where it is made when it is needed. */
  readonly ownerKey: Uint8Array | undefined
}

/** The place of the native coin, which is counted in wei too, and the attributes by which events name the holder. */
export interface Purse extends Place {
  readonly remainderKey: Uint8Array
  readonly spender: EventAttribute
  readonly receiver: EventAttribute
  readonly sender: EventAttribute
  readonly recipient: EventAttribute
}

/** Of two to four thousand holders, a kilobyte each. */
const MEMO_SIZE = 2048
const memos = new WeakMap<Identity, Memo<Purse>>()

function memoOf(identity: Identity): Memo<Purse> {
  let memo = memos.get(identity)
  if (!memo) {
    memo = createMemo(MEMO_SIZE)
    memos.set(identity, memo)
  }
  return memo
}

function makePurse(ctx: ReadContext, holder: Uint8Array): Purse {
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

export function purseOf(ctx: ReadContext, holder: Uint8Array): Purse {
  const memo = memoOf(ctx.identity)
  const text = toKey(holder)
  return memo.recall(text) ?? memo.keep(text, makePurse(ctx, holder))
}

export function placeOf(ctx: ReadContext, holder: Uint8Array, denom: string): Place {
  if (denom === ctx.identity.baseDenom) return purseOf(ctx, holder)
  return { balanceKey: state.balances.keyBytes(ctx, [holder, denom]), ownerKey: undefined }
}
