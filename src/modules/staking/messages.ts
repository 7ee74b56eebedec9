/** sdk.staking.v1beta1.Msg */
import { create } from '@bufbuild/protobuf'
import { BondStatus, ValidatorSchema } from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import { Msg } from '../../gen/sdk/staking/v1beta1/tx_pb.ts'
import type { Coin } from '../../primitives/coin.ts'
import * as decimal from '../../primitives/decimal.ts'
import { toTimestamp } from '../../primitives/time.ts'
import { requireGovernance } from '../../sdk/authority.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { defineMessages } from '../../sdk/module.ts'
import { delegate } from './delegation.ts'
import { errors } from './errors.ts'
import { params as currentParams, MAX_COMMISSION, validateParams } from './params.ts'
import * as state from './state.ts'
import { parseCreateValidator, parseDelegate } from './validation.ts'
import { consensusAddress } from './validator.ts'
import {
  getValidator,
  operatorOf,
  requireValidator,
  setByConsensusAddress,
  setByPower,
  setValidator,
} from './validators.ts'

/** Throws sdk 18 for a coin that cannot be staked. */
function requireBondDenom(ctx: ReadContext, { denom }: Coin): void {
  const expected = currentParams(ctx).bondDenom
  if (denom !== expected)
    throw sdkErrors.invalidRequest(`invalid coin denomination: got ${denom}, expected ${expected}`)
}

export const messages = defineMessages(Msg, {
  /** Declares a validator and delegates its first tokens; it joins the set by its power at the end of the block. */
  createValidator(ctx, message) {
    const { operator, value, description, commission, rates, minSelfDelegation, publicKey } = parseCreateValidator(
      ctx,
      message,
    )
    const minimum = decimal.decode(currentParams(ctx).minCommissionRate) ?? decimal.zero
    if (rates.rate < minimum)
      throw errors.commissionBelowMinimum(
        `cannot set validator commission to less than minimum rate of ${decimal.format(minimum)}`,
      )
    if (rates.rate > MAX_COMMISSION) {
      throw sdkErrors.invalidRequest(`commission rate must not exceed ${decimal.format(MAX_COMMISSION)}`)
    }
    if (getValidator(ctx, operator)) throw errors.operatorExists()
    if (operatorOf(ctx, consensusAddress(ctx.identity, { consensusPubkey: publicKey }))) throw errors.publicKeyExists()
    requireBondDenom(ctx, value)
    const validator = create(ValidatorSchema, {
      operatorAddress: message.validatorAddress,
      consensusPubkey: publicKey,
      status: BondStatus.UNBONDED,
      tokens: '0',
      delegatorShares: '0',
      description,
      unbondingTime: toTimestamp(0n),
      commission: { commissionRates: commission, updateTime: toTimestamp(ctx.block.timeNs) },
      minSelfDelegation: minSelfDelegation.toString(),
    })
    setValidator(ctx, validator)
    setByConsensusAddress(ctx, validator)
    setByPower(ctx, validator)
    delegate(ctx, operator, validator, value.amount)
    const amount = `${value.amount}${value.denom}`
    ctx.emitEvent('create_validator', { validator: message.validatorAddress, amount })
    return {}
  },

  editValidator() {
    throw sdkErrors.notSupported('editing validators comes with a later version of module staking')
  },

  /** Gives tokens to a validator. Locked coins go first. */
  delegate(ctx, message) {
    const { delegator, operator, coin } = parseDelegate(ctx, message)
    const validator = requireValidator(ctx, operator)
    requireBondDenom(ctx, coin)
    const { shares } = delegate(ctx, delegator, validator, coin.amount)
    ctx.emitEvent('delegate', {
      validator: message.validatorAddress,
      delegator: message.delegatorAddress,
      amount: `${coin.amount}${coin.denom}`,
      new_shares: decimal.format(shares),
    })
    return {}
  },

  beginRedelegate() {
    throw sdkErrors.notSupported('redelegation comes with a later version of module staking')
  },

  undelegate() {
    throw sdkErrors.notSupported('undelegation comes with a later version of module staking')
  },

  cancelUnbondingDelegation() {
    throw sdkErrors.notSupported('undelegation comes with a later version of module staking')
  },

  /** Replaces all parameters. Governance only. */
  updateParams(ctx, { authority, params }) {
    requireGovernance(ctx, authority)
    if (!params) throw sdkErrors.invalidRequest('params must be given')
    validateParams(params)
    state.params.set(ctx, params)
    return {}
  },
})
