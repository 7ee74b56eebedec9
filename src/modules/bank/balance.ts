/** Balances of one holder: reads, writes, and the index of owners. */
import { type Coin, format } from '../../primitives/coin.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { hasFreeGas } from '../../sdk/create-context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { intTextValue } from '../../store/collections/codecs.ts'
import type { EventAttribute } from '../../store/types.ts'
import * as auth from '../auth/keeper.ts'
import { type BalanceKeys, balanceKeysOf, holderKeysOf } from './holder-keys.ts'
import * as state from './state.ts'

const PRESENT = new Uint8Array(1)

/** Returns the balance under the given keys; 0 if it is absent. */
export function amountAt(ctx: ReadContext, { balanceKey }: BalanceKeys): bigint {
  const encoded = ctx.store.get(state.STORE, balanceKey)
  return encoded ? intTextValue.decode(ctx, encoded) : 0n
}

/** Returns a holder's balance of a denom; 0 if it is absent. */
export function balance(ctx: ReadContext, holder: Uint8Array, denom: string): bigint {
  return amountAt(ctx, balanceKeysOf(ctx, holder, denom))
}

/** Writes a balance and its entry in the index of owners, or deletes both at 0. `before` is the previous balance, if known. */
export function setBalance(
  ctx: Context,
  holder: Uint8Array,
  denom: string,
  amount: bigint,
  { balanceKey, ownerKey = state.owners.keyBytes(ctx, [denom, holder]) }: BalanceKeys = balanceKeysOf(
    ctx,
    holder,
    denom,
  ),
  before = 0n,
): void {
  if (amount === 0n) {
    ctx.store.delete(state.STORE, balanceKey)
    ctx.store.delete(state.STORE, ownerKey)
    return
  }
  ctx.store.set(state.STORE, balanceKey, intTextValue.encode(ctx, amount))
  // A holder with a balance is in the index already. The Cosmos SDK checks the index in any case, so metered code pays for the check.
  if (before > 0n && hasFreeGas(ctx)) return
  if (!ctx.store.has(state.STORE, ownerKey)) ctx.store.set(state.STORE, ownerKey, PRESENT)
}

/** Returns the attribute `amount` of coins, for events. */
export function amountOf(coins: readonly Coin[]): EventAttribute {
  return { key: 'amount', value: format(coins) }
}

/** Subtracts unlocked coins from a holder's balances. Throws sdk 5. Emits `coin_spent`. */
export function subCoins(
  ctx: Context,
  holder: Uint8Array,
  coins: readonly Coin[],
  amountText = amountOf(coins),
  holderKeys = holderKeysOf(ctx, holder),
): void {
  const lockedOf = auth.lockedAmounts(ctx, holder)
  for (const { denom, amount } of coins) {
    const keys = denom === ctx.identity.baseDenom ? holderKeys : balanceKeysOf(ctx, holder, denom)
    const before = amountAt(ctx, keys)
    const spendable = before - lockedOf(denom)
    if (spendable < amount) {
      const available = `${spendable > 0n ? spendable : 0n}${denom}`
      throw sdkErrors.insufficientFunds(`spendable balance ${available} is smaller than ${amount}${denom}`)
    }
    setBalance(ctx, holder, denom, before - amount, keys, before)
  }
  ctx.emitEvent('coin_spent', [holderKeys.spender, amountText])
}

/** Adds coins to a holder's balances. Emits `coin_received`. */
export function addCoins(
  ctx: Context,
  holder: Uint8Array,
  coins: readonly Coin[],
  amountText = amountOf(coins),
  holderKeys = holderKeysOf(ctx, holder),
): void {
  for (const { denom, amount } of coins) {
    const keys = denom === ctx.identity.baseDenom ? holderKeys : balanceKeysOf(ctx, holder, denom)
    const before = amountAt(ctx, keys)
    setBalance(ctx, holder, denom, before + amount, keys, before)
  }
  ctx.emitEvent('coin_received', [holderKeys.receiver, amountText])
}
