/** Punishment of validators for other modules. */
import * as address from '../../identity/address.ts'
import type { Decimal } from '../../primitives/decimal.ts'
import { NS_PER_SECOND, toTimestamp } from '../../primitives/time.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import * as staking from '../staking/keeper.ts'
import { decimalOf, params } from './params.ts'
import * as state from './state.ts'

/** The reason of a slash, as in events. */
export type Reason = 'double_sign' | 'missing_signature' | 'unspecified'

/**
 * Burns a fraction of a validator's stake at a height and emits `slash`. `consensus` is its consensus address, `power` its
 * power in the engine at that height. Returns the amount burned from the validator's tokens: 0 if the validator is removed.
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

/** Jails a validator and emits `slash`. */
export function jail(ctx: Context, consensus: Uint8Array): void {
  staking.jail(ctx, consensus)
  ctx.emitEvent('slash', { jailed: address.formatConsensus(ctx, consensus) })
}

/** 9999-12-31T23:59:59Z, the `jailed_until` of a tombstoned validator. */
const TOMBSTONED_UNTIL_NS = 253_402_300_799n * NS_PER_SECOND

/** Tombstones a validator, so that it stays in jail forever. Does nothing without a signing info. */
export function tombstone(ctx: Context, consensus: Uint8Array): void {
  const info = state.signingInfos.get(ctx, consensus)
  if (!info) return
  const { seconds, nanos } = toTimestamp(TOMBSTONED_UNTIL_NS)
  state.signingInfos.set(ctx, consensus, {
    ...info,
    jailedUntil: { ...info.jailedUntil!, seconds, nanos },
    tombstoned: true,
  })
}

/** Whether a validator has a signing info and a public key on record. */
export function isKnown(ctx: ReadContext, consensus: Uint8Array): boolean {
  return state.signingInfos.has(ctx, consensus) && state.publicKeys.has(ctx, consensus)
}

/** Returns the fraction of the stake that is slashed for double signing. */
export function doubleSignFraction(ctx: ReadContext): Decimal {
  return decimalOf(params(ctx).slashFractionDoubleSign)
}

/** Whether a validator is tombstoned. */
export function isTombstoned(ctx: ReadContext, consensus: Uint8Array): boolean {
  return state.signingInfos.get(ctx, consensus)?.tombstoned === true
}
