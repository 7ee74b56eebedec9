/** Delegations and the coins that back them. */
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

/** Returns every delegation of a delegator, by operator. */
export function delegationsOf(ctx: ReadContext, delegator: Uint8Array): readonly Delegation[] {
  return [...state.delegations.iterate(ctx, { prefix: delegator })].map(([, delegation]) => delegation)
}

/** Returns the pool that contains a validator's tokens. */
export function poolOf(validator: Validator): ModuleAccount {
  return validator.status === BondStatus.BONDED ? state.bondedPool : state.notBondedPool
}

/** Delegates tokens to a validator. Returns the changed validator and the new shares. Throws staking 34, sdk 5, sdk 18. */
export function delegate(
  ctx: Context,
  delegator: Uint8Array,
  validator: Validator,
  amount: bigint,
): { readonly validator: Validator; readonly shares: decimal.Decimal } {
  if (tokensOf(validator) === 0n && sharesOf(validator) > 0n) throw errors.invalidExchangeRate()
  const held = beforeShares(ctx, delegator, validator)
  bank.delegate(ctx, delegator, poolOf(validator), { denom: params(ctx).bondDenom, amount })
  return addShares(ctx, delegator, validator, held, amount)
}

/**
 * Runs the hook before a delegation is created or grows, so that its rewards so far are paid first. Returns the delegation,
 * undefined if it is new.
 */
export function beforeShares(ctx: Context, delegator: Uint8Array, validator: Validator): Delegation | undefined {
  const operator = operatorBytes(ctx, validator)
  const held = getDelegation(ctx, delegator, operator)
  const hook = held ? beforeDelegationSharesModified : beforeDelegationCreated
  hook.run(ctx, { delegator, operator })
  return held
}

/**
 * Books tokens that are already in the validator's pool. `held` is the delegation that `beforeShares` returned. Throws sdk 18
 * for tokens worth less than one 10^-18 share: a delegation of no shares would outlive its validator, and corrupt the rewards
 * of the operator's next validator.
 */
export function addShares(
  ctx: Context,
  delegator: Uint8Array,
  before: Validator,
  held: Delegation | undefined,
  amount: bigint,
): { readonly validator: Validator; readonly shares: decimal.Decimal } {
  const operator = operatorBytes(ctx, before)
  const { validator, shares } = withTokens(before, amount)
  if (shares === 0n) throw sdkErrors.invalidRequest(`${amount} is too little for a share of ${before.operatorAddress}`)
  replaceValidator(ctx, before, validator)
  const total = (held ? (decimal.decode(held.shares) ?? 0n) : 0n) + shares
  state.delegations.set(
    ctx,
    [delegator, operator],
    create(DelegationSchema, {
      delegatorAddress: address.format(ctx, delegator),
      validatorAddress: address.formatValidator(ctx, operator),
      shares: total.toString(),
    }),
  )
  afterDelegationModified.run(ctx, { delegator, operator })
  return { validator, shares }
}

/** Jails a validator: removes it from the index by power, and at the end of the block from the set. */
function jail(ctx: Context, validator: Validator): void {
  setValidator(ctx, { ...validator, jailed: true })
  deleteByPower(ctx, validator)
}

/** Returns the shares that an amount is worth. Throws staking 3, 19, 22, and sdk 18 if the delegator has fewer shares. */
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
 * Removes shares from a delegation. Returns the tokens they were worth, which remain in the validator's pool. Jails an operator
 * whose self-delegation falls below its minimum. Throws staking 3, 20, 24.
 */
export function unbond(ctx: Context, delegator: Uint8Array, operator: Uint8Array, shares: decimal.Decimal): bigint {
  const delegation = getDelegation(ctx, delegator, operator)
  if (!delegation) throw errors.noDelegator()
  beforeDelegationSharesModified.run(ctx, { delegator, operator })
  const held = decimal.decode(delegation.shares) ?? decimal.zero
  if (held < shares) throw errors.notEnoughShares(decimal.format(held))
  const rest = decimal.fromRaw(held - shares)
  let current = requireValidator(ctx, operator)
  const remaining = decimal.truncate(tokensFromShares(current, rest))
  if (equal(delegator, operator) && !current.jailed && remaining < BigInt(current.minSelfDelegation || '0')) {
    jail(ctx, current)
    current = requireValidator(ctx, operator)
  }
  if (rest === 0n) state.delegations.delete(ctx, [delegator, operator])
  else {
    state.delegations.set(ctx, [delegator, operator], { ...delegation, shares: decimal.encode(rest) })
    afterDelegationModified.run(ctx, { delegator, operator })
  }
  const { validator, tokens } = withoutShares(current, shares)
  replaceValidator(ctx, current, validator)
  if (sharesOf(validator) === 0n && validator.status === BondStatus.UNBONDED) removeValidator(ctx, validator)
  return tokens
}

/** Moves tokens between the bonded and the not bonded pool. Does nothing if both pools are the same. */
export function movePool(ctx: Context, from: ModuleAccount, to: ModuleAccount, amount: bigint): void {
  if (from.name === to.name || amount === 0n) return
  bank.sendToModule(ctx, from.address, to, [{ denom: params(ctx).bondDenom, amount }])
}
