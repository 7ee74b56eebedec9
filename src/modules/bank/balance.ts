/** Single balances: what is read and written under the keys of one holder. */
import * as address from '../../identity/address.ts'
import { type Coin, format } from '../../primitives/coin.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import * as auth from '../auth/keeper.ts'
import * as state from './state.ts'

const PRESENT = new Uint8Array(1)

/** Balance of a denom; 0 if there is none. */
export function balance(ctx: ReadContext, holder: Uint8Array, denom: string): bigint {
  return state.balances.get(ctx, [holder, denom]) ?? 0n
}

/** Writes a balance and keeps the index of owners: both go at 0. */
export function setBalance(ctx: Context, holder: Uint8Array, denom: string, amount: bigint): void {
  if (amount === 0n) {
    state.balances.delete(ctx, [holder, denom])
    state.owners.delete(ctx, [denom, holder])
    return
  }
  state.balances.set(ctx, [holder, denom], amount)
  const ownerKey = state.owners.keyBytes(ctx, [denom, holder])
  if (!ctx.store.has(state.STORE, ownerKey)) ctx.store.set(state.STORE, ownerKey, PRESENT)
}

/** Takes unlocked coins from a holder. Throws sdk 5. Emits `coin_spent`. */
export function subCoins(ctx: Context, holder: Uint8Array, coins: readonly Coin[]): void {
  for (const { denom, amount } of coins) {
    const held = balance(ctx, holder, denom)
    const spendable = held - auth.lockedAmount(ctx, holder, denom)
    if (spendable < amount) {
      const available = `${spendable > 0n ? spendable : 0n}${denom}`
      throw sdkErrors.insufficientFunds(`spendable balance ${available} is smaller than ${amount}${denom}`)
    }
    setBalance(ctx, holder, denom, held - amount)
  }
  ctx.emitEvent('coin_spent', { spender: address.format(ctx, holder), amount: format(coins) })
}

/** Gives coins to a holder. Emits `coin_received`. */
export function addCoins(ctx: Context, holder: Uint8Array, coins: readonly Coin[]): void {
  for (const { denom, amount } of coins) setBalance(ctx, holder, denom, balance(ctx, holder, denom) + amount)
  ctx.emitEvent('coin_received', { receiver: address.format(ctx, holder), amount: format(coins) })
}
