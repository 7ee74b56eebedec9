/** Tells an operator when prices hang on too few votes (D51). */
import type { GatewayNode } from '../api/gateway.ts'
import * as oracle from '../modules/oracle/keeper.ts'
import * as staking from '../modules/staking/keeper.ts'
import type { Log } from './log.ts'

/** With more than three bonded validators, fewer voters than this may set a price that most never saw. */
const ENOUGH_VOTERS = 4n

/**
 * Warns at once, and whenever the parameter is edited, when `min_voters` is below 4 with more than 3 bonded validators.
 * Returns what ends the watch.
 */
export function watchVoters(
  { withContext, driver }: Pick<GatewayNode, 'withContext' | 'driver'>,
  log: Log,
): () => void {
  let seen: bigint | undefined
  const look = () =>
    withContext(undefined, (ctx) => {
      const { minVoters } = oracle.params(ctx)
      if (minVoters === seen) return
      seen = minVoters
      const bonded = staking.bondedByPower(ctx).length
      if (minVoters >= ENOUGH_VOTERS || bonded <= 3) return
      log(
        'warn',
        'min_voters of the oracle is low for this many validators: a price needs at least 4 voters to be hard to bend',
        {
          min_voters: minVoters,
          bonded_validators: bonded,
        },
      )
    })
  look()
  return driver.onBlock(look)
}
