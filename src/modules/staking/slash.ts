/**
 * Slashes of a validator's tokens and of tokens that left it since the infraction, and jail
 * (docs/modules/staking.md#formulas).
 */
import {
  BondStatus,
  type Redelegation,
  type UnbondingDelegation,
  type UnbondingDelegationEntry,
  type Validator,
} from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import * as address from '../../identity/address.ts'
import * as decimal from '../../primitives/decimal.ts'
import { ChainError } from '../../primitives/errors.ts'
import type { Context } from '../../sdk/context.ts'
import { nanoseconds } from '../../sdk/json.ts'
import * as bank from '../bank/keeper.ts'
import { getDelegation, poolOf, unbond } from './delegation.ts'
import { beforeValidatorSlashed } from './hooks.ts'
import { params } from './params.ts'
import * as state from './state.ts'
import { getUnbonding, setUnbonding } from './unbonding.ts'
import { POWER_REDUCTION, tokensOf } from './validator.ts'
import { deleteByPower, getValidator, operatorOf, replaceValidator, setByPower, setValidator } from './validators.ts'

export interface Infraction {
  /** Consensus address of the validator. */
  readonly consensus: Uint8Array
  /** Height from which unbonding and redelegated tokens are slashed too. Can be negative. */
  readonly height: bigint
  /** Power of the validator in the engine at that height. */
  readonly power: bigint
  readonly fraction: decimal.Decimal
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b)

function burn(ctx: Context, pool: typeof state.bondedPool | typeof state.notBondedPool, amount: bigint): void {
  if (amount > 0n) bank.burn(ctx, pool, [{ denom: params(ctx).bondDenom, amount }])
}

/** Returns the fraction of an amount, truncated. */
function fractionOf(amount: bigint, fraction: decimal.Decimal): bigint {
  return decimal.truncate(decimal.fromRaw(fraction * amount))
}

/**
 * Burns the fraction of the power at the time: first from tokens that have begun to leave since, the rest from the validator's
 * tokens. Returns the amount burned from the latter. Does nothing for a validator that is removed or unbonded.
 */
export function slash(ctx: Context, { consensus, height, power, fraction }: Infraction): bigint {
  const operator = operatorOf(ctx, consensus)
  const validator = operator && getValidator(ctx, operator)
  if (!operator || !validator || validator.status === BondStatus.UNBONDED) return 0n
  let rest = fractionOf(power * POWER_REDUCTION, fraction)
  if (height < ctx.block.height) {
    const unbonding = [...state.unbondingsByValidator.iterate(ctx, { prefix: operator })]
    for (const [, delegator] of unbonding) rest -= slashUnbonding(ctx, [delegator, operator], height, fraction)
    const moves = [...state.redelegationsBySource.iterate(ctx, { prefix: [operator] })]
    for (const [, delegator, destination] of moves) {
      const redelegation = state.redelegations.get(ctx, [delegator, operator, destination])
      if (redelegation) rest -= slashRedelegation(ctx, redelegation, height, fraction)
    }
  }
  // Slashing a redelegation back to this validator can change the record.
  const before = getValidator(ctx, operator)
  if (!before) return 0n
  const tokens = tokensOf(before)
  const burned = min(rest, tokens)
  if (burned <= 0n) return 0n
  const effective = decimal.quoRoundUp(decimal.fromInteger(burned), decimal.fromInteger(tokens))
  beforeValidatorSlashed.run(ctx, { operator, fraction: effective > decimal.one ? decimal.one : effective })
  const after = { ...before, tokens: (tokens - burned).toString() }
  replaceValidator(ctx, before, after)
  burn(ctx, after.status === BondStatus.BONDED ? state.bondedPool : state.notBondedPool, burned)
  return burned
}

interface Entry {
  readonly creationHeight: bigint
  readonly completionTime?: UnbondingDelegationEntry['completionTime']
}

/** Whether an entry is slashed for the infraction: created at or after its height, and not complete. */
function isSlashed(ctx: Context, { creationHeight, completionTime }: Entry, height: bigint): boolean {
  return creationHeight >= height && nanoseconds(completionTime) > ctx.block.timeNs
}

/** Slashes an unbonding. Returns the amount owed by its entries, which can exceed their balances. */
function slashUnbonding(
  ctx: Context,
  pair: readonly [delegator: Uint8Array, operator: Uint8Array],
  height: bigint,
  fraction: decimal.Decimal,
): bigint {
  const unbonding = getUnbonding(ctx, pair)
  if (!unbonding) return 0n
  let owed = 0n
  let burned = 0n
  const entries = unbonding.entries.map((entry) => {
    if (!isSlashed(ctx, entry, height)) return entry
    const share = fractionOf(BigInt(entry.initialBalance), fraction)
    owed += share
    const taken = min(share, BigInt(entry.balance))
    burned += taken
    return { ...entry, balance: (BigInt(entry.balance) - taken).toString() }
  })
  if (burned > 0n) setUnbonding(ctx, pair, { ...unbonding, entries })
  burn(ctx, state.notBondedPool, burned)
  return owed
}

/**
 * Slashes a redelegation at the present place of its tokens: unbonding from the destination, or delegated to it. Returns the
 * amount owed by its entries.
 */
function slashRedelegation(
  ctx: Context,
  redelegation: Redelegation,
  height: bigint,
  fraction: decimal.Decimal,
): bigint {
  const delegator = address.parse(ctx, redelegation.delegatorAddress)
  const destination = address.parseValidator(ctx, redelegation.validatorDstAddress)
  let owed = 0n
  let bonded = 0n
  let notBonded = 0n
  for (const entry of redelegation.entries) {
    if (!isSlashed(ctx, entry, height)) continue
    const share = fractionOf(BigInt(entry.initialBalance), fraction)
    owed += share
    const fromUnbonding = takeUnbonding(ctx, [delegator, destination], share, height)
    notBonded += fromUnbonding
    if (fromUnbonding === share) continue
    const delegation = getDelegation(ctx, delegator, destination)
    if (!delegation) continue
    const held = decimal.decode(delegation.shares) ?? decimal.zero
    const wanted = decimal.mul(fraction, decimal.decode(entry.sharesDst) ?? decimal.zero)
    if (wanted === 0n) continue
    const target = getValidator(ctx, destination)
    const tokens = tryUnbond(ctx, delegator, destination, wanted > held ? held : wanted)
    if (target && poolOf(target).name === state.bondedPool.name) bonded += tokens
    else notBonded += tokens
  }
  burn(ctx, state.bondedPool, bonded)
  burn(ctx, state.notBondedPool, notBonded)
  return owed
}

/** Unbonds shares and returns their tokens. Returns 0 if it is refused, since the beginning of a block must not fail. */
function tryUnbond(ctx: Context, delegator: Uint8Array, operator: Uint8Array, shares: decimal.Decimal): bigint {
  const branch = ctx.branch()
  try {
    const tokens = unbond(branch, delegator, operator, shares)
    branch.merge()
    return tokens
  } catch (error) {
    if (error instanceof ChainError) return 0n
    throw error
  }
}

/** Subtracts up to an amount from a delegator's unbonding entries. Returns the subtracted amount; the caller burns the coins. */
function takeUnbonding(
  ctx: Context,
  pair: readonly [delegator: Uint8Array, operator: Uint8Array],
  amount: bigint,
  height: bigint,
): bigint {
  const unbonding: UnbondingDelegation | undefined = getUnbonding(ctx, pair)
  if (!unbonding) return 0n
  let taken = 0n
  const entries = unbonding.entries.map((entry) => {
    const part = isSlashed(ctx, entry, height) ? min(amount - taken, BigInt(entry.balance)) : 0n
    taken += part
    return part === 0n ? entry : { ...entry, balance: (BigInt(entry.balance) - part).toString() }
  })
  if (taken > 0n) setUnbonding(ctx, pair, { ...unbonding, entries })
  return taken
}

function byConsensus(ctx: Context, consensus: Uint8Array): Validator | undefined {
  const operator = operatorOf(ctx, consensus)
  return operator && getValidator(ctx, operator)
}

/** Jails a validator: removes it from the index by power, and at the end of the block from the set. */
export function jail(ctx: Context, consensus: Uint8Array): void {
  const validator = byConsensus(ctx, consensus)
  if (!validator || validator.jailed) return
  setValidator(ctx, { ...validator, jailed: true })
  deleteByPower(ctx, validator)
}

/** Releases a validator from jail and returns it to the index by power. */
export function unjail(ctx: Context, consensus: Uint8Array): void {
  const validator = byConsensus(ctx, consensus)
  if (!validator?.jailed) return
  const free = { ...validator, jailed: false }
  setValidator(ctx, free)
  setByPower(ctx, free)
}
