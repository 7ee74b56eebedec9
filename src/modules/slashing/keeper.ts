/** What other modules do with those who misbehave. */
import * as address from '../../identity/address.ts'
import type { Decimal } from '../../primitives/decimal.ts'
import { toTimestamp } from '../../primitives/time.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import * as staking from '../staking/keeper.ts'
import { decimalOf, params } from './params.ts'
import * as state from './state.ts'

/** Why, in the words of events. */
export type Reason = 'double_sign' | 'missing_signature' | 'unspecified'

/**
 * Burns a fraction of what a validator had at stake at a height, and tells so. `consensus` is its address, `power` what
 * the engine counted then. Returns what was burned of its own tokens; a validator that is gone loses nothing.
 */
export function slash(
  ctx: Context,
  consensus: Uint8Array,
  fraction: Decimal,
  power: bigint,
  height: bigint,
  reason: Reason = 'unspecified',
): bigint {
  const burned = staking.slash(ctx, { consensus, height, power, fraction })
  ctx.emitEvent('slash', {
    address: address.formatConsensus(ctx, consensus),
    power: power.toString(),
    reason,
    burned_coins: burned.toString(),
  })
  return burned
}

/** Puts a validator into jail, and tells so. */
export function jail(ctx: Context, consensus: Uint8Array): void {
  staking.jail(ctx, consensus)
  ctx.emitEvent('slash', { jailed: address.formatConsensus(ctx, consensus) })
}

/** The end of the calendar: a jail without return. */
const FOR_EVER_NS = 253_402_300_799n * 1_000_000_000n

/** Keeps a validator, whose signing is on record, in jail for good. */
export function tombstone(ctx: Context, consensus: Uint8Array): void {
  const info = state.signingInfos.get(ctx, consensus)
  if (!info) return
  const { seconds, nanos } = toTimestamp(FOR_EVER_NS)
  state.signingInfos.set(ctx, consensus, {
    ...info,
    jailedUntil: { ...info.jailedUntil!, seconds, nanos },
    tombstoned: true,
  })
}

/** Whether it is known how a validator signs, and by which key. */
export function isKnown(ctx: ReadContext, consensus: Uint8Array): boolean {
  return state.signingInfos.has(ctx, consensus) && state.publicKeys.has(ctx, consensus)
}

/** The part of its stake that a validator loses who signs twice. */
export function doubleSignFraction(ctx: ReadContext): Decimal {
  return decimalOf(params(ctx).slashFractionDoubleSign)
}

/** Whether a validator may never come back. */
export function isTombstoned(ctx: ReadContext, consensus: Uint8Array): boolean {
  return state.signingInfos.get(ctx, consensus)?.tombstoned === true
}
