/** Single balances: what is read and written under the keys of one holder. */
import { type Coin, format } from '../../primitives/coin.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { hasFreeGas } from '../../sdk/create-context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { intTextValue } from '../../store/collections/codecs.ts'
import type { EventAttribute } from '../../store/types.ts'
import * as auth from '../auth/keeper.ts'
import { type Place, placeOf, purseOf } from './purses.ts'
import * as state from './state.ts'

const PRESENT = new Uint8Array(1)

/** Balance at a place; 0 if there is none. */
export function amountAt(ctx: ReadContext, { balanceKey }: Place): bigint {
  const encoded = ctx.store.get(state.STORE, balanceKey)
  return encoded ? intTextValue.decode(ctx, encoded) : 0n
}

/** Balance of a denom; 0 if there is none. */
export function balance(ctx: ReadContext, holder: Uint8Array, denom: string): bigint {
  return amountAt(ctx, placeOf(ctx, holder, denom))
}

/** Writes a balance and keeps the index of owners: both go at 0. `before` is what it was, where that is known. */
export function setBalance(
  ctx: Context,
  holder: Uint8Array,
  denom: string,
  amount: bigint,
  { balanceKey, ownerKey = state.owners.keyBytes(ctx, [denom, holder]) }: Place = placeOf(ctx, holder, denom),
  before = 0n,
): void {
  if (amount === 0n) {
    ctx.store.delete(state.STORE, balanceKey)
    ctx.store.delete(state.STORE, ownerKey)
    return
  }
  ctx.store.set(state.STORE, balanceKey, intTextValue.encode(ctx, amount))
  // Whoever held something is in the index. The reference looks all the same, and who pays for accesses pays for that one.
  if (before > 0n && hasFreeGas(ctx)) return
  if (!ctx.store.has(state.STORE, ownerKey)) ctx.store.set(state.STORE, ownerKey, PRESENT)
}

/** Coins as events have them. */
export function amountOf(coins: readonly Coin[]): EventAttribute {
  return { key: 'amount', value: format(coins) }
}

/** Takes unlocked coins from a holder. Throws sdk 5. Emits `coin_spent`. */
export function subCoins(
  ctx: Context,
  holder: Uint8Array,
  coins: readonly Coin[],
  amountText = amountOf(coins),
  purse = purseOf(ctx, holder),
): void {
  for (const { denom, amount } of coins) {
    const place = denom === ctx.identity.baseDenom ? purse : placeOf(ctx, holder, denom)
    const before = amountAt(ctx, place)
    const spendable = before - auth.lockedAmount(ctx, holder, denom)
    if (spendable < amount) {
      const available = `${spendable > 0n ? spendable : 0n}${denom}`
      throw sdkErrors.insufficientFunds(`spendable balance ${available} is smaller than ${amount}${denom}`)
    }
    setBalance(ctx, holder, denom, before - amount, place, before)
  }
  ctx.emitEvent('coin_spent', [purse.spender, amountText])
}

/** Gives coins to a holder. Emits `coin_received`. */
export function addCoins(
  ctx: Context,
  holder: Uint8Array,
  coins: readonly Coin[],
  amountText = amountOf(coins),
  purse = purseOf(ctx, holder),
): void {
  for (const { denom, amount } of coins) {
    const place = denom === ctx.identity.baseDenom ? purse : placeOf(ctx, holder, denom)
    const before = amountAt(ctx, place)
    setBalance(ctx, holder, denom, before + amount, place, before)
  }
  ctx.emitEvent('coin_received', [purse.receiver, amountText])
}
