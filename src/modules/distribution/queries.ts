/** sdk.distribution.v1beta1.Query */
import { Query } from '../../gen/sdk/distribution/v1beta1/query_pb.ts'
import * as address from '../../identity/address.ts'
import { add, type DecCoins, encode, NONE } from '../../primitives/dec-coin.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { defineQueries } from '../../sdk/module.ts'
import { parseField, wrongField } from '../../sdk/request.ts'
import * as staking from '../staking/keeper.ts'
import { errors } from './errors.ts'
import { params } from './params.ts'
import { communityPool } from './pool.ts'
import { commission, outstandingRewards, rewardsSoFar, withdrawAddress } from './rewards.ts'
import * as state from './state.ts'

function parseOperator(ctx: ReadContext, text: string): Uint8Array {
  if (text === '') throw wrongField('validator_address', 'empty validator address')
  return parseField('validator_address', () => address.parseValidator(ctx, text))
}

function parseDelegator(ctx: ReadContext, text: string): Uint8Array {
  if (text === '') throw wrongField('delegator_address', 'empty delegator address')
  return parseField('delegator_address', () => address.parse(ctx, text))
}

/** Returns a validator by its text. Throws distribution 12 if it does not exist. */
function findValidator(ctx: ReadContext, text: string) {
  const operator = parseOperator(ctx, text)
  const validator = staking.getValidator(ctx, operator)
  if (!validator) throw errors.noValidator(text)
  return { operator, validator }
}

export const queries = defineQueries(Query, {
  params: (ctx) => ({ params: params(ctx) }),
  validatorDistributionInfo(ctx, { validatorAddress }) {
    const { operator } = findValidator(ctx, validatorAddress)
    const self = staking.getDelegation(ctx, operator, operator)
    return {
      operatorAddress: address.format(ctx, operator),
      selfBondRewards: encode(self ? rewardsSoFar(ctx, operator, operator) : NONE),
      commission: encode(commission(ctx, operator)),
    }
  },
  validatorOutstandingRewards(ctx, { validatorAddress }) {
    const operator = parseOperator(ctx, validatorAddress)
    return { rewards: { rewards: encode(outstandingRewards(ctx, operator)) } }
  },
  validatorCommission(ctx, { validatorAddress }) {
    const operator = parseOperator(ctx, validatorAddress)
    return { commission: { commission: encode(commission(ctx, operator)) } }
  },
  validatorSlashes(ctx, { validatorAddress, startingHeight, endingHeight, pagination }) {
    const operator = parseOperator(ctx, validatorAddress)
    if (endingHeight < startingHeight) {
      throw wrongField(
        'ending_height',
        `starting height greater than ending height: ${startingHeight} > ${endingHeight}`,
      )
    }
    const page = state.slashEvents.page(ctx, pagination, {
      prefix: [operator],
      filter: ([, height]) => height >= startingHeight && height <= endingHeight,
    })
    const slashes = page.entries.map(([, event]) => event)
    return { slashes, pagination: { nextKey: page.nextKey, total: page.total } }
  },
  delegationRewards(ctx, { delegatorAddress, validatorAddress }) {
    const delegator = parseDelegator(ctx, delegatorAddress)
    const { operator } = findValidator(ctx, validatorAddress)
    if (!staking.getDelegation(ctx, delegator, operator)) throw errors.noDelegation()
    return { rewards: encode(rewardsSoFar(ctx, operator, delegator)) }
  },
  delegationTotalRewards(ctx, { delegatorAddress }) {
    const delegator = parseDelegator(ctx, delegatorAddress)
    let total: DecCoins = NONE
    const rewards = staking.delegationsOf(ctx, delegator).map(({ validatorAddress }) => {
      const reward = rewardsSoFar(ctx, address.parseValidator(ctx, validatorAddress), delegator)
      total = add(total, reward)
      return { validatorAddress, reward: encode(reward) }
    })
    return { rewards, total: encode(total) }
  },
  delegatorValidators(ctx, { delegatorAddress }) {
    const delegator = parseDelegator(ctx, delegatorAddress)
    return { validators: staking.delegationsOf(ctx, delegator).map(({ validatorAddress }) => validatorAddress) }
  },
  delegatorWithdrawAddress(ctx, { delegatorAddress }) {
    const delegator = parseDelegator(ctx, delegatorAddress)
    return { withdrawAddress: address.format(ctx, withdrawAddress(ctx, delegator)) }
  },
  communityPool: (ctx) => ({ pool: encode(communityPool(ctx)) }),
})
