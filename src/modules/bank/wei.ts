/** The 18-decimal view of the native coin: base units and a remainder below one unit (docs/modules/bank.md#formulas). */
import * as address from '../../identity/address.ts'
import { decodeUint, encodeUint, formatUtf8, utf8 } from '../../primitives/bytes.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { withoutGas } from '../../sdk/create-context.ts'
import { errors } from '../../sdk/errors.ts'
import * as auth from '../auth/keeper.ts'
import { amountAt, setBalance } from './balance.ts'
import { type HolderKeys, holderKeysOf } from './holder-keys.ts'
import * as state from './state.ts'

/** Wei of one base unit. */
export const WEI_PER_UNIT: bigint = 10n ** 12n
/** Wei of one native coin. */
export const WEI_PER_NATIVE: bigint = 10n ** 18n

const WORD_LENGTH = 32

/** A balance in wei with the keys and values that it was read from. */
interface WeiBalance {
  readonly keys: HolderKeys
  readonly units: bigint
  readonly remainder: bigint
}

function read(ctx: ReadContext, holder: Uint8Array): WeiBalance {
  const keys = holderKeysOf(ctx, holder)
  const units = amountAt(ctx, keys)
  const stored = ctx.store.get(state.STORE, keys.remainderKey)
  return { keys, units, remainder: stored ? decodeUint(stored) : 0n }
}

function write(ctx: Context, holder: Uint8Array, { keys, units, remainder }: WeiBalance, wei: bigint): void {
  const newUnits = wei / WEI_PER_UNIT
  const newRemainder = wei % WEI_PER_UNIT
  if (newUnits !== units) setBalance(ctx, holder, ctx.identity.baseDenom, newUnits, keys, units)
  if (newRemainder !== remainder) {
    if (newRemainder === 0n) ctx.store.delete(state.STORE, keys.remainderKey)
    else ctx.store.set(state.STORE, keys.remainderKey, encodeUint(newRemainder, WORD_LENGTH))
  }
  trackDelta(ctx, (newUnits - units) * WEI_PER_UNIT + newRemainder - remainder)
}

function total({ units, remainder }: WeiBalance): bigint {
  return units * WEI_PER_UNIT + remainder
}

/** Returns a balance in wei, including locked coins. */
export function balanceWei(ctx: ReadContext, holder: Uint8Array): bigint {
  return total(read(ctx, holder))
}

/**
 * Returns the wei that a holder cannot send in this block; it can be more than the balance. Costs no gas, since the reference
 * does not ask.
 */
export function lockedWei(ctx: ReadContext, holder: Uint8Array): bigint {
  const { baseDenom, behaviours } = ctx.identity
  if (behaviours.lockedCoinsMoveInEvm) return 0n
  return auth.lockedAmount(withoutGas(ctx), holder, baseDenom) * WEI_PER_UNIT
}

/** Returns the wei that a holder can send or pay as fee in this block. */
export function spendableWei(ctx: ReadContext, holder: Uint8Array): bigint {
  const free = balanceWei(ctx, holder) - lockedWei(ctx, holder)
  return free > 0n ? free : 0n
}

/** Sets a balance in wei. Writes only the entries that change, and emits nothing. The caller keeps the supply consistent. */
export function setBalanceWei(ctx: Context, holder: Uint8Array, wei: bigint): void {
  write(ctx, holder, read(ctx, holder), wei)
}

/** Emits `wei_change` with the holders whose wei balances changed and the reason, under profiles whose chain emits it. */
export function emitWeiChange(ctx: Context, reason: string, holders: readonly Uint8Array[]): void {
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
  emitWeiChange(ctx, 'evm.AddWei', [holder])
}

/** Subtracts unlocked wei from a balance. Throws sdk 5. */
export function subWei(ctx: Context, holder: Uint8Array, wei: bigint): void {
  if (wei === 0n) return
  const before = read(ctx, holder)
  const balance = total(before)
  if (balance < wei) throw errors.insufficientFunds(`balance ${balance}wei is smaller than ${wei}wei`)
  const spendable = balance - lockedWei(ctx, holder)
  if (spendable < wei) {
    const available = spendable > 0n ? spendable : 0n
    throw errors.insufficientFunds(`spendable balance ${available}wei is smaller than ${wei}wei`)
  }
  write(ctx, holder, before, balance - wei)
  emitWeiChange(ctx, 'evm.SubWei', [holder])
}

/** Returns the sum of the block's changes to wei balances so far: 0 if every transaction balances. */
export function weiDelta(ctx: Context): bigint {
  const encoded = ctx.transient.get(state.STORE, state.WEI_DELTA_KEY)
  return encoded ? BigInt(formatUtf8(encoded)) : 0n
}

function trackDelta(ctx: Context, by: bigint): void {
  if (by !== 0n) ctx.transient.set(state.STORE, state.WEI_DELTA_KEY, utf8((weiDelta(ctx) + by).toString()))
}
