/** Module `oracle`: prices that validators vote on (docs/modules/oracle.md). */
import type { Context } from '../../sdk/context.ts'
import { defineModule } from '../../sdk/module.ts'
import { genesis } from './genesis.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'
import { slashAndResetMissCounters, slashWindow } from './slash.ts'
import { account, params as storedParams } from './state.ts'
import { tally } from './tally.ts'
import { validations } from './validation.ts'

/** Closes the voting period, then the slash window, if the next block starts a new one. */
function endBlock(ctx: Context): void {
  const params = storedParams.get(ctx)
  if (!params) return
  const next = ctx.block.height + 1n
  if (next % params.votePeriod === 0n) tally(ctx, params)
  if (next % slashWindow(ctx, params).blocks === 0n) slashAndResetMissCounters(ctx, params)
}

export const oracle = defineModule({
  name: 'oracle',
  messages, // chain.oracle.v1beta1.Msg
  queries, // chain.oracle.v1beta1.Query
  validations,
  accounts: [account],
  genesis,
  endBlock,
})
