/** sdk.gov.v1beta1.Msg: the legacy form of the same messages. */
import { create } from '@bufbuild/protobuf'
import type { WeightedVoteOption } from '../../gen/sdk/gov/v1/gov_pb.ts'
import { WeightedVoteOptionSchema } from '../../gen/sdk/gov/v1/gov_pb.ts'
import { MsgExecLegacyContentSchema, MsgSubmitProposalSchema as SubmitSchema } from '../../gen/sdk/gov/v1/tx_pb.ts'
import type { WeightedVoteOption as LegacyOption } from '../../gen/sdk/gov/v1beta1/gov_pb.ts'
import {
  Msg,
  MsgDepositSchema,
  MsgSubmitProposalSchema,
  MsgVoteSchema,
  MsgVoteWeightedSchema,
} from '../../gen/sdk/gov/v1beta1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import * as decimal from '../../primitives/decimal.ts'
import { governance } from '../../sdk/authority.ts'
import { defineMessages, validation } from '../../sdk/module.ts'
import { pack } from '../../sdk/packed.ts'
import { parseContent } from './content.ts'
import { parseDepositCoins } from './deposits.ts'
import { messages as current } from './messages.ts'
import { checkDeposit, checkVote } from './validation.ts'
import { requireOptions } from './votes.ts'

/** Converts weights to the form of v1: text with 18 decimals. */
function optionsOf(options: readonly LegacyOption[]): WeightedVoteOption[] {
  return options.map(({ option, weight }) =>
    create(WeightedVoteOptionSchema, {
      option: option,
      weight: decimal.format(decimal.decode(weight) ?? decimal.zero),
    }),
  )
}

export const legacyMessages = defineMessages(Msg, {
  /** Submits a content, wrapped in a message that governance sends. */
  submitProposal(ctx, { content, initialDeposit, proposer }) {
    const { title, description } = parseContent(ctx, content)
    const execution = create(MsgExecLegacyContentSchema, {
      authority: address.format(ctx, governance),
      ...(content && { content }),
    })
    const { proposalId } = current.submitProposal(
      ctx,
      create(SubmitSchema, {
        messages: [pack(ctx, MsgExecLegacyContentSchema, execution)],
        initialDeposit,
        proposer,
        title,
        summary: description,
      }),
    )
    return { proposalId }
  },

  vote(ctx, { proposalId, voter, option }) {
    current.vote(ctx, { proposalId, voter, option: option })
    return {}
  },

  voteWeighted(ctx, { proposalId, voter, options }) {
    current.voteWeighted(ctx, { proposalId, voter, options: optionsOf(options) })
    return {}
  },

  deposit(ctx, { proposalId, depositor, amount }) {
    current.deposit(ctx, { proposalId, depositor, amount })
    return {}
  },
})

export const legacyValidations = [
  validation(MsgSubmitProposalSchema, (ctx, { proposer, initialDeposit, content }) => {
    address.parse(ctx, proposer)
    parseDepositCoins(initialDeposit)
    parseContent(ctx, content)
  }),
  validation(MsgDepositSchema, checkDeposit),
  validation(MsgVoteSchema, checkVote),
  validation(MsgVoteWeightedSchema, (ctx, { voter, options }) => {
    address.parse(ctx, voter)
    requireOptions(optionsOf(options))
  }),
]
