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
import { requireOption, singleVote, vote } from './votes.ts'

export const messages = defineMessages(Msg, {
  /** Submits a proposal with messages for governance to send, and a first deposit. */
  submitProposal: (ctx, message) => ({ proposalId: submit(ctx, message) }),

  /** Executes the content of a legacy proposal. Governance only. */
  execLegacyContent(ctx, { authority, content }) {
    auth.ensureModuleAccount(ctx, state.account)
    requireGovernance(ctx, authority)
    executeContent(ctx, content)
    return {}
  },

  /** Votes for one option and replaces an earlier vote. */
  vote(ctx, { proposalId, voter, option, metadata }) {
    requireOption(option)
    vote(ctx, proposalId, address.parse(ctx, voter), singleVote(option), metadata)
    return {}
  },

  /** Votes with weights that add up to 1 and replaces an earlier vote. */
  voteWeighted(ctx, { proposalId, voter, options, metadata }) {
    vote(ctx, proposalId, address.parse(ctx, voter), options, metadata)
    return {}
  },

  /** Adds to a deposit. Voting starts once the minimum deposit is reached. */
  deposit(ctx, { proposalId, depositor, amount }) {
    const opened = deposit(ctx, proposalId, address.parse(ctx, depositor), parseDepositCoins(amount))
    if (opened) ctx.emitEvent('proposal_deposit', { voting_period_start: proposalId.toString() })
    return {}
  },

  /** Replaces the parameters. Governance only. */
  updateParams: replaceParams(state.params, validateParams),
})
