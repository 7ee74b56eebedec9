/** Delegations: making them, and the coins behind them. */
import { create } from '@bufbuild/protobuf'
import {
  BondStatus,
  type Delegation,
  DelegationSchema,
  type Validator,
} from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import * as address from '../../identity/address.ts'
import * as decimal from '../../primitives/decimal.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import type { ModuleAccount } from '../../sdk/module-account.ts'
import * as bank from '../bank/keeper.ts'
import { errors } from './errors.ts'
import { params } from './params.ts'
import * as state from './state.ts'
import { sharesOf, tokensOf, withTokens } from './validator.ts'
import { operatorBytes, replaceValidator } from './validators.ts'

export function getDelegation(ctx: ReadContext, delegator: Uint8Array, operator: Uint8Array): Delegation | undefined {
  return state.delegations.get(ctx, [delegator, operator])
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
  bank.delegate(ctx, delegator, poolOf(validator), { denom: params(ctx).bondDenom, amount })
  return addShares(ctx, delegator, validator, amount)
}

/** Books tokens that already are in the validator's pool. */
export function addShares(
  ctx: Context,
  delegator: Uint8Array,
  before: Validator,
  amount: bigint,
): { readonly validator: Validator; readonly shares: decimal.Decimal } {
  const operator = operatorBytes(ctx, before)
  const { validator, shares } = withTokens(before, amount)
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
  return { validator, shares }
}
