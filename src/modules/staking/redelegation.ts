/** Redelegation: shares moved to another validator, with a record of their source until they would have unbonded. */
import { create } from '@bufbuild/protobuf'
import { TimestampSchema } from '@bufbuild/protobuf/wkt'
import {
  BondStatus,
  DVVTripletSchema,
  DVVTripletsSchema,
  type Redelegation,
  type RedelegationEntry,
  RedelegationEntrySchema,
  RedelegationSchema,
  type Validator,
} from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import * as address from '../../identity/address.ts'
import { equal, toKey } from '../../primitives/bytes.ts'
import type { Coin } from '../../primitives/coin.ts'
import * as decimal from '../../primitives/decimal.ts'
import { toTimestamp } from '../../primitives/time.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { nanoseconds } from '../../sdk/json.ts'
import { addShares, beforeShares, movePool, poolOf, sharesToUnbond, unbond } from './delegation.ts'
import { errors } from './errors.ts'
import { params, requireBondDenom } from './params.ts'
import * as state from './state.ts'
import { getValidator, REDELEGATION, requireValidator, takeUnbondingId } from './validators.ts'

export type Move = readonly [delegator: Uint8Array, source: Uint8Array, destination: Uint8Array]

function textsOf(ctx: ReadContext, [delegator, source, destination]: Move) {
  return {
    delegatorAddress: address.format(ctx, delegator),
    validatorSrcAddress: address.formatValidator(ctx, source),
    validatorDstAddress: address.formatValidator(ctx, destination),
  }
}

/** Stores a redelegation and its indexes, or deletes them if it has no entries. */
export function setRedelegation(ctx: Context, move: Move, redelegation: Redelegation): void {
  const [delegator, source, destination] = move
  const keep = redelegation.entries.length > 0
  if (keep) state.redelegations.set(ctx, move, { ...redelegation, ...textsOf(ctx, move) })
  else state.redelegations.delete(ctx, move)
  for (const [index, key] of [
    [state.redelegationsBySource, [source, delegator, destination]],
    [state.redelegationsByDestination, [destination, delegator, source]],
  ] as const) {
    if (keep) index.add(ctx, key)
    else index.delete(ctx, key)
  }
}

/** Adds a redelegation to the queue of those that complete at a time. */
export function enqueue(ctx: Context, move: Move, timeNs: bigint): void {
  const triplets = state.redelegationQueue.get(ctx, timeNs)?.triplets ?? []
  triplets.push(create(DVVTripletSchema, textsOf(ctx, move)))
  state.redelegationQueue.set(ctx, timeNs, create(DVVTripletsSchema, { triplets }))
}

function isReceiving(ctx: ReadContext, delegator: Uint8Array, operator: Uint8Array): boolean {
  return !state.redelegationsByDestination.iterate(ctx, { prefix: [operator, delegator] }).next().done
}

/**
 * Moves a coin to another validator. Returns the completion time in nanoseconds. Throws staking 3, 19, 22, 29 to 33, sdk
 * 18.
 */
export function redelegate(ctx: Context, move: Move, coin: Coin): bigint {
  const [delegator, source, destination] = move
  const shares = sharesToUnbond(ctx, delegator, source, coin.amount)
  requireBondDenom(ctx, coin)
  if (equal(source, destination)) throw errors.selfRedelegation()
  const target = getValidator(ctx, destination)
  if (!target) throw errors.badRedelegationDestination()
  const from = poolOf(requireValidator(ctx, source))
  if (isReceiving(ctx, delegator, source)) throw errors.transitiveRedelegation()
  const existing = state.redelegations.get(ctx, move)
  if (existing && existing.entries.length >= params(ctx).maxEntries) throw errors.maxRedelegationEntries()
  const tokens = unbond(ctx, delegator, source, shares)
  if (tokens === 0n) throw errors.tinyRedelegation()
  const held = beforeShares(ctx, delegator, target)
  movePool(ctx, from, poolOf(target), tokens)
  const created = addShares(ctx, delegator, target, held, tokens)
  const { endNs, height } = endOf(ctx, getValidator(ctx, source))
  if (endNs === undefined) return ctx.block.timeNs
  const id = takeUnbondingId(ctx, REDELEGATION, state.redelegations.keyBytes(ctx, move))
  const redelegation = state.redelegations.get(ctx, move) ?? create(RedelegationSchema, textsOf(ctx, move))
  redelegation.entries.push(
    create(RedelegationEntrySchema, {
      creationHeight: height,
      completionTime: create(TimestampSchema, toTimestamp(endNs)),
      initialBalance: tokens.toString(),
      sharesDst: decimal.encode(created.shares),
      unbondingId: id,
    }),
  )
  setRedelegation(ctx, move, redelegation)
  enqueue(ctx, move, endNs)
  return endNs
}

/**
 * Returns the time until which, and the height from which, moved tokens are slashed with the source; time undefined if they
 * are not.
 */
function endOf(
  ctx: ReadContext,
  source: Validator | undefined,
): { readonly endNs: bigint | undefined; readonly height: bigint } {
  if (!source || source.status === BondStatus.BONDED) {
    return { endNs: ctx.block.timeNs + nanoseconds(params(ctx).unbondingTime), height: ctx.block.height }
  }
  if (source.status === BondStatus.UNBONDED) return { endNs: undefined, height: 0n }
  return { endNs: nanoseconds(source.unbondingTime), height: source.unbondingHeight }
}

/** Deletes redelegations that have completed. Emits `complete_redelegation`. */
export function completeRedelegations(ctx: Context): void {
  const { timeNs } = ctx.block
  const due = new Map<string, Move>()
  const times: bigint[] = []
  for (const [time, { triplets }] of state.redelegationQueue.iterate(ctx)) {
    if (time > timeNs) break
    times.push(time)
    for (const { delegatorAddress, validatorSrcAddress, validatorDstAddress } of triplets) {
      const move = [
        address.parse(ctx, delegatorAddress),
        address.parseValidator(ctx, validatorSrcAddress),
        address.parseValidator(ctx, validatorDstAddress),
      ] as const
      due.set(toKey(state.redelegations.keyBytes(ctx, move)), move)
    }
  }
  for (const time of times) state.redelegationQueue.delete(ctx, time)
  for (const move of due.values()) completeRedelegation(ctx, move)
}

function completeRedelegation(ctx: Context, move: Move): void {
  const redelegation = state.redelegations.get(ctx, move)
  if (!redelegation) return
  const isMature = (entry: RedelegationEntry) => nanoseconds(entry.completionTime) <= ctx.block.timeNs
  const mature = redelegation.entries.filter(isMature)
  for (const { unbondingId } of mature) state.unbondingIndex.delete(ctx, unbondingId)
  setRedelegation(ctx, move, { ...redelegation, entries: redelegation.entries.filter((entry) => !isMature(entry)) })
  const total = mature.reduce((sum, { initialBalance }) => sum + BigInt(initialBalance), 0n)
  const texts = textsOf(ctx, move)
  ctx.emitEvent('complete_redelegation', {
    amount: total === 0n ? '' : `${total}${params(ctx).bondDenom}`,
    delegator: texts.delegatorAddress,
    source_validator: texts.validatorSrcAddress,
    destination_validator: texts.validatorDstAddress,
  })
}
