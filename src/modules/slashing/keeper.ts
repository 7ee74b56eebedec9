/** What other modules do with those who misbehave. */
import * as address from '../../identity/address.ts'
import type { Decimal } from '../../primitives/decimal.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import * as staking from '../staking/keeper.ts'
import * as state from './state.ts'

export { params } from './params.ts'

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

/** Whether a validator may never come back. */
export function isTombstoned(ctx: ReadContext, consensus: Uint8Array): boolean {
  return state.signingInfos.get(ctx, consensus)?.tombstoned === true
}
