/** sdk.distribution.v1beta1.Msg */
import { Msg } from '../../gen/sdk/distribution/v1beta1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { type Coin, type CoinText, format, toText, tryParseList } from '../../primitives/coin.ts'
import { requireGovernance } from '../../sdk/authority.ts'
import { withoutGas } from '../../sdk/create-context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { replaceParams } from '../../sdk/governed-params.ts'
import { defineMessages } from '../../sdk/module.ts'
import * as fees from '../fees/keeper.ts'
import { errors } from './errors.ts'
import { params, validateParams } from './params.ts'
import { fundCommunityPool, spendCommunityPool } from './pool.ts'
import { payCommission } from './rewards.ts'
import * as state from './state.ts'
import { withdrawRewards } from './withdraw.ts'

/** Parses coins. Throws sdk 10 unless they are valid and not empty. */
function parseCoins(list: readonly CoinText[]): readonly Coin[] {
  const coins = tryParseList(list)
  if (!coins || coins.length === 0) {
    throw sdkErrors.invalidCoins(list.map(({ denom, amount }) => `${amount}${denom}`).join(','))
  }
  return coins
}

export const messages = defineMessages(Msg, {
  /** Sets the address that receives a delegator's rewards. */
  setWithdrawAddress(ctx, { delegatorAddress, withdrawAddress }) {
    const delegator = address.parse(ctx, delegatorAddress)
    const target = address.parse(ctx, withdrawAddress)
    if (ctx.app.isBlocked(target)) {
      throw sdkErrors.unauthorized(`${withdrawAddress} is not allowed to receive external funds`)
    }
    if (!params(ctx).withdrawAddrEnabled) throw errors.withdrawAddressFixed()
    ctx.emitEvent('set_withdraw_address', { withdraw_address: address.format(ctx, target) })
    state.withdrawAddresses.set(ctx, delegator, target)
    return {}
  },

  /** Pays a delegator its rewards from one validator. */
  withdrawDelegatorReward(ctx, { delegatorAddress, validatorAddress }) {
    const delegator = address.parse(ctx, delegatorAddress)
    const paid = withdrawRewards(ctx, delegator, address.parseValidator(ctx, validatorAddress))
    return { amount: paid.map(toText) }
  },

  /** Pays a validator its commission. */
  withdrawValidatorCommission(ctx, { validatorAddress }) {
    return { amount: payCommission(ctx, address.parseValidator(ctx, validatorAddress)).map(toText) }
  },

  /** Transfers coins of the denoms of fees to the community pool: every withdrawal reads and writes the whole pool. */
  fundCommunityPool(ctx, { amount, depositor }) {
    const coins = parseCoins(amount)
    const free = withoutGas(ctx)
    const refused = fees.findRefused(free, coins)
    if (refused) {
      const accepted = fees.acceptedDenoms(free).join(', ')
      throw sdkErrors.invalidCoins(`the community pool takes ${accepted}; got: ${format([refused])}`)
    }
    fundCommunityPool(ctx, address.parse(ctx, depositor), coins)
    return {}
  },

  /** Replaces the parameters. Governance only. */
  updateParams: replaceParams(state.params, validateParams),

  /** Pays coins from the community pool to an account. Governance only. */
  communityPoolSpend(ctx, { authority, recipient, amount }) {
    requireGovernance(ctx, authority)
    spendCommunityPool(ctx, address.parse(ctx, recipient), parseCoins(amount))
    return {}
  },
})
