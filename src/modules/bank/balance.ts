/** Single balances: what is read and written under the keys of one holder. */
import * as address from '../../identity/address.ts'
import { type Coin, format } from '../../primitives/coin.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { intTextValue } from '../../store/codecs.ts'
import * as auth from '../auth/keeper.ts'
import * as state from './state.ts'

const PRESENT = new Uint8Array(1)

/** A balance with the key it was read under, where it is going to be written. */
export interface Held {
  readonly key: Uint8Array
  readonly amount: bigint
}

export function held(ctx: ReadContext, holder: Uint8Array, denom: string): Held {
  const key = state.balances.keyBytes(ctx, [holder, denom])
  const encoded = ctx.store.get(state.STORE, key)
  return { key, amount: encoded ? intTextValue.decode(ctx, encoded) : 0n }
}

/** Balance of a denom; 0 if there is none. */
export function balance(ctx: ReadContext, holder: Uint8Array, denom: string): bigint {
  return held(ctx, holder, denom).amount
}

/** Writes a balance and keeps the index of owners: both go at 0. `key` is the balance's own. */
export function setBalance(
  ctx: Context,
  holder: Uint8Array,
  denom: string,
  amount: bigint,
  key = state.balances.keyBytes(ctx, [holder, denom]),
): void {
  if (amount === 0n) {
    ctx.store.delete(state.STORE, key)
    state.owners.delete(ctx, [denom, holder])
    return
  }
  ctx.store.set(state.STORE, key, intTextValue.encode(ctx, amount))
  const ownerKey = state.owners.keyBytes(ctx, [denom, holder])
  if (!ctx.store.has(state.STORE, ownerKey)) ctx.store.set(state.STORE, ownerKey, PRESENT)
}

/** Takes unlocked coins from a holder. Throws sdk 5. Emits `coin_spent`. */
export function subCoins(
  ctx: Context,
  holder: Uint8Array,
  coins: readonly Coin[],
  names = namesOf(ctx, holder, coins),
): void {
  for (const { denom, amount } of coins) {
    const { key, amount: before } = held(ctx, holder, denom)
    const spendable = before - auth.lockedAmount(ctx, holder, denom)
    if (spendable < amount) {
      const available = `${spendable > 0n ? spendable : 0n}${denom}`
      throw sdkErrors.insufficientFunds(`spendable balance ${available} is smaller than ${amount}${denom}`)
    }
    setBalance(ctx, holder, denom, before - amount, key)
  }
  ctx.emitEvent('coin_spent', { spender: names.holder, amount: names.amount })
}

/** Gives coins to a holder. Emits `coin_received`. */
export function addCoins(
  ctx: Context,
  holder: Uint8Array,
  coins: readonly Coin[],
  names = namesOf(ctx, holder, coins),
): void {
  for (const { denom, amount } of coins) {
    const { key, amount: before } = held(ctx, holder, denom)
    setBalance(ctx, holder, denom, before + amount, key)
  }
  ctx.emitEvent('coin_received', { receiver: names.holder, amount: names.amount })
}

/** Holder and coins as events have them. Who needs the texts too hands them over. */
function namesOf(ctx: Context, holder: Uint8Array, coins: readonly Coin[]): { holder: string; amount: string } {
  return { holder: address.format(ctx, holder), amount: format(coins) }
}
