/** Undelegation: shares converted to coins that are paid out after the unbonding time. */
import { create } from '@bufbuild/protobuf'
import { TimestampSchema } from '@bufbuild/protobuf/wkt'
import {
  DVPairSchema,
  DVPairsSchema,
  type UnbondingDelegation,
  type UnbondingDelegationEntry,
  UnbondingDelegationEntrySchema,
  UnbondingDelegationSchema,
} from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import * as address from '../../identity/address.ts'
import { toKey } from '../../primitives/bytes.ts'
import type { Coin } from '../../primitives/coin.ts'
import { toTimestamp } from '../../primitives/time.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { nanoseconds } from '../../sdk/json.ts'
import * as bank from '../bank/keeper.ts'
import { addShares, beforeShares, movePool, poolOf, sharesToUnbond, unbond } from './delegation.ts'
import { errors } from './errors.ts'
import { params, requireBondDenom } from './params.ts'
import * as state from './state.ts'
import { sharesOf, tokensOf } from './validator.ts'
import { requireValidator, takeUnbondingId, UNBONDING_DELEGATION } from './validators.ts'

type Pair = readonly [delegator: Uint8Array, operator: Uint8Array]

export function getUnbonding(ctx: ReadContext, pair: Pair): UnbondingDelegation | undefined {
  return state.unbondings.get(ctx, pair)
}

function textsOf(ctx: ReadContext, [delegator, operator]: Pair) {
  return {
    delegatorAddress: address.format(ctx, delegator),
    validatorAddress: address.formatValidator(ctx, operator),
  }
}

/** Stores an unbonding and its index, or deletes both if it has no entries. */
export function setUnbonding(ctx: Context, [delegator, operator]: Pair, unbonding: UnbondingDelegation): void {
  if (unbonding.entries.length === 0) {
    state.unbondings.delete(ctx, [delegator, operator])
    state.unbondingsByValidator.delete(ctx, [operator, delegator])
    return
  }
  state.unbondings.set(ctx, [delegator, operator], { ...unbonding, ...textsOf(ctx, [delegator, operator]) })
  state.unbondingsByValidator.add(ctx, [operator, delegator])
}

/** Adds an unbonding to the queue of those that complete at a time. */
export function enqueue(ctx: Context, pair: Pair, timeNs: bigint): void {
  const pairs = state.unbondingQueue.get(ctx, timeNs)?.pairs ?? []
  pairs.push(create(DVPairSchema, textsOf(ctx, pair)))
  state.unbondingQueue.set(ctx, timeNs, create(DVPairsSchema, { pairs }))
}

/** Starts to unbond a coin. Returns the completion time in nanoseconds. Throws staking 3, 19, 22, 27, sdk 18. */
export function undelegate(ctx: Context, pair: Pair, coin: Coin): bigint {
  const [delegator, operator] = pair
  const shares = sharesToUnbond(ctx, delegator, operator, coin.amount)
  requireBondDenom(ctx, coin)
  const existing = getUnbonding(ctx, pair)
  if (existing && existing.entries.length >= params(ctx).maxEntries) throw errors.maxUnbondingEntries()
  const pool = poolOf(requireValidator(ctx, operator))
  const tokens = unbond(ctx, delegator, operator, shares)
  movePool(ctx, pool, state.notBondedPool, tokens)
  const endNs = ctx.block.timeNs + nanoseconds(params(ctx).unbondingTime)
  const id = takeUnbondingId(ctx, UNBONDING_DELEGATION, state.unbondings.keyBytes(ctx, pair))
  const unbonding = getUnbonding(ctx, pair) ?? create(UnbondingDelegationSchema, textsOf(ctx, pair))
  addEntry(unbonding, ctx.block.height, endNs, tokens, id)
  setUnbonding(ctx, pair, unbonding)
  enqueue(ctx, pair, endNs)
  return endNs
}

/** Adds tokens to an unbonding. Undelegations of the same block share an entry. */
function addEntry(unbonding: UnbondingDelegation, height: bigint, endNs: bigint, tokens: bigint, id: bigint): void {
  const same = unbonding.entries.find(
    (entry) => entry.creationHeight === height && nanoseconds(entry.completionTime) === endNs,
  )
  if (same) {
    same.initialBalance = (BigInt(same.initialBalance) + tokens).toString()
    same.balance = (BigInt(same.balance) + tokens).toString()
    return
  }
  unbonding.entries.push(
    create(UnbondingDelegationEntrySchema, {
      creationHeight: height,
      completionTime: create(TimestampSchema, toTimestamp(endNs)),
      initialBalance: tokens.toString(),
      balance: tokens.toString(),
      unbondingId: id,
    }),
  )
}

/** Pays out completed unbondings. Emits `complete_unbonding`. */
export function completeUnbondings(ctx: Context): void {
  const { timeNs } = ctx.block
  const due = new Map<string, Pair>()
  const times: bigint[] = []
  for (const [time, { pairs }] of state.unbondingQueue.iterate(ctx)) {
    if (time > timeNs) break
    times.push(time)
    for (const { delegatorAddress, validatorAddress } of pairs) {
      const pair = [address.parse(ctx, delegatorAddress), address.parseValidator(ctx, validatorAddress)] as const
      due.set(toKey(state.unbondings.keyBytes(ctx, pair)), pair)
    }
  }
  for (const time of times) state.unbondingQueue.delete(ctx, time)
  for (const pair of due.values()) completeUnbonding(ctx, pair)
}

function completeUnbonding(ctx: Context, pair: Pair): void {
  const unbonding = getUnbonding(ctx, pair)
  if (!unbonding) return
  const isMature = (entry: UnbondingDelegationEntry) => nanoseconds(entry.completionTime) <= ctx.block.timeNs
  const denom = params(ctx).bondDenom
  let total = 0n
  for (const entry of unbonding.entries.filter(isMature)) {
    const amount = BigInt(entry.balance)
    if (amount > 0n) bank.undelegate(ctx, state.notBondedPool, pair[0], { denom, amount })
    state.unbondingIndex.delete(ctx, entry.unbondingId)
    total += amount
  }
  setUnbonding(ctx, pair, { ...unbonding, entries: unbonding.entries.filter((entry) => !isMature(entry)) })
  ctx.emitEvent('complete_unbonding', {
    amount: total === 0n ? '' : `${total}${denom}`,
    validator: address.formatValidator(ctx, pair[1]),
    delegator: address.format(ctx, pair[0]),
  })
}

/** Delegates an unbonding amount back to its validator. Throws staking 3, 7, 34, sdk 18, 38. */
export function cancelUnbonding(ctx: Context, pair: Pair, coin: Coin, creationHeight: bigint): void {
  const [delegator, operator] = pair
  const validator = requireValidator(ctx, operator)
  if (tokensOf(validator) === 0n && sharesOf(validator) > 0n) throw errors.invalidExchangeRate()
  if (validator.jailed) throw errors.jailed()
  const unbonding = getUnbonding(ctx, pair)
  if (!unbonding) {
    const who = `delegator ${address.format(ctx, delegator)}`
    throw sdkErrors.notFound(`unbonding delegation with ${who} not found for validator ${validator.operatorAddress}`)
  }
  const entry = unbonding.entries.find(
    (candidate) =>
      candidate.creationHeight === creationHeight && nanoseconds(candidate.completionTime) > ctx.block.timeNs,
  )
  if (!entry) throw sdkErrors.notFound(`unbonding delegation entry is not found at block height ${creationHeight}`)
  const rest = BigInt(entry.balance) - coin.amount
  if (rest < 0n) throw sdkErrors.invalidRequest('amount is greater than the unbonding delegation entry balance')
  const held = beforeShares(ctx, delegator, validator)
  movePool(ctx, state.notBondedPool, poolOf(validator), coin.amount)
  addShares(ctx, delegator, validator, held, coin.amount)
  if (rest === 0n) state.unbondingIndex.delete(ctx, entry.unbondingId)
  const entries = unbonding.entries.flatMap((candidate) => {
    if (candidate !== entry) return [candidate]
    if (rest === 0n) return []
    const initialBalance = (BigInt(entry.initialBalance) - coin.amount).toString()
    return [{ ...entry, initialBalance, balance: rest.toString() }]
  })
  setUnbonding(ctx, pair, { ...unbonding, entries })
}
