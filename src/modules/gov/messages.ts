/** sdk.gov.v1.Msg */
import { Msg } from '../../gen/sdk/gov/v1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { requireGovernance } from '../../sdk/authority.ts'
import { replaceParams } from '../../sdk/governed-params.ts'
import { defineMessages } from '../../sdk/module.ts'
import * as auth from '../auth/keeper.ts'
import { executeContent } from './content.ts'
import { deposit, parseDepositCoins } from './deposits.ts'
import { validateParams } from './params.ts'
import * as state from './state.ts'
import { submit } from './submission.ts'
import { requireOption, vote, wholeVote } from './votes.ts'

export const messages = defineMessages(Msg, {
  /** Proposes messages that governance shall send, with a first deposit. */
  submitProposal: (ctx, message) => ({ proposalId: submit(ctx, message) }),

  /** Carries out a proposal of the old form. Governance only. */
  execLegacyContent(ctx, { authority, content }) {
    auth.ensureModuleAccount(ctx, state.account)
    requireGovernance(ctx, authority)
    executeContent(ctx, content)
    return {}
  },

  /** Votes for one option, in place of an earlier vote. */
  vote(ctx, { proposalId, voter, option, metadata }) {
    requireOption(option)
    vote(ctx, proposalId, address.parse(ctx, voter), wholeVote(option), metadata)
    return {}
  },

  /** Votes in parts that add up to one, in place of an earlier vote. */
  voteWeighted(ctx, { proposalId, voter, options, metadata }) {
    vote(ctx, proposalId, address.parse(ctx, voter), options, metadata)
    return {}
  },

  /** Adds to the deposit of a proposal, which opens its vote once there is enough. */
  deposit(ctx, { proposalId, depositor, amount }) {
    const opened = deposit(ctx, proposalId, address.parse(ctx, depositor), parseDepositCoins(amount))
    if (opened) ctx.emitEvent('proposal_deposit', { voting_period_start: proposalId.toString() })
    return {}
  },

  /** Replaces the parameters. Governance only. */
  updateParams: replaceParams(state.params, validateParams),
})
