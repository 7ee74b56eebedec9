/** sdk.gov.v1.Query */
import { type Proposal, ProposalStatus, type TallyResult } from '../../gen/sdk/gov/v1/gov_pb.ts'
import { Query } from '../../gen/sdk/gov/v1/query_pb.ts'
import * as address from '../../identity/address.ts'
import { queryError } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { defineQueries } from '../../sdk/module.ts'
import { parseField, wrongField } from '../../sdk/request.ts'
import { params } from './params.ts'
import { noVotes } from './proposals.ts'
import * as state from './state.ts'
import { countVotes, resultOf } from './tally.ts'

function requireId(id: bigint): void {
  if (id === 0n) throw wrongField('proposal_id', 'proposal id can not be 0')
}

/** Returns a proposal. Throws 3 for id 0, 5 for an unknown id. */
function requireShown(ctx: ReadContext, id: bigint): Proposal {
  requireId(id)
  const proposal = state.proposals.get(ctx, id)
  if (!proposal) throw queryError('notFound', `proposal ${id} doesn't exist`)
  return proposal
}

/** Parses an address of a request. Throws 3. */
function parseAddress(ctx: ReadContext, field: string, text: string): Uint8Array {
  if (text === '') throw wrongField(field, `empty ${field} address`)
  return parseField(field, () => address.parse(ctx, text))
}

/** Returns the tally: zeros in the deposit period, the running count during the vote, the final result after it. */
function tallyOf(ctx: ReadContext, { id, status, finalTallyResult }: Proposal): TallyResult {
  if (status === ProposalStatus.DEPOSIT_PERIOD) return noVotes()
  if (status === ProposalStatus.VOTING_PERIOD) return resultOf(countVotes(ctx, id))
  return finalTallyResult ?? noVotes()
}

function isStatus(status: ProposalStatus): boolean {
  return status >= ProposalStatus.DEPOSIT_PERIOD && status <= ProposalStatus.FAILED
}

export const queries = defineQueries(Query, {
  proposal: (ctx, { proposalId }) => ({ proposal: requireShown(ctx, proposalId) }),

  proposals(ctx, { proposalStatus, voter, depositor, pagination }) {
    const voterBytes = voter === '' ? undefined : parseAddress(ctx, 'voter', voter)
    const depositorBytes = depositor === '' ? undefined : parseAddress(ctx, 'depositor', depositor)
    const filter = (id: bigint, { status }: Proposal): boolean =>
      (!isStatus(proposalStatus) || status === proposalStatus) &&
      (!voterBytes || state.votes.has(ctx, [id, voterBytes])) &&
      (!depositorBytes || state.deposits.has(ctx, [id, depositorBytes]))
    const { entries, nextKey, total } = state.proposals.page(ctx, pagination, { filter })
    return { proposals: entries.map(([, proposal]) => proposal), pagination: { nextKey, total } }
  },

  vote(ctx, { proposalId, voter }) {
    requireId(proposalId)
    const vote = state.votes.get(ctx, [proposalId, parseAddress(ctx, 'voter', voter)])
    if (!vote) throw queryError('notFound', `voter: ${voter} not found for proposal: ${proposalId}`)
    return { vote }
  },

  votes(ctx, { proposalId, pagination }) {
    requireId(proposalId)
    const { entries, nextKey, total } = state.votes.page(ctx, pagination, { prefix: proposalId })
    return { votes: entries.map(([, vote]) => vote), pagination: { nextKey, total } }
  },

  params(ctx, { paramsType }) {
    const all = params(ctx)
    const { votingPeriod, minDeposit, maxDepositPeriod, quorum, threshold, vetoThreshold } = all
    if (paramsType === 'voting') return { params: all, votingParams: { ...(votingPeriod && { votingPeriod }) } }
    if (paramsType === 'deposit') {
      return { params: all, depositParams: { minDeposit, ...(maxDepositPeriod && { maxDepositPeriod }) } }
    }
    if (paramsType === 'tallying') return { params: all, tallyParams: { quorum, threshold, vetoThreshold } }
    throw wrongField('params_type', `${paramsType} is not a valid parameter type`)
  },

  deposit(ctx, { proposalId, depositor }) {
    requireId(proposalId)
    const deposit = state.deposits.get(ctx, [proposalId, parseAddress(ctx, 'depositor', depositor)])
    if (!deposit) throw queryError('notFound', `depositor: ${depositor} not found for proposal: ${proposalId}`)
    return { deposit }
  },

  deposits(ctx, { proposalId, pagination }) {
    requireId(proposalId)
    const { entries, nextKey, total } = state.deposits.page(ctx, pagination, { prefix: proposalId })
    return { deposits: entries.map(([, deposit]) => deposit), pagination: { nextKey, total } }
  },

  tallyResult: (ctx, { proposalId }) => ({ tally: tallyOf(ctx, requireShown(ctx, proposalId)) }),
})
