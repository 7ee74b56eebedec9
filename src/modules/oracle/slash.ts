/** The end of a slash window: who missed too much is slashed and jailed (oracle.md §7.11). */
import type { Params } from '../../gen/chain/oracle/v1beta1/oracle_pb.ts'
import * as decimal from '../../primitives/decimal.ts'
import type { Context } from '../../sdk/context.ts'
import * as slashing from '../slashing/keeper.ts'
import * as staking from '../staking/keeper.ts'
import * as state from './state.ts'

/** Blocks between the block that answers for an infraction and the one it is counted in. */
const INFRACTION_DEPTH = 2n

/** Voting periods of a window, and its blocks: D6, or as a profile counts. */
export function slashWindow(ctx: Context, { slashWindow, votePeriod }: Params) {
  return ctx.identity.behaviours.slashWindowInBlocks
    ? { periods: slashWindow / votePeriod, blocks: slashWindow }
    : { periods: slashWindow, blocks: slashWindow * votePeriod }
}

/** Ends a slash window: every counter is gone afterwards. */
export function slashAndResetMissCounters(ctx: Context, params: Params): void {
  const { periods } = slashWindow(ctx, params)
  const least = decimal.decode(params.minValidPerWindow) ?? decimal.zero
  const fraction = decimal.decode(params.slashFraction) ?? decimal.zero
  for (const [operator, misses] of [...state.missCounters.iterate(ctx)]) {
    state.missCounters.remove(ctx, operator)
    const rate = decimal.fromRaw(decimal.fromInteger(periods - misses) / periods)
    if (rate >= least) continue
    const validator = staking.getValidator(ctx, operator)
    if (!validator || !staking.isBonded(validator) || validator.jailed) continue
    const consensus = staking.consensusAddress(ctx.identity, validator)
    slashing.slash(ctx, consensus, fraction, staking.powerOf(validator), ctx.block.height - INFRACTION_DEPTH)
    slashing.jail(ctx, consensus)
  }
}
