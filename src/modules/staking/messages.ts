/** sdk.staking.v1beta1.Msg */
import { create } from '@bufbuild/protobuf'
import {
  BondStatus,
  type Commission,
  CommissionSchema,
  type Validator,
  ValidatorSchema,
} from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import { Msg } from '../../gen/sdk/staking/v1beta1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import * as decimal from '../../primitives/decimal.ts'
import { formatRfc3339, NS_PER_SECOND, toTimestamp } from '../../primitives/time.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { replaceParams } from '../../sdk/governed-params.ts'
import { nanoseconds } from '../../sdk/json.ts'
import { defineMessages } from '../../sdk/module.ts'
import { decodePublicKey, encodePublicKey } from '../../sdk/public-key.ts'
import * as bank from '../bank/keeper.ts'
import { delegate } from './delegation.ts'
import { errors } from './errors.ts'
import { afterValidatorCreated, beforeValidatorCreated } from './hooks.ts'
import { params as currentParams, MAX_COMMISSION, requireBondDenom, validateParams } from './params.ts'
import { redelegate } from './redelegation.ts'
import * as state from './state.ts'
import { cancelUnbonding, undelegate } from './unbonding.ts'
import {
  editedDescription,
  encodeRates,
  parseCancel,
  parseCreateValidator,
  parseDelegate,
  parseEdit,
  parseRates,
  parseRedelegate,
  parseUndelegate,
  type Rates,
} from './validation.ts'
import { consensusAddress, tokensOf } from './validator.ts'
import {
  getValidator,
  operatorOf,
  requireValidator,
  setByConsensusAddress,
  setByPower,
  setValidator,
} from './validators.ts'

const DAY_NS = 86_400n * NS_PER_SECOND

/** Returns a time as RFC 3339 text, truncated to whole seconds. */
function timeText(timeNs: bigint): string {
  return formatRfc3339({ ...toTimestamp(timeNs), nanos: 0 })
}

function ratesOf(validator: Validator): Rates {
  return parseRates(validator.commission!.commissionRates!)
}

function commissionText(validator: Validator): string {
  return decimal.format(ratesOf(validator).rate)
}

/** Throws staking 40 for a rate below the minimum, sdk 18 for one above the maximum. */
function requireAllowedRate(ctx: ReadContext, rate: decimal.Decimal): void {
  const minimum = decimal.decode(currentParams(ctx).minCommissionRate) ?? decimal.zero
  if (rate < minimum) {
    throw errors.commissionBelowMinimum(
      `cannot set validator commission to less than minimum rate of ${decimal.format(minimum)}`,
    )
  }
  if (rate > MAX_COMMISSION) {
    throw sdkErrors.invalidRequest(`commission rate must not exceed ${decimal.format(MAX_COMMISSION)}`)
  }
}

/** Returns a validator's commission with a new rate. Throws staking 11, 12, 15, 40, sdk 18. */
function editedCommission(ctx: ReadContext, validator: Validator, rate: decimal.Decimal): Commission {
  const { maxRate, maxChangeRate, rate: before } = ratesOf(validator)
  if (ctx.block.timeNs - nanoseconds(validator.commission!.updateTime) < DAY_NS) throw errors.commissionUpdateTime()
  if (rate > maxRate) throw errors.commissionAboveMaxRate()
  const change = rate > before ? rate - before : before - rate
  if (change > maxChangeRate) throw errors.commissionAboveMaxChangeRate()
  requireAllowedRate(ctx, rate)
  return create(CommissionSchema, {
    commissionRates: { ...validator.commission!.commissionRates!, rate: decimal.encode(rate) },
    updateTime: toTimestamp(ctx.block.timeNs),
  })
}

const replace = replaceParams(state.params, validateParams)

export const messages = defineMessages(Msg, {
  /** Creates a validator with its first delegation. It joins the set by its power at the end of the block. */
  createValidator(ctx, message) {
    const { operator, value, description, rates, minSelfDelegation, publicKey } = parseCreateValidator(ctx, message)
    requireAllowedRate(ctx, rates.rate)
    if (getValidator(ctx, operator)) throw errors.operatorExists()
    const consensus = consensusAddress(ctx.identity, { consensusPubkey: publicKey })
    if (operatorOf(ctx, consensus)) throw errors.publicKeyExists()
    beforeValidatorCreated.run(ctx, { consensus, operator })
    requireBondDenom(ctx, value)
    const operatorText = address.formatValidator(ctx, operator)
    const validator = create(ValidatorSchema, {
      operatorAddress: operatorText,
      consensusPubkey: encodePublicKey(ctx.identity, decodePublicKey(ctx.identity, publicKey)),
      status: BondStatus.UNBONDED,
      tokens: '0',
      delegatorShares: '0',
      description,
      unbondingTime: toTimestamp(0n),
      commission: { commissionRates: encodeRates(rates), updateTime: toTimestamp(ctx.block.timeNs) },
      minSelfDelegation: minSelfDelegation.toString(),
    })
    setValidator(ctx, validator)
    setByConsensusAddress(ctx, validator)
    setByPower(ctx, validator)
    afterValidatorCreated.run(ctx, { operator })
    delegate(ctx, operator, validator, value.amount)
    const amount = `${value.amount}${value.denom}`
    ctx.emitEvent('create_validator', { validator: operatorText, amount })
    return {}
  },

  /**
   * Edits a validator's description, commission and minimum self-delegation. The commission changes at most once a day,
   * within its own limits.
   */
  editValidator(ctx, message) {
    const { operator, description, rate, minimum } = parseEdit(ctx, message)
    const validator = requireValidator(ctx, operator)
    const edited = { ...validator, description: editedDescription(validator.description!, description) }
    if (rate !== undefined) edited.commission = editedCommission(ctx, validator, rate)
    if (minimum !== undefined) {
      if (minimum <= BigInt(validator.minSelfDelegation)) throw errors.minSelfDelegationDecreased()
      if (minimum > tokensOf(validator)) throw errors.selfDelegationBelowMinimum()
      edited.minSelfDelegation = minimum.toString()
    }
    setValidator(ctx, edited)
    ctx.emitEvent('edit_validator', {
      commission_rate: commissionText(edited),
      min_self_delegation: edited.minSelfDelegation,
    })
    return {}
  },

  /** Delegates tokens to a validator. Locked coins are used first. */
  delegate(ctx, message) {
    const { delegator, operator, coin } = parseDelegate(ctx, message)
    const validator = requireValidator(ctx, operator)
    requireBondDenom(ctx, coin)
    const { shares } = delegate(ctx, delegator, validator, coin.amount)
    ctx.emitEvent('delegate', {
      validator: address.formatValidator(ctx, operator),
      delegator: address.format(ctx, delegator),
      amount: `${coin.amount}${coin.denom}`,
      new_shares: decimal.format(shares),
    })
    return {}
  },

  /** Moves tokens to another validator immediately. */
  beginRedelegate(ctx, message) {
    const { delegator, source, destination, coin } = parseRedelegate(ctx, message)
    const endNs = redelegate(ctx, [delegator, source, destination], coin)
    ctx.emitEvent('redelegate', {
      source_validator: address.formatValidator(ctx, source),
      destination_validator: address.formatValidator(ctx, destination),
      amount: `${coin.amount}${coin.denom}`,
      completion_time: timeText(endNs),
    })
    return { completionTime: toTimestamp(endNs) }
  },

  /** Undelegates tokens from a validator. They are paid out after the unbonding time. */
  undelegate(ctx, message) {
    const { delegator, operator, coin } = parseUndelegate(ctx, message)
    const endNs = undelegate(ctx, [delegator, operator], coin)
    ctx.emitEvent('unbond', {
      validator: address.formatValidator(ctx, operator),
      amount: `${coin.amount}${coin.denom}`,
      delegator: address.format(ctx, delegator),
      completion_time: timeText(endNs),
    })
    return { completionTime: toTimestamp(endNs) }
  },

  /** Delegates unbonding tokens back to their validator. */
  cancelUnbondingDelegation(ctx, message) {
    const { delegator, operator, coin } = parseCancel(ctx, message)
    requireBondDenom(ctx, coin)
    cancelUnbonding(ctx, [delegator, operator], coin, message.creationHeight)
    ctx.emitEvent('cancel_unbonding_delegation', {
      amount: `${coin.amount}${coin.denom}`,
      validator: address.formatValidator(ctx, operator),
      delegator: address.format(ctx, delegator),
      creation_height: message.creationHeight.toString(),
    })
    return {}
  },

  /** Replaces all parameters. Governance only. Also throws sdk 18 for another bond denom while coins are staked. */
  updateParams(ctx, message) {
    const { bondDenom } = currentParams(ctx)
    const response = replace(ctx, message)
    if (currentParams(ctx).bondDenom === bondDenom) return response
    // The end of a block pays in the denom of the parameters, and must not fail.
    for (const pool of [state.bondedPool, state.notBondedPool]) {
      if (bank.balance(ctx, pool.address, bondDenom) === 0n) continue
      throw sdkErrors.invalidRequest(`the bond denom cannot change while ${bondDenom} is staked`)
    }
    return response
  },
})
