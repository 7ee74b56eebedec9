/** sdk.gov.v1beta1.Query: the legacy form of the same answers. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Any } from '@bufbuild/protobuf/wkt'
import type { Deposit, Proposal, TallyResult, Vote } from '../../gen/sdk/gov/v1/gov_pb.ts'
import { type MsgExecLegacyContent, MsgExecLegacyContentSchema } from '../../gen/sdk/gov/v1/tx_pb.ts'
import type { DepositSchema, ProposalSchema, TallyResultSchema, VoteSchema } from '../../gen/sdk/gov/v1beta1/gov_pb.ts'
import { Query } from '../../gen/sdk/gov/v1beta1/query_pb.ts'
import { neutralTypeName } from '../../identity/type-name.ts'
import { utf8 } from '../../primitives/bytes.ts'
import * as decimal from '../../primitives/decimal.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { defineQueries } from '../../sdk/module.ts'
import { unpack } from '../../sdk/packed.ts'
import { decimalOf } from './params.ts'
import { queries as current } from './queries.ts'

/** Returns the content of a legacy proposal, else its only message, which legacy clients accept. Throws sdk 29. */
function contentOf(ctx: ReadContext, { messages }: Proposal): Any {
  const [only, ...more] = messages
  if (!only || more.length > 0) {
    throw sdkErrors.invalidType(
      "can't convert a gov/v1 Proposal to gov/v1beta1 Proposal when amount of proposal messages not exactly one",
    )
  }
  // A replica has proposals with messages of modules that this build does not have.
  const typeName = neutralTypeName(ctx.identity, only.typeUrl)
  if (typeName !== MsgExecLegacyContentSchema.typeName) return only
  const { message } = unpack(ctx, only)
  return (message as MsgExecLegacyContent).content ?? only
}

function tallyOf(tally: TallyResult | undefined): MessageInitShape<typeof TallyResultSchema> {
  if (!tally) return {}
  const { yesCount, abstainCount, noCount, noWithVetoCount } = tally
  return { yes: yesCount, abstain: abstainCount, no: noCount, noWithVeto: noWithVetoCount }
}

function proposalOf(ctx: ReadContext, proposal: Proposal): MessageInitShape<typeof ProposalSchema> {
  const { id, status, submitTime, depositEndTime, totalDeposit, votingStartTime, votingEndTime } = proposal
  return {
    proposalId: id,
    content: contentOf(ctx, proposal),
    status: status,
    finalTallyResult: tallyOf(proposal.finalTallyResult),
    totalDeposit,
    ...(submitTime && { submitTime }),
    ...(depositEndTime && { depositEndTime }),
    ...(votingStartTime && { votingStartTime }),
    ...(votingEndTime && { votingEndTime }),
  }
}

function voteOf({ proposalId, voter, options }: Vote): MessageInitShape<typeof VoteSchema> {
  return {
    proposalId,
    voter,
    options: options.map(({ option, weight }) => ({
      option: option,
      weight: decimal.encode(decimalOf(weight)),
    })),
  }
}

function depositOf({ proposalId, depositor, amount }: Deposit): MessageInitShape<typeof DepositSchema> {
  return { proposalId, depositor, amount }
}

const wire = (text: string): Uint8Array => utf8(decimal.encode(decimalOf(text)))

export const legacyQueries = defineQueries(Query, {
  proposal: (ctx, request) => ({
    proposal: proposalOf(ctx, current.proposal(ctx, { proposalId: request.proposalId }).proposal!),
  }),

  proposals(ctx, { proposalStatus, voter, depositor, pagination }) {
    const answer = current.proposals(ctx, {
      proposalStatus: proposalStatus,
      voter,
      depositor,
      ...(pagination && { pagination }),
    })
    return {
      proposals: answer.proposals.map((proposal) => proposalOf(ctx, proposal)),
      ...(answer.pagination && { pagination: answer.pagination }),
    }
  },

  vote: (ctx, { proposalId, voter }) => ({ vote: voteOf(current.vote(ctx, { proposalId, voter }).vote!) }),

  votes(ctx, { proposalId, pagination }) {
    const answer = current.votes(ctx, { proposalId, ...(pagination && { pagination }) })
    return { votes: answer.votes.map(voteOf), ...(answer.pagination && { pagination: answer.pagination }) }
  },

  params(ctx, { paramsType }) {
    const { depositParams, votingParams, tallyParams } = current.params(ctx, { paramsType })
    return {
      ...(depositParams && {
        depositParams: {
          minDeposit: depositParams.minDeposit,
          ...(depositParams.maxDepositPeriod && { maxDepositPeriod: depositParams.maxDepositPeriod }),
        },
      }),
      ...(votingParams?.votingPeriod && { votingParams: { votingPeriod: votingParams.votingPeriod } }),
      ...(tallyParams && {
        tallyParams: {
          quorum: wire(tallyParams.quorum),
          threshold: wire(tallyParams.threshold),
          vetoThreshold: wire(tallyParams.vetoThreshold),
        },
      }),
    }
  },

  deposit: (ctx, { proposalId, depositor }) => ({
    deposit: depositOf(current.deposit(ctx, { proposalId, depositor }).deposit!),
  }),

  deposits(ctx, { proposalId, pagination }) {
    const answer = current.deposits(ctx, { proposalId, ...(pagination && { pagination }) })
    return { deposits: answer.deposits.map(depositOf), ...(answer.pagination && { pagination: answer.pagination }) }
  },

  tallyResult: (ctx, { proposalId }) => ({ tally: tallyOf(current.tallyResult(ctx, { proposalId }).tally) }),
})
