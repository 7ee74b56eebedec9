/** The 18-decimal view of the native coin: base units and a remainder below one of them (evm.md §3.1). */
import { formatUtf8, utf8 } from '../../primitives/bytes.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors } from '../../sdk/errors.ts'
import { balance, setBalance } from './balance.ts'
import * as state from './state.ts'

/** Wei of one base unit. */
export const WEI_PER_UNIT: bigint = 10n ** 12n

/** Balance in wei. Locked coins count. */
export function balanceWei(ctx: ReadContext, holder: Uint8Array): bigint {
  const units = balance(ctx, holder, ctx.identity.baseDenom)
  return units * WEI_PER_UNIT + (state.remainders.get(ctx, holder) ?? 0n)
}

/** Sets a balance in wei, writing only what changes. The supply is the caller's matter. */
export function setBalanceWei(ctx: Context, holder: Uint8Array, wei: bigint): void {
  const denom = ctx.identity.baseDenom
  const units = balance(ctx, holder, denom)
  const remainder = state.remainders.get(ctx, holder) ?? 0n
  const newUnits = wei / WEI_PER_UNIT
  const newRemainder = wei % WEI_PER_UNIT
  if (newUnits !== units) setBalance(ctx, holder, denom, newUnits)
  if (newRemainder !== remainder) {
    if (newRemainder === 0n) state.remainders.delete(ctx, holder)
    else state.remainders.set(ctx, holder, newRemainder)
  }
  trackDelta(ctx, (newUnits - units) * WEI_PER_UNIT + newRemainder - remainder)
}

/** Adds wei to a balance. */
export function addWei(ctx: Context, holder: Uint8Array, wei: bigint): void {
  if (wei !== 0n) setBalanceWei(ctx, holder, balanceWei(ctx, holder) + wei)
}

/** Takes wei from a balance. Throws sdk 5. */
export function subWei(ctx: Context, holder: Uint8Array, wei: bigint): void {
  if (wei === 0n) return
  const held = balanceWei(ctx, holder)
  if (held < wei) throw errors.insufficientFunds(`balance ${held}wei is smaller than ${wei}wei`)
  setBalanceWei(ctx, holder, held - wei)
}

/** Sum of the block's changes of balances in wei so far: 0 while every transaction balances. */
export function weiDelta(ctx: Context): bigint {
  const encoded = ctx.transient.get(state.STORE, state.WEI_DELTA_KEY)
  return encoded ? BigInt(formatUtf8(encoded)) : 0n
}

function trackDelta(ctx: Context, by: bigint): void {
  if (by !== 0n) ctx.transient.set(state.STORE, state.WEI_DELTA_KEY, utf8((weiDelta(ctx) + by).toString()))
}
