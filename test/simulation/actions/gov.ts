/** Proposals of every kind of content, their deposits and their votes. */

import { MsgUpdateParamsSchema as DevgasUpdateSchema } from '../../../src/gen/chain/devgas/v1/tx_pb.ts'
import { MsgSetSendEnabledSchema } from '../../../src/gen/sdk/bank/v1beta1/tx_pb.ts'
import { MsgUpdateParamsSchema as ConsensusUpdateSchema } from '../../../src/gen/sdk/consensus/v1/tx_pb.ts'
import {
  MsgUpdateParamsSchema as DistributionUpdateSchema,
  MsgCommunityPoolSpendSchema,
} from '../../../src/gen/sdk/distribution/v1beta1/tx_pb.ts'
import { VoteOption } from '../../../src/gen/sdk/gov/v1/gov_pb.ts'
import {
  MsgDepositSchema,
  MsgExecLegacyContentSchema,
  MsgSubmitProposalSchema,
  MsgVoteSchema,
  MsgVoteWeightedSchema,
} from '../../../src/gen/sdk/gov/v1/tx_pb.ts'
import { type VoteOption as OldVoteOption, TextProposalSchema } from '../../../src/gen/sdk/gov/v1beta1/gov_pb.ts'
import {
  MsgDepositSchema as OldDepositSchema,
  MsgSubmitProposalSchema as OldSubmitSchema,
  MsgVoteSchema as OldVoteSchema,
} from '../../../src/gen/sdk/gov/v1beta1/tx_pb.ts'
import { MsgUpdateParamsSchema as StakingUpdateSchema } from '../../../src/gen/sdk/staking/v1beta1/tx_pb.ts'
import { MsgCancelUpgradeSchema, MsgSoftwareUpgradeSchema } from '../../../src/gen/sdk/upgrade/v1beta1/tx_pb.ts'
import {
  CancelSoftwareUpgradeProposalSchema,
  SoftwareUpgradeProposalSchema,
} from '../../../src/gen/sdk/upgrade/v1beta1/upgrade_pb.ts'
import * as consensus from '../../../src/modules/consensus/keeper.ts'
import * as devgas from '../../../src/modules/devgas/keeper.ts'
import * as distributionState from '../../../src/modules/distribution/state.ts'
import * as govState from '../../../src/modules/gov/state.ts'
import * as staking from '../../../src/modules/staking/keeper.ts'
import { ofModule } from '../../../src/primitives/address.ts'
import { type actors, operators } from '../actors.ts'
import type { Dice } from '../dice.ts'
import { coin, NATIVE, ONE, pack } from '../messages.ts'
import { accountText, anyAddress, anyDenom, type World } from '../world.ts'
import { type ActionKind, send } from './action.ts'

const authority = accountText(ofModule('gov'))
const TENTH = (10n ** 17n).toString()
/** Plans are so far ahead that no simulated chain reaches them. */
const FAR = 10_000_000n

const plan = ({ ctx }: World, dice: Dice) => ({
  name: `v${2 + dice.below(3)}`,
  height: ctx.block.height + FAR,
  info: '',
})

/** Returns a message that governance can send. */
function proposed(world: World, dice: Dice) {
  const { ctx } = world
  switch (dice.below(8)) {
    case 0:
      return pack(MsgCommunityPoolSpendSchema, {
        ...{ authority, recipient: accountText(anyAddress(world, dice)), amount: [coin(dice.amount(ONE))] },
      })
    case 1: {
      const denom = anyDenom(world, dice)
      return pack(MsgSetSendEnabledSchema, {
        authority,
        sendEnabled: [{ denom: denom === NATIVE && dice.chance(70) ? 'unothing' : denom, enabled: dice.chance(60) }],
        useDefaultFor: dice.chance(50) ? [NATIVE] : [],
      })
    }
    case 2:
      return pack(MsgSoftwareUpgradeSchema, { authority, plan: plan(world, dice) })
    case 3:
      return pack(MsgCancelUpgradeSchema, { authority })
    case 4: {
      const { params: found = {} } = { params: distributionState.params.get(ctx) }
      const communityTax = dice.pick(['0', TENTH])
      return pack(DistributionUpdateSchema, {
        authority,
        params: { ...found, communityTax, withdrawAddrEnabled: dice.chance(80) },
      })
    }
    case 5:
      return pack(StakingUpdateSchema, {
        authority,
        params: { ...staking.params(ctx), maxValidators: 2 + dice.below(5) },
      })
    case 6: {
      const found = devgas.params(ctx)
      return pack(DevgasUpdateSchema, {
        authority,
        params: { ...found, developerShares: TENTH, enableFeeShare: dice.chance(85) },
      })
    }
    default: {
      const { block, evidence, validator } = consensus.params(ctx)
      return pack(ConsensusUpdateSchema, {
        authority,
        block: { ...block!, maxGas: dice.chance(30) ? -1n : 60_000_000n },
        ...(evidence && { evidence }),
        ...(validator && { validator }),
      })
    }
  }
}

/** Returns a content of the old form. */
function content(world: World, dice: Dice) {
  const texts = { title: 'a title', description: 'a description' }
  switch (dice.below(3)) {
    case 0:
      return pack(TextProposalSchema, texts)
    case 1:
      return pack(SoftwareUpgradeProposalSchema, { ...texts, plan: plan(world, dice) })
    default:
      return pack(CancelSoftwareUpgradeProposalSchema, texts)
  }
}

const deposit = (dice: Dice) => [coin(dice.chance(70) ? 10n * ONE : dice.amount(10n * ONE))]

/** Returns the number of a proposal: usually one that is open. */
function anyProposal({ ctx, once }: World, dice: Dice): bigint | undefined {
  const open = once('proposals', () =>
    [...govState.proposals.iterate(ctx)].filter(([, { status }]) => status < 3).map(([id]) => id),
  )
  if (open.length === 0) return undefined
  return dice.chance(4) ? BigInt(dice.below(50)) : dice.pick(open)
}

/** Returns a voter: most of the time an operator, so that proposals reach their quorum. */
const voter = (dice: Dice, by: (typeof actors)[number]) => (dice.chance(70) ? dice.pick(operators) : by)

export const govActions: readonly ActionKind[] = [
  {
    name: 'gov.submit',
    weight: 2,
    wish: (world, dice, by) =>
      send(by, MsgSubmitProposalSchema, {
        proposer: by.text,
        initialDeposit: deposit(dice),
        messages: Array.from({ length: dice.below(10) === 0 ? 0 : 1 + dice.below(2) }, () => proposed(world, dice)),
        ...{ title: 'a title', summary: 'a summary', metadata: 'some metadata' },
      }),
  },
  {
    name: 'gov.submit the old content in the new form',
    weight: 0.5,
    wish: (world, dice, by) =>
      send(by, MsgSubmitProposalSchema, {
        proposer: by.text,
        initialDeposit: deposit(dice),
        messages: [pack(MsgExecLegacyContentSchema, { authority, content: content(world, dice) })],
        ...{ title: 'a title', summary: 'a summary' },
      }),
  },
  {
    name: 'gov.submitOld',
    weight: 1,
    wish: (world, dice, by) =>
      send(by, OldSubmitSchema, { proposer: by.text, initialDeposit: deposit(dice), content: content(world, dice) }),
  },
  {
    name: 'gov.deposit',
    weight: 2,
    wish(world, dice, by) {
      const proposalId = anyProposal(world, dice)
      if (proposalId === undefined) return undefined
      const amount = deposit(dice)
      const init = { proposalId, depositor: by.text, amount }
      return dice.chance(30) ? send(by, OldDepositSchema, init) : send(by, MsgDepositSchema, init)
    },
  },
  {
    name: 'gov.vote',
    weight: 8,
    wish(world, dice, by) {
      const proposalId = anyProposal(world, dice)
      if (proposalId === undefined) return undefined
      const signer = voter(dice, by)
      const option = dice.pick([1, 1, 1, 1, 1, 2, 3, 4])
      return dice.chance(20)
        ? send(signer, OldVoteSchema, { proposalId, voter: signer.text, option: option as OldVoteOption })
        : send(signer, MsgVoteSchema, { proposalId, voter: signer.text, option: option as VoteOption })
    },
  },
  {
    name: 'gov.voteWeighted',
    weight: 1.5,
    wish(world, dice, by) {
      const proposalId = anyProposal(world, dice)
      if (proposalId === undefined) return undefined
      const signer = voter(dice, by)
      const part = 1 + dice.below(99)
      const options = [
        { option: VoteOption.YES, weight: `0.${String(part).padStart(2, '0')}` },
        { option: VoteOption.NO, weight: `0.${String(100 - part).padStart(2, '0')}` },
      ]
      return send(signer, MsgVoteWeightedSchema, { proposalId, voter: signer.text, options })
    },
  },
]
