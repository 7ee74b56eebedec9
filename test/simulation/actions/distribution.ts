/** Rewards, commissions and the community pool. */
import {
  MsgFundCommunityPoolSchema,
  MsgSetWithdrawAddressSchema,
  MsgWithdrawDelegatorRewardSchema,
  MsgWithdrawValidatorCommissionSchema,
} from '../../../src/gen/sdk/distribution/v1beta1/tx_pb.ts'
import { coin, NATIVE, ONE } from '../messages.ts'
import { accountText, anyAddress, anyDenom, anyOperator, operatorText, spelled } from '../world.ts'
import { type ActionKind, send } from './action.ts'
import { operatorAmong, stakesOf } from './staking.ts'

export const distributionActions: readonly ActionKind[] = [
  {
    name: 'distribution.withdrawReward',
    weight: 4,
    wish(world, dice, by) {
      const held = stakesOf(world)
      const { owner, operator } = held.length > 0 ? dice.pick(held) : { owner: by, operator: anyOperator(world, dice) }
      return send(owner, MsgWithdrawDelegatorRewardSchema, {
        delegatorAddress: owner.text,
        validatorAddress: spelled(dice, operatorText(operator)),
      })
    },
  },
  {
    name: 'distribution.withdrawCommission',
    weight: 2,
    wish(world, dice, by) {
      const signer = operatorAmong(world, dice, by)
      return send(signer, MsgWithdrawValidatorCommissionSchema, { validatorAddress: spelled(dice, signer.operator) })
    },
  },
  {
    name: 'distribution.setWithdrawAddress',
    weight: 2,
    wish: (world, dice, by) =>
      send(by, MsgSetWithdrawAddressSchema, {
        delegatorAddress: by.text,
        withdrawAddress: spelled(dice, accountText(anyAddress(world, dice))),
      }),
  },
  {
    name: 'distribution.fundCommunityPool',
    weight: 1,
    wish: (world, dice, by) =>
      send(by, MsgFundCommunityPoolSchema, {
        depositor: by.text,
        amount: [coin(dice.amount(10n * ONE), dice.chance(30) ? anyDenom(world, dice) : NATIVE)],
      }),
  },
]
