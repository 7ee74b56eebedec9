/** End of a slash window: slashes and jails validators that missed too many voting periods. */
import type { Params } from '../../gen/chain/oracle/v1beta1/oracle_pb.ts'
import * as decimal from '../../primitives/decimal.ts'
import type { Context } from '../../sdk/context.ts'
import * as slashing from '../slashing/keeper.ts'
import * as staking from '../staking/keeper.ts'
import * as state from './state.ts'

/** Blocks between the infraction height and the block that counts it. */
const INFRACTION_DEPTH = 2n

/** Returns the length of a window in periods and in blocks. The parameter counts periods (D6); a profile counts blocks. */
export function slashWindow(ctx: Context, { slashWindow, votePeriod }: Params) {
  return ctx.identity.behaviours.slashWindowInBlocks
    ? { periods: slashWindow / votePeriod, blocks: slashWindow }
    : { periods: slashWindow, blocks: slashWindow * votePeriod }
}

/** Slashes validators below `min_valid_per_window` and removes every miss counter. */
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
