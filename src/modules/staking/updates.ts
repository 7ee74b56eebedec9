/** The validator set at the end of a block, and its updates for the engine (docs/modules/staking.md#block-hooks). */
import { create } from '@bufbuild/protobuf'
import {
  BondStatus,
  ValAddressesSchema,
  type Validator,
  ValidatorUpdatesSchema,
} from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import { type ValidatorUpdate, ValidatorUpdateSchema } from '../../gen/tendermint/abci/types_pb.ts'
import * as address from '../../identity/address.ts'
import { ofEd25519 } from '../../primitives/address.ts'
import { equal, fromKey, toKey } from '../../primitives/bytes.ts'
import { toTimestamp } from '../../primitives/time.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { nanoseconds } from '../../sdk/json.ts'
import { movePool } from './delegation.ts'
import { afterValidatorBonded } from './hooks.ts'
import { params } from './params.ts'
import * as state from './state.ts'
import { consensusAddress, consensusKey, MAX_POWER, powerOf, sharesOf, tokensOf } from './validator.ts'
import {
  operatorBytes,
  removeValidator,
  replaceValidator,
  requireValidator,
  setValidator,
  takeUnbondingId,
  UNBONDING_VALIDATOR,
} from './validators.ts'

/** A validator update for the engine. Power 0 removes the validator. */
export interface PowerUpdate {
  /** Consensus address, 20 bytes. */
  readonly address: Uint8Array
  /** ed25519 key, 32 bytes. */
  readonly publicKey: Uint8Array
  readonly power: bigint
}

/** Returns the operators with power, strongest first, at most `max_validators`. Does not read validators without power. */
function strongest(ctx: ReadContext): readonly Uint8Array[] {
  const limit = params(ctx).maxValidators
  const found: Uint8Array[] = []
  for (const [[power], operator] of state.byPower.iterate(ctx, { reverse: true })) {
    if (found.length >= limit || power === 0n) break
    found.push(operator)
  }
  return found
}

/** Recomputes the set, moves tokens between the pools, and stores and returns the updates. */
export function updateValidatorSet(ctx: Context): readonly PowerUpdate[] {
  const left = new Map<string, bigint>()
  for (const [operator, power] of state.lastPowers.iterate(ctx)) left.set(toKey(operator), power)
  const changes: PowerUpdate[] = []
  let count = 0
  let totalPower = 0n
  let toBonded = 0n
  for (const operator of strongest(ctx)) {
    let validator = requireValidator(ctx, operator)
    const power = powerOf(validator)
    // The engine halts above this total power, so the remaining, weaker validators stay out of the set.
    if (totalPower + power > MAX_POWER) break
    if (validator.status !== BondStatus.BONDED) {
      toBonded += tokensOf(validator)
      validator = bond(ctx, validator)
    }
    const key = toKey(operator)
    if (left.get(key) !== power) {
      changes.push(update(ctx, validator, power))
      state.lastPowers.set(ctx, operator, power)
    }
    left.delete(key)
    count++
    totalPower += power
  }
  const leaving = [...left.keys()].sort((a, b) => (a < b ? -1 : 1)).map(fromKey)
  // The engine cannot run without validators: the last one remains with its power (D25).
  const last = count === 0 ? leaving.pop() : undefined
  if (last) totalPower += state.lastPowers.get(ctx, last) ?? 0n
  for (const operator of leaving) {
    const validator = beginUnbonding(ctx, requireValidator(ctx, operator))
    toBonded -= tokensOf(validator)
    state.lastPowers.delete(ctx, operator)
    changes.push(update(ctx, validator, 0n))
  }
  if (toBonded > 0n) movePool(ctx, state.notBondedPool, state.bondedPool, toBonded)
  else movePool(ctx, state.bondedPool, state.notBondedPool, -toBonded)
  if (changes.length > 0) state.lastTotalPower.set(ctx, totalPower)
  state.updates.set(ctx, create(ValidatorUpdatesSchema, { updates: changes.map(encodeUpdate) }))
  return changes
}

function update(ctx: ReadContext, validator: Validator, power: bigint): PowerUpdate {
  return {
    address: consensusAddress(ctx.identity, validator),
    publicKey: consensusKey(ctx.identity, validator),
    power,
  }
}

function encodeUpdate({ publicKey, power }: PowerUpdate): ValidatorUpdate {
  return create(ValidatorUpdateSchema, { pubKey: { sum: { case: 'ed25519', value: publicKey } }, power })
}

function bond(ctx: Context, before: Validator): Validator {
  const validator = { ...before, status: BondStatus.BONDED }
  replaceValidator(ctx, before, validator)
  // The Cosmos SDK also updates the queue for a validator that was never in it, and deletes a missing entry.
  removeFromQueue(ctx, before)
  afterValidatorBonded.run(ctx, {
    consensus: consensusAddress(ctx.identity, validator),
    operator: operatorBytes(ctx, validator),
  })
  return validator
}

function beginUnbonding(ctx: Context, before: Validator): Validator {
  const endNs = ctx.block.timeNs + nanoseconds(params(ctx).unbondingTime)
  const operator = operatorBytes(ctx, before)
  const id = takeUnbondingId(ctx, UNBONDING_VALIDATOR, state.validators.keyBytes(ctx, operator))
  const { seconds, nanos } = toTimestamp(endNs)
  const validator: Validator = {
    ...before,
    status: BondStatus.UNBONDING,
    unbondingTime: { ...before.unbondingTime!, seconds, nanos },
    unbondingHeight: ctx.block.height,
    unbondingIds: [...before.unbondingIds, id],
  }
  replaceValidator(ctx, before, validator)
  enqueueValidator(ctx, validator)
  return validator
}

/** Adds an unbonding validator to the queue of those that complete at the same time and height. */
export function enqueueValidator(ctx: Context, validator: Validator): void {
  const key = [state.TIME_LENGTH, nanoseconds(validator.unbondingTime), validator.unbondingHeight] as const
  const addresses = state.validatorQueue.get(ctx, key)?.addresses ?? []
  addresses.push(address.canonicalValidator(ctx, validator.operatorAddress))
  state.validatorQueue.set(ctx, key, create(ValAddressesSchema, { addresses }))
}

function removeFromQueue(ctx: Context, validator: Validator): void {
  const key = [state.TIME_LENGTH, nanoseconds(validator.unbondingTime), validator.unbondingHeight] as const
  const operator = operatorBytes(ctx, validator)
  const rest = (state.validatorQueue.get(ctx, key)?.addresses ?? []).filter(
    (text) => !equal(address.parseValidator(ctx, text), operator),
  )
  if (rest.length === 0) state.validatorQueue.delete(ctx, key)
  else state.validatorQueue.set(ctx, key, create(ValAddressesSchema, { addresses: rest }))
}

/** Completes the unbonding of validators at their time, and removes those without delegators. */
export function completeValidators(ctx: Context): void {
  const { timeNs, height } = ctx.block
  const due = []
  for (const [key, { addresses }] of state.validatorQueue.iterate(ctx, { prefix: [state.TIME_LENGTH] })) {
    if (key[1] > timeNs) break
    if (key[2] <= height) due.push({ key, addresses })
  }
  for (const { key, addresses } of due) {
    for (const text of addresses) {
      const validator = requireValidator(ctx, address.parseValidator(ctx, text))
      // The ids remain in the record, as in the Cosmos SDK, although their index entries are deleted.
      const unbonded: Validator = { ...validator, status: BondStatus.UNBONDED }
      for (const id of validator.unbondingIds) state.unbondingIndex.delete(ctx, id)
      setValidator(ctx, unbonded)
      if (sharesOf(unbonded) === 0n) removeValidator(ctx, unbonded)
    }
    state.validatorQueue.delete(ctx, key)
  }
}

/** Returns the set of the engine, strongest first. */
export function validatorSet(ctx: ReadContext): readonly (PowerUpdate & { readonly moniker: string })[] {
  const set = [...state.lastPowers.iterate(ctx)].map(([operator, power]) => {
    const validator = requireValidator(ctx, operator)
    return { ...update(ctx, validator, power), moniker: validator.description?.moniker ?? '' }
  })
  return set.sort((a, b) => (a.power > b.power ? -1 : a.power < b.power ? 1 : 0))
}

/** Returns the updates of the last end of a block. */
export function updatesOfBlock(ctx: ReadContext): readonly PowerUpdate[] {
  const stored = state.updates.get(ctx)?.updates ?? []
  return stored.flatMap(({ pubKey, power }) => {
    if (pubKey?.sum.case !== 'ed25519') return []
    const publicKey = pubKey.sum.value
    return [{ address: ofEd25519(publicKey), publicKey, power }]
  })
}
