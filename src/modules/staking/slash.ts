/** Punishment: tokens burned, of the validator and of what left it since the infraction, and jail (support-modules.md §10). */
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
  /** Consensus address of who did it. */
  readonly consensus: Uint8Array
  /** What began to leave before this height does not answer for it. May be below zero. */
  readonly height: bigint
  /** Power that the engine counted at the time. */
  readonly power: bigint
  readonly fraction: decimal.Decimal
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b)

function burn(ctx: Context, pool: typeof state.bondedPool | typeof state.notBondedPool, amount: bigint): void {
  if (amount > 0n) bank.burn(ctx, pool, [{ denom: params(ctx).bondDenom, amount }])
}

/** What an amount at the time of the infraction loses, truncated. */
function shareOf(amount: bigint, fraction: decimal.Decimal): bigint {
  return decimal.truncate(decimal.fromRaw(fraction * amount))
}

/**
 * Burns the fraction of the power at the time: first of what has begun to leave since, the rest of the validator's
 * tokens. Returns what was burned of the latter. Does nothing for a validator that is gone or answers for nothing any more.
 */
export function slash(ctx: Context, { consensus, height, power, fraction }: Infraction): bigint {
  const operator = operatorOf(ctx, consensus)
  const validator = operator && getValidator(ctx, operator)
  if (!operator || !validator || validator.status === BondStatus.UNBONDED) return 0n
  let rest = shareOf(power * POWER_REDUCTION, fraction)
  if (height < ctx.block.height) {
    const unbonding = [...state.unbondingsByValidator.iterate(ctx, { prefix: operator })]
    for (const [, delegator] of unbonding) rest -= slashUnbonding(ctx, [delegator, operator], height, fraction)
    const moves = [...state.redelegationsBySource.iterate(ctx, { prefix: [operator] })]
    for (const [, delegator, destination] of moves) {
      const redelegation = state.redelegations.get(ctx, [delegator, operator, destination])
      if (redelegation) rest -= slashRedelegation(ctx, redelegation, height, fraction)
    }
  }
  // A redelegation back may have changed the record.
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

/** Whether what left then still answers for the infraction. */
function answers(ctx: Context, { creationHeight, completionTime }: Entry, height: bigint): boolean {
  return creationHeight >= height && nanoseconds(completionTime) > ctx.block.timeNs
}

/** Returns what the entries owed, which may be more than they still had. */
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
    if (!answers(ctx, entry, height)) return entry
    const share = shareOf(BigInt(entry.initialBalance), fraction)
    owed += share
    const taken = min(share, BigInt(entry.balance))
    burned += taken
    return { ...entry, balance: (BigInt(entry.balance) - taken).toString() }
  })
  if (burned > 0n) setUnbonding(ctx, pair, { ...unbonding, entries })
  burn(ctx, state.notBondedPool, burned)
  return owed
}

/** Returns what the entries owed. It is taken where the tokens are now: unbonding from the destination, or delegated to it. */
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
    if (!answers(ctx, entry, height)) continue
    const share = shareOf(BigInt(entry.initialBalance), fraction)
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
    const tokens = unbondWithoutFail(ctx, delegator, destination, wanted > held ? held : wanted)
    if (target && poolOf(target).name === state.bondedPool.name) bonded += tokens
    else notBonded += tokens
  }
  burn(ctx, state.bondedPool, bonded)
  burn(ctx, state.notBondedPool, notBonded)
  return owed
}

/** Tokens of shares that are taken away; none where that fails: a block's begin must not. */
function unbondWithoutFail(ctx: Context, delegator: Uint8Array, operator: Uint8Array, shares: decimal.Decimal): bigint {
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

/** Takes up to an amount of what a delegator unbonds. Returns how much; the coins are the caller's to burn. */
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
    const part = answers(ctx, entry, height) ? min(amount - taken, BigInt(entry.balance)) : 0n
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

/** Puts a validator into jail: it leaves the order by power, and the set at the end of the block. */
export function jail(ctx: Context, consensus: Uint8Array): void {
  const validator = byConsensus(ctx, consensus)
  if (!validator || validator.jailed) return
  setValidator(ctx, { ...validator, jailed: true })
  deleteByPower(ctx, validator)
}

/** Lets a validator out of jail, and back into the order by power. */
export function unjail(ctx: Context, consensus: Uint8Array): void {
  const validator = byConsensus(ctx, consensus)
  if (!validator?.jailed) return
  const free = { ...validator, jailed: false }
  setValidator(ctx, free)
  setByPower(ctx, free)
}
