/** Delegations: making them, and the coins behind them. */
import { create } from '@bufbuild/protobuf'
import {
  BondStatus,
  type Delegation,
  DelegationSchema,
  type Validator,
} from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import * as address from '../../identity/address.ts'
import { equal } from '../../primitives/bytes.ts'
import * as decimal from '../../primitives/decimal.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import type { ModuleAccount } from '../../sdk/module-account.ts'
import * as bank from '../bank/keeper.ts'
import { errors } from './errors.ts'
import { afterDelegationModified, beforeDelegationCreated, beforeDelegationSharesModified } from './hooks.ts'
import { params } from './params.ts'
import * as state from './state.ts'
import { sharesFromTokens, sharesOf, tokensFromShares, tokensOf, withoutShares, withTokens } from './validator.ts'
import {
  deleteByPower,
  operatorBytes,
  removeValidator,
  replaceValidator,
  requireValidator,
  setValidator,
} from './validators.ts'

export function getDelegation(ctx: ReadContext, delegator: Uint8Array, operator: Uint8Array): Delegation | undefined {
  return state.delegations.get(ctx, [delegator, operator])
}

/** Every delegation of a delegator, by operator. */
export function delegationsOf(ctx: ReadContext, delegator: Uint8Array): readonly Delegation[] {
  return [...state.delegations.iterate(ctx, { prefix: delegator })].map(([, delegation]) => delegation)
}

/** The pool that holds a validator's tokens. */
export function poolOf(validator: Validator): ModuleAccount {
  return validator.status === BondStatus.BONDED ? state.bondedPool : state.notBondedPool
}

/** Gives a delegator's tokens to a validator. Returns the new shares. Throws staking 34, sdk 5. */
export function delegate(
  ctx: Context,
  delegator: Uint8Array,
  validator: Validator,
  amount: bigint,
): { readonly validator: Validator; readonly shares: decimal.Decimal } {
  if (tokensOf(validator) === 0n && sharesOf(validator) > 0n) throw errors.invalidExchangeRate()
  beforeShares(ctx, delegator, validator)
  bank.delegate(ctx, delegator, poolOf(validator), { denom: params(ctx).bondDenom, amount })
  return addShares(ctx, delegator, validator, amount)
}

/** Tells that a delegation is about to be made or to grow: rewards so far are paid before it does. */
export function beforeShares(ctx: Context, delegator: Uint8Array, validator: Validator): void {
  const operator = operatorBytes(ctx, validator)
  const hook = getDelegation(ctx, delegator, operator) ? beforeDelegationSharesModified : beforeDelegationCreated
  hook.run(ctx, { delegator, operator })
}

/**
 * Books tokens that already are in the validator's pool. `beforeShares` comes before. Throws sdk 18 for tokens that are no
 * share: such a delegation would outlive its validator, and disturb the rewards of the next one of that operator.
 */
export function addShares(
  ctx: Context,
  delegator: Uint8Array,
  before: Validator,
  amount: bigint,
): { readonly validator: Validator; readonly shares: decimal.Decimal } {
  const operator = operatorBytes(ctx, before)
  const { validator, shares } = withTokens(before, amount)
  if (shares === 0n) throw sdkErrors.invalidRequest(`${amount} is too little for a share of ${before.operatorAddress}`)
  replaceValidator(ctx, before, validator)
  const held = getDelegation(ctx, delegator, operator)
  const total = (held ? (decimal.decode(held.shares) ?? 0n) : 0n) + shares
  state.delegations.set(
    ctx,
    [delegator, operator],
    create(DelegationSchema, {
      delegatorAddress: address.format(ctx, delegator),
      validatorAddress: validator.operatorAddress,
      shares: total.toString(),
    }),
  )
  afterDelegationModified.run(ctx, { delegator, operator })
  return { validator, shares }
}

/** Jails a validator: it leaves the order by power, and the set at the end of the block. */
function jail(ctx: Context, validator: Validator): void {
  setValidator(ctx, { ...validator, jailed: true })
  deleteByPower(ctx, validator)
}

/** Shares that an amount stands for, at most all of the delegator's. Throws staking 3, 19, 22, sdk 18. */
export function sharesToUnbond(
  ctx: ReadContext,
  delegator: Uint8Array,
  operator: Uint8Array,
  amount: bigint,
): decimal.Decimal {
  const validator = requireValidator(ctx, operator)
  const delegation = getDelegation(ctx, delegator, operator)
  if (!delegation) throw errors.noDelegation()
  if (tokensOf(validator) === 0n) throw errors.insufficientShares()
  const held = decimal.decode(delegation.shares) ?? decimal.zero
  const shares = sharesFromTokens(validator, amount)
  if (shares > held) throw sdkErrors.invalidRequest('invalid shares amount')
  return shares
}

/**
 * Takes shares from a delegation. Returns the tokens they were worth, which stay in the validator's pool. An operator
 * left with less than it promised to hold is jailed. Throws staking 20, 24.
 */
export function unbond(ctx: Context, delegator: Uint8Array, operator: Uint8Array, shares: decimal.Decimal): bigint {
  const delegation = getDelegation(ctx, delegator, operator)
  if (!delegation) throw errors.noDelegator()
  beforeDelegationSharesModified.run(ctx, { delegator, operator })
  const held = decimal.decode(delegation.shares) ?? decimal.zero
  if (held < shares) throw errors.notEnoughShares(decimal.format(held))
  const rest = decimal.fromRaw(held - shares)
  const before = requireValidator(ctx, operator)
  const remaining = decimal.truncate(tokensFromShares(before, rest))
  if (equal(delegator, operator) && !before.jailed && remaining < BigInt(before.minSelfDelegation || '0')) {
    jail(ctx, before)
  }
  if (rest === 0n) state.delegations.delete(ctx, [delegator, operator])
  else {
    state.delegations.set(ctx, [delegator, operator], { ...delegation, shares: decimal.encode(rest) })
    afterDelegationModified.run(ctx, { delegator, operator })
  }
  const current = requireValidator(ctx, operator)
  const { validator, tokens } = withoutShares(current, shares)
  replaceValidator(ctx, current, validator)
  if (sharesOf(validator) === 0n && validator.status === BondStatus.UNBONDED) removeValidator(ctx, validator)
  return tokens
}

/** Moves tokens between the pools when what they belong to changes its standing. */
export function movePool(ctx: Context, from: ModuleAccount, to: ModuleAccount, amount: bigint): void {
  if (from.name === to.name || amount === 0n) return
  bank.send(ctx, from.address, to.address, [{ denom: params(ctx).bondDenom, amount }])
}
