/**
 * Rewards by periods (F1): a validator's period ends when a delegation to it changes or the validator is slashed. The reward
 * per token in the period is added to a running sum. A delegation's reward is its stake times the difference of two sums.
 */
import { create } from '@bufbuild/protobuf'
import {
  DelegatorStartingInfoSchema,
  ValidatorHistoricalRewardsSchema,
  ValidatorSlashEventSchema,
} from '../../gen/sdk/distribution/v1beta1/distribution_pb.ts'
import type { Delegation, Validator } from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import * as address from '../../identity/address.ts'
import type { Coin } from '../../primitives/coin.ts'
import { format as formatCoins } from '../../primitives/coin.ts'
import {
  add,
  type DecCoins,
  decode,
  encode,
  fromCoins,
  intersect,
  mulTruncate,
  NONE,
  quoTruncate,
  sub,
  truncate,
} from '../../primitives/dec-coin.ts'
import * as decimal from '../../primitives/decimal.ts'
import { ChainError } from '../../primitives/errors.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { createContext, createTransient } from '../../sdk/create-context.ts'
import { createBranch } from '../../store/branch.ts'
import * as bank from '../bank/keeper.ts'
import * as staking from '../staking/keeper.ts'
import { errors } from './errors.ts'
import { addToPool } from './pool.ts'
import * as state from './state.ts'

export function outstandingRewards(ctx: ReadContext, operator: Uint8Array): DecCoins {
  return state.outstanding.get(ctx, operator) ?? NONE
}

export function setOutstanding(ctx: Context, operator: Uint8Array, rewards: DecCoins): void {
  state.outstanding.set(ctx, operator, rewards)
}

export function commission(ctx: ReadContext, operator: Uint8Array): DecCoins {
  return state.commissions.get(ctx, operator) ?? NONE
}

export function setCommission(ctx: Context, operator: Uint8Array, coins: DecCoins): void {
  state.commissions.set(ctx, operator, coins)
}

/** Returns the rewards of the current period, and its number: 1 for a validator without records. */
function currentRewards(ctx: ReadContext, operator: Uint8Array): state.CurrentRewards {
  return state.current.get(ctx, operator) ?? { rewards: NONE, period: 1n }
}

export function setCurrent(ctx: Context, operator: Uint8Array, rewards: DecCoins, period: bigint): void {
  state.current.set(ctx, operator, { rewards, period })
}

function setHistorical(
  ctx: Context,
  operator: Uint8Array,
  period: bigint,
  ratio: DecCoins,
  referenceCount: number,
): void {
  const cumulativeRewardRatio = encode(ratio)
  state.historical.set(
    ctx,
    [operator, period],
    create(ValidatorHistoricalRewardsSchema, { cumulativeRewardRatio, referenceCount }),
  )
}

function ratioAt(ctx: ReadContext, operator: Uint8Array, period: bigint): DecCoins {
  return decode(state.historical.get(ctx, [operator, period])?.cumulativeRewardRatio ?? [])
}

/** Adds to the reference count of a period's sum, and deletes the sum when the count reaches 0. */
function adjustReferences(ctx: Context, operator: Uint8Array, period: bigint, by: 1 | -1): void {
  const stored = state.historical.get(ctx, [operator, period])
  if (!stored) return
  const referenceCount = stored.referenceCount + by
  if (referenceCount <= 0) state.historical.delete(ctx, [operator, period])
  else state.historical.set(ctx, [operator, period], { ...stored, referenceCount })
}

/** Adds to the rewards of the current period. */
export function addToCurrent(ctx: Context, operator: Uint8Array, rewards: DecCoins): void {
  const before = currentRewards(ctx, operator)
  const sum = add(before.rewards, rewards)
  state.current.set(ctx, operator, sum === before.rewards ? before : { ...before, rewards: sum })
}

/** Creates the records of a new validator. */
export function beginValidator(ctx: Context, operator: Uint8Array): void {
  setHistorical(ctx, operator, 0n, NONE, 1)
  setCurrent(ctx, operator, NONE, 1n)
  setCommission(ctx, operator, NONE)
  setOutstanding(ctx, operator, NONE)
}

const tokensOf = (validator: Validator): bigint => BigInt(validator.tokens || '0')

/** Ends a validator's period and returns its number. Rewards of a validator without tokens go to the community pool. */
export function endPeriod(ctx: Context, operator: Uint8Array, validator: Validator): bigint {
  const { rewards, period } = currentRewards(ctx, operator)
  const tokens = tokensOf(validator)
  let ratio: DecCoins = NONE
  if (tokens === 0n) {
    const outstanding = outstandingRewards(ctx, operator)
    const unclaimed = intersect(rewards, outstanding)
    addToPool(ctx, unclaimed)
    setOutstanding(ctx, operator, sub(outstanding, unclaimed))
  } else {
    ratio = quoTruncate(rewards, decimal.fromInteger(tokens))
  }
  const before = ratioAt(ctx, operator, period - 1n)
  adjustReferences(ctx, operator, period - 1n, -1)
  setHistorical(ctx, operator, period, add(before, ratio), 1)
  setCurrent(ctx, operator, NONE, period + 1n)
  return period
}

/** Stores the starting info of a delegation: its stake, and the period from which it earns. */
export function beginDelegation(ctx: Context, operator: Uint8Array, delegator: Uint8Array): void {
  const previousPeriod = currentRewards(ctx, operator).period - 1n
  adjustReferences(ctx, operator, previousPeriod, 1)
  const validator = staking.requireValidator(ctx, operator)
  const delegation = staking.getDelegation(ctx, delegator, operator)
  const shares = (delegation && decimal.decode(delegation.shares)) ?? decimal.zero
  const total = decimal.decode(validator.delegatorShares) ?? decimal.zero
  const worth = decimal.fromRaw(shares * tokensOf(validator))
  const stake = total === 0n ? decimal.zero : decimal.quoTruncate(worth, total)
  state.startingInfos.set(
    ctx,
    [operator, delegator],
    create(DelegatorStartingInfoSchema, {
      previousPeriod,
      stake: decimal.encode(stake),
      height: ctx.block.height,
    }),
  )
}

function rewardsBetween(
  ctx: ReadContext,
  operator: Uint8Array,
  [from, to]: readonly [bigint, bigint],
  stake: decimal.Decimal,
): DecCoins {
  return mulTruncate(sub(ratioAt(ctx, operator, to), ratioAt(ctx, operator, from)), stake)
}

/** Returns the rewards of a delegation up to the end of a period. Each slash in between reduces its stake. */
function delegationRewards(
  ctx: ReadContext,
  operator: Uint8Array,
  delegator: Uint8Array,
  validator: Validator,
  delegation: Delegation,
  lastPeriod: bigint,
): DecCoins {
  const start = state.startingInfos.get(ctx, [operator, delegator])
  if (!start || start.height === ctx.block.height) return NONE
  let stake = decimal.decode(start.stake) ?? decimal.zero
  let period = start.previousPeriod
  let rewards: DecCoins = NONE
  const events = state.slashEvents.iterate(ctx, {
    prefix: [operator],
    start: [operator, start.height, 0n],
    end: [operator, ctx.block.height + 1n, 0n],
  })
  for (const [, { validatorPeriod, fraction }] of events) {
    if (validatorPeriod <= period) continue
    rewards = add(rewards, rewardsBetween(ctx, operator, [period, validatorPeriod], stake))
    const left = decimal.fromRaw(decimal.one - (decimal.decode(fraction) ?? decimal.zero))
    stake = decimal.mulTruncate(stake, left)
    period = validatorPeriod
  }
  const total = decimal.decode(validator.delegatorShares) ?? decimal.zero
  const shares = decimal.decode(delegation.shares) ?? decimal.zero
  const worth = total === 0n ? decimal.zero : decimal.quo(decimal.fromRaw(shares * tokensOf(validator)), total)
  // Rounding can leave the stake slightly above the value of its shares.
  if (stake > worth) stake = worth
  return add(rewards, rewardsBetween(ctx, operator, [period, lastPeriod], stake))
}

/** Returns the rewards of a delegation as if its validator's period ended now. Throws distribution 6, 13. */
export function rewardsSoFar(ctx: ReadContext, operator: Uint8Array, delegator: Uint8Array): DecCoins {
  const validator = staking.getValidator(ctx, operator)
  if (!validator) throw errors.noValidatorInfo()
  const delegation = staking.getDelegation(ctx, delegator, operator)
  if (!delegation) throw errors.noDelegation()
  const branch = discardedContext(ctx)
  const period = endPeriod(branch, operator, validator)
  return delegationRewards(branch, operator, delegator, validator, delegation, period)
}

/** Returns a context on a branch whose writes are discarded. */
function discardedContext(ctx: ReadContext): Context {
  const { identity, app, gas } = ctx
  const transient = createTransient()
  return createContext({ branch: createBranch(ctx.store), transient, identity, app, gas, block: { ...ctx.block } })
}

/** Returns the address that receives a delegator's rewards: the delegator itself by default. */
export function withdrawAddress(ctx: ReadContext, delegator: Uint8Array): Uint8Array {
  return state.withdrawAddresses.get(ctx, delegator) ?? delegator
}

/**
 * Returns the account to pay. An address that became a module's after it was set, and so refuses ordinary sends, does not keep
 * the delegator from its rewards.
 */
function payeeOf(ctx: ReadContext, delegator: Uint8Array): Uint8Array {
  const chosen = withdrawAddress(ctx, delegator)
  return ctx.app.isBlocked(chosen) ? delegator : chosen
}

function pay(ctx: Context, delegator: Uint8Array, coins: readonly Coin[]): void {
  if (coins.length === 0) return
  bank.send(ctx, state.distributionAccount.address, payeeOf(ctx, delegator), coins)
}

/** Whether the payment succeeded. A refused one is discarded: the end of a block must not fail. */
function tryPay(ctx: Context, delegator: Uint8Array, coins: readonly Coin[]): boolean {
  const branch = ctx.branch()
  try {
    pay(branch, delegator, coins)
  } catch (error) {
    if (error instanceof ChainError) return false
    throw error
  }
  branch.merge()
  return true
}

/**
 * Pays a delegation its rewards and deletes its starting info; the caller follows with `beginDelegation`. Returns undefined if
 * it is not on record since when the delegation earns.
 */
export function payDelegation(
  ctx: Context,
  operator: Uint8Array,
  delegator: Uint8Array,
  validator: Validator,
  delegation: Delegation,
): readonly Coin[] | undefined {
  if (!state.startingInfos.has(ctx, [operator, delegator])) return undefined
  const period = endPeriod(ctx, operator, validator)
  const outstanding = outstandingRewards(ctx, operator)
  const earned = delegationRewards(ctx, operator, delegator, validator, delegation, period)
  const rewards = intersect(earned, outstanding)
  const { coins, rest } = truncate(rewards)
  pay(ctx, delegator, coins)
  setOutstanding(ctx, operator, sub(outstanding, rewards))
  addToPool(ctx, rest)
  const { previousPeriod } = state.startingInfos.get(ctx, [operator, delegator])!
  adjustReferences(ctx, operator, previousPeriod, -1)
  state.startingInfos.delete(ctx, [operator, delegator])
  const paid = coins.length > 0 ? coins : [{ denom: ctx.identity.baseDenom, amount: 0n }]
  ctx.emitEvent('withdraw_rewards', {
    amount: formatCoins(paid),
    validator: address.formatValidator(ctx, operator),
    delegator: address.format(ctx, delegator),
  })
  return paid
}

/** Pays a validator its commission in whole coins; the fraction remains. Throws distribution 7. */
export function payCommission(ctx: Context, operator: Uint8Array): readonly Coin[] {
  const held = commission(ctx, operator)
  if (held.length === 0) throw errors.noCommission()
  const { coins, rest } = truncate(held)
  setCommission(ctx, operator, rest)
  setOutstanding(ctx, operator, sub(outstandingRewards(ctx, operator), sub(held, rest)))
  pay(ctx, operator, coins)
  ctx.emitEvent('withdraw_commission', { amount: formatCoins(coins) })
  return coins
}

/**
 * Deletes the records of a removed validator. Pays its commission, up to the outstanding rewards; fractions and the remaining
 * rewards go to the community pool. Does not throw a `ChainError`, since it can run at the end of a block.
 */
export function endValidator(ctx: Context, operator: Uint8Array): void {
  const outstanding = outstandingRewards(ctx, operator)
  const held = intersect(commission(ctx, operator), outstanding)
  const { coins, rest } = truncate(held)
  if (held.length > 0) {
    addToPool(ctx, rest)
    if (!tryPay(ctx, operator, coins)) addToPool(ctx, fromCoins(coins))
  }
  addToPool(ctx, sub(outstanding, held))
  state.outstanding.delete(ctx, operator)
  state.commissions.delete(ctx, operator)
  for (const key of [...state.slashEvents.keys(ctx, { prefix: [operator] })]) state.slashEvents.delete(ctx, key)
  for (const key of [...state.historical.keys(ctx, { prefix: operator })]) state.historical.delete(ctx, key)
  state.current.delete(ctx, operator)
}

/** Records that a slash reduces the stake of all delegations by a fraction, and ends the period. */
export function recordSlash(ctx: Context, operator: Uint8Array, validator: Validator, fraction: decimal.Decimal): void {
  const validatorPeriod = endPeriod(ctx, operator, validator)
  adjustReferences(ctx, operator, validatorPeriod, 1)
  state.slashEvents.set(
    ctx,
    [operator, ctx.block.height, validatorPeriod],
    create(ValidatorSlashEventSchema, { validatorPeriod, fraction: decimal.encode(fraction) }),
  )
}
