/** Genesis of staking: validators, delegations, and the first validator set. */
import { create } from '@bufbuild/protobuf'
import { GenesisStateSchema } from '../../gen/sdk/staking/v1beta1/genesis_pb.ts'
import {
  BondStatus,
  type Delegation,
  type Redelegation,
  type UnbondingDelegation,
  type Validator,
  ValidatorUpdatesSchema,
} from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import { ValidatorUpdateSchema } from '../../gen/tendermint/abci/types_pb.ts'
import * as address from '../../identity/address.ts'
import { utf8 } from '../../primitives/bytes.ts'
import type { Context } from '../../sdk/context.ts'
import { withErrorPath } from '../../sdk/error-path.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { fromJson, nanoseconds, toJson } from '../../sdk/json.ts'
import type { GenesisHandlers } from '../../sdk/module.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import { afterDelegationModified, afterValidatorCreated, beforeDelegationCreated } from './hooks.ts'
import { params as currentParams, defaultParams, validateParams } from './params.ts'
import { enqueue as enqueueRedelegation, setRedelegation } from './redelegation.ts'
import * as state from './state.ts'
import { enqueue as enqueueUnbonding, setUnbonding } from './unbonding.ts'
import { enqueueValidator, updateValidatorSet } from './updates.ts'
import { parseRates } from './validation.ts'
import { consensusAddress, consensusKey, tokensOf } from './validator.ts'
import {
  getValidator,
  operatorBytes,
  operatorOf,
  REDELEGATION,
  recordUnbondingId,
  requireValidator,
  setByConsensusAddress,
  setByPower,
  setValidator,
  UNBONDING_DELEGATION,
  UNBONDING_VALIDATOR,
} from './validators.ts'

/** Throws sdk 18 unless a pool's balance covers the tokens of its validators. More can lie there: nobody owns it as a stake. */
function requirePool(ctx: Context, pool: typeof state.bondedPool | typeof state.notBondedPool, expected: bigint): void {
  const { bondDenom } = currentParams(ctx)
  const held = bank.balance(ctx, pool.address, bondDenom)
  if (held < expected) {
    throw sdkErrors.invalidRequest(
      `${pool.name} balance is different from its validators' tokens: ${held}${bondDenom} <-> ${expected}${bondDenom}`,
    )
  }
}

/** Throws staking 9 to 14 for commission rates that no message can set. Omitted rates are 0. */
function requireRates({ commission }: Validator): void {
  const rates = commission?.commissionRates
  if (!rates) return
  const { rate, maxRate, maxChangeRate } = rates
  parseRates({ ...rates, rate: rate || '0', maxRate: maxRate || '0', maxChangeRate: maxChangeRate || '0' })
}

function initValidator(ctx: Context, validator: Validator, isNew: boolean): void {
  requireRates(validator)
  const operator = operatorBytes(ctx, validator)
  if (getValidator(ctx, operator)) {
    throw sdkErrors.invalidRequest(`duplicate validator ${validator.operatorAddress}`)
  }
  if (operatorOf(ctx, consensusAddress(ctx.identity, validator))) {
    throw sdkErrors.invalidRequest(`another validator has the consensus key of ${validator.operatorAddress}`)
  }
  setValidator(ctx, validator)
  setByConsensusAddress(ctx, validator)
  setByPower(ctx, validator)
  if (isNew) afterValidatorCreated.run(ctx, { operator })
  if (validator.status !== BondStatus.UNBONDING) return
  enqueueValidator(ctx, validator)
  const key = state.validators.keyBytes(ctx, operator)
  for (const id of validator.unbondingIds) recordUnbondingId(ctx, id, UNBONDING_VALIDATOR, key)
}

function initDelegation(ctx: Context, delegation: Delegation, isNew: boolean): void {
  const delegator = address.parse(ctx, delegation.delegatorAddress)
  const pair = [delegator, address.parseValidator(ctx, delegation.validatorAddress)] as const
  if (state.delegations.get(ctx, pair)) {
    throw sdkErrors.invalidRequest(
      `duplicate delegation of ${delegation.delegatorAddress} to ${delegation.validatorAddress}`,
    )
  }
  const [, operator] = pair
  if (isNew) beforeDelegationCreated.run(ctx, { delegator, operator })
  const [delegatorAddress, validatorAddress] = [address.format(ctx, delegator), address.formatValidator(ctx, operator)]
  state.delegations.set(ctx, pair, { ...delegation, delegatorAddress, validatorAddress })
  if (isNew) afterDelegationModified.run(ctx, { delegator, operator })
}

function initUnbonding(ctx: Context, unbonding: UnbondingDelegation): void {
  const delegator = address.parse(ctx, unbonding.delegatorAddress)
  const pair = [delegator, address.parseValidator(ctx, unbonding.validatorAddress)] as const
  setUnbonding(ctx, pair, unbonding)
  for (const { unbondingId, completionTime } of unbonding.entries) {
    recordUnbondingId(ctx, unbondingId, UNBONDING_DELEGATION, state.unbondings.keyBytes(ctx, pair))
    enqueueUnbonding(ctx, pair, nanoseconds(completionTime))
  }
}

function initRedelegation(ctx: Context, redelegation: Redelegation): void {
  const { delegatorAddress, validatorSrcAddress, validatorDstAddress, entries } = redelegation
  const move = [
    address.parse(ctx, delegatorAddress),
    address.parseValidator(ctx, validatorSrcAddress),
    address.parseValidator(ctx, validatorDstAddress),
  ] as const
  setRedelegation(ctx, move, redelegation)
  for (const { completionTime, unbondingId } of entries) {
    recordUnbondingId(ctx, unbondingId, REDELEGATION, state.redelegations.keyBytes(ctx, move))
    enqueueRedelegation(ctx, move, nanoseconds(completionTime))
  }
}

export const genesis: GenesisHandlers = {
  defaults(ctx) {
    const params = defaultParams(ctx.identity.baseDenom)
    return toJson(ctx, GenesisStateSchema, create(GenesisStateSchema, { params, lastTotalPower: utf8('0') }))
  },
  init(ctx, json) {
    const data = fromJson(ctx, GenesisStateSchema, json, 'staking')
    const params = data.params ?? defaultParams(ctx.identity.baseDenom)
    validateParams(params)
    state.params.set(ctx, params)
    auth.ensureModuleAccount(ctx, state.bondedPool)
    auth.ensureModuleAccount(ctx, state.notBondedPool)
    let bonded = 0n
    let notBonded = 0n
    for (const [i, validator] of data.validators.entries()) {
      withErrorPath(`validators[${i}]`, () => initValidator(ctx, validator, !data.exported))
      if (validator.status === BondStatus.BONDED) bonded += tokensOf(validator)
      else notBonded += tokensOf(validator)
    }
    for (const [i, delegation] of data.delegations.entries()) {
      withErrorPath(`delegations[${i}]`, () => initDelegation(ctx, delegation, !data.exported))
    }
    for (const [i, unbonding] of data.unbondingDelegations.entries()) {
      withErrorPath(`unbonding_delegations[${i}]`, () => initUnbonding(ctx, unbonding))
      for (const { balance } of unbonding.entries) notBonded += BigInt(balance)
    }
    for (const [i, redelegation] of data.redelegations.entries()) {
      withErrorPath(`redelegations[${i}]`, () => initRedelegation(ctx, redelegation))
    }
    requirePool(ctx, state.bondedPool, bonded)
    requirePool(ctx, state.notBondedPool, notBonded)
    if (!data.exported) {
      updateValidatorSet(ctx)
      return
    }
    let total = 0n
    const updates = data.lastValidatorPowers.map(({ address: text, power }) => {
      const operator = address.parseValidator(ctx, text)
      state.lastPowers.set(ctx, operator, power)
      total += power
      const value = consensusKey(ctx.identity, requireValidator(ctx, operator))
      return create(ValidatorUpdateSchema, { pubKey: { sum: { case: 'ed25519', value } }, power })
    })
    state.lastTotalPower.set(ctx, total)
    state.updates.set(ctx, create(ValidatorUpdatesSchema, { updates }))
  },
  export(ctx) {
    const lastValidatorPowers = [...state.lastPowers.iterate(ctx)].map(([operator, power]) => ({
      address: address.formatValidator(ctx, operator),
      power,
    }))
    return toJson(
      ctx,
      GenesisStateSchema,
      create(GenesisStateSchema, {
        params: currentParams(ctx),
        lastTotalPower: utf8((state.lastTotalPower.get(ctx) ?? 0n).toString()),
        lastValidatorPowers,
        validators: [...state.validators.iterate(ctx)].map(([, validator]) => validator),
        delegations: [...state.delegations.iterate(ctx)].map(([, delegation]) => delegation),
        unbondingDelegations: [...state.unbondings.iterate(ctx)].map(([, unbonding]) => unbonding),
        redelegations: [...state.redelegations.iterate(ctx)].map(([, redelegation]) => redelegation),
        exported: true,
      }),
    )
  },
}
