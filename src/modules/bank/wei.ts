/** The 18-decimal view of the native coin: base units and a remainder below one of them (evm.md §3.1). */
import * as address from '../../identity/address.ts'
import { decodeUint, encodeUint, formatUtf8, utf8 } from '../../primitives/bytes.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors } from '../../sdk/errors.ts'
import { amountAt, setBalance } from './balance.ts'
import { type Purse, purseOf } from './purses.ts'
import * as state from './state.ts'

/** Wei of one base unit. */
export const WEI_PER_UNIT: bigint = 10n ** 12n

const WORD_LENGTH = 32

/** A balance in wei and what it was read from. */
interface HeldWei {
  readonly purse: Purse
  readonly units: bigint
  readonly remainder: bigint
}

function read(ctx: ReadContext, holder: Uint8Array): HeldWei {
  const purse = purseOf(ctx, holder)
  const units = amountAt(ctx, purse)
  const stored = ctx.store.get(state.STORE, purse.remainderKey)
  return { purse, units, remainder: stored ? decodeUint(stored) : 0n }
}

function write(ctx: Context, holder: Uint8Array, { purse, units, remainder }: HeldWei, wei: bigint): void {
  const newUnits = wei / WEI_PER_UNIT
  const newRemainder = wei % WEI_PER_UNIT
  if (newUnits !== units) setBalance(ctx, holder, ctx.identity.baseDenom, newUnits, purse, units)
  if (newRemainder !== remainder) {
    if (newRemainder === 0n) ctx.store.delete(state.STORE, purse.remainderKey)
    else ctx.store.set(state.STORE, purse.remainderKey, encodeUint(newRemainder, WORD_LENGTH))
  }
  trackDelta(ctx, (newUnits - units) * WEI_PER_UNIT + newRemainder - remainder)
}

function total({ units, remainder }: HeldWei): bigint {
  return units * WEI_PER_UNIT + remainder
}

/** Balance in wei. Locked coins count. */
export function balanceWei(ctx: ReadContext, holder: Uint8Array): bigint {
  return total(read(ctx, holder))
}

/** Sets a balance in wei, writing only what changes and telling nobody. The supply is the caller's matter. */
export function setBalanceWei(ctx: Context, holder: Uint8Array, wei: bigint): void {
  write(ctx, holder, read(ctx, holder), wei)
}

/** Says whose balances in wei have changed, and by what, where the profile's chain does (support-modules.md §12). */
export function emitWeiChange(ctx: Context, reason: string, ...holders: readonly Uint8Array[]): void {
  if (!ctx.identity.behaviours.weiChangeEvents) return
  ctx.emitEvent('wei_change', {
    wei_change_reason: reason,
    wei_change_addrs: holders.map((holder) => address.format(ctx, holder)).join(', '),
  })
}

/** Adds wei to a balance. */
export function addWei(ctx: Context, holder: Uint8Array, wei: bigint): void {
  if (wei === 0n) return
  const before = read(ctx, holder)
  write(ctx, holder, before, total(before) + wei)
  emitWeiChange(ctx, 'evm.AddWei', holder)
}

/** Takes wei from a balance. Throws sdk 5. */
export function subWei(ctx: Context, holder: Uint8Array, wei: bigint): void {
  if (wei === 0n) return
  const before = read(ctx, holder)
  const balance = total(before)
  if (balance < wei) throw errors.insufficientFunds(`balance ${balance}wei is smaller than ${wei}wei`)
  write(ctx, holder, before, balance - wei)
  emitWeiChange(ctx, 'evm.SubWei', holder)
}

/** Sum of the block's changes of balances in wei so far: 0 while every transaction balances. */
export function weiDelta(ctx: Context): bigint {
  const encoded = ctx.transient.get(state.STORE, state.WEI_DELTA_KEY)
  return encoded ? BigInt(formatUtf8(encoded)) : 0n
}

function trackDelta(ctx: Context, by: bigint): void {
  if (by !== 0n) ctx.transient.set(state.STORE, state.WEI_DELTA_KEY, utf8((weiDelta(ctx) + by).toString()))
}
