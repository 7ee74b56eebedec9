/** The warning about prices that depend on too few votes (D51). */
import type { GatewayNode } from '../api/gateway.ts'
import * as oracle from '../modules/oracle/keeper.ts'
import * as staking from '../modules/staking/keeper.ts'
import type { Log } from './log.ts'

/** Minimum safe number of voters: with fewer, a minority of four or more bonded validators can set a price. */
const ENOUGH_VOTERS = 4n

/** Blocks between two looks at the parameter. */
const BLOCKS_BETWEEN = 16n

/**
 * Warns if `min_voters` is below 4 with more than 3 bonded validators: now, and some blocks after the parameter changes.
 * Returns a function that ends the watch.
 */
export function watchVoters(
  { withContext, driver }: Pick<GatewayNode, 'withContext' | 'driver'>,
  log: Log,
): () => void {
  let checked: bigint | undefined
  const check = () =>
    withContext(undefined, (ctx) => {
      const { minVoters } = oracle.params(ctx)
      if (minVoters === checked) return
      checked = minVoters
      const bonded = staking.bondedByPower(ctx).length
      if (minVoters >= ENOUGH_VOTERS || bonded <= 3) return
      log(
        'warn',
        'min_voters of the oracle is low for this many validators: with fewer than 4 voters a minority can set a price',
        {
          min_voters: minVoters,
          bonded_validators: bonded,
        },
      )
    })
  check()
  return driver.onBlock(({ header }) => {
    if (header.height % BLOCKS_BETWEEN === 0n) check()
  })
}
