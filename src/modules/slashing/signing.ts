/** Counting of votes, and punishment of downtime (docs/modules/slashing.md#block-hooks). */
import { create } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { type ValidatorSigningInfo, ValidatorSigningInfoSchema } from '../../gen/sdk/slashing/v1beta1/slashing_pb.ts'
import * as address from '../../identity/address.ts'
import { toTimestamp } from '../../primitives/time.ts'
import type { Context } from '../../sdk/context.ts'
import { nanoseconds } from '../../sdk/json.ts'
import * as staking from '../staking/keeper.ts'
import { decimalOf, maxMissed, params } from './params.ts'
import * as state from './state.ts'

/** Blocks by which a validator set takes effect after its decision. The votes in a block are for the previous block. */
const SET_DELAY = 1n

function newInfo(ctx: Context, consensus: Uint8Array): ValidatorSigningInfo {
  return create(ValidatorSigningInfoSchema, {
    address: address.formatConsensus(ctx, consensus),
    startHeight: ctx.block.height,
    jailedUntil: toTimestamp(0n),
  })
}

/** Starts the signing info of a validator that joins the set. */
export function beginSigning(ctx: Context, consensus: Uint8Array): void {
  const known = state.signingInfos.get(ctx, consensus)
  const info = known ? { ...known, startHeight: ctx.block.height } : newInfo(ctx, consensus)
  state.signingInfos.set(ctx, consensus, info)
}

/** Stores the key of a new validator; evidence requires it. */
export function storeKey(ctx: Context, operator: Uint8Array): void {
  const validator = staking.requireValidator(ctx, operator)
  const consensus = staking.consensusAddress(ctx.identity, validator)
  state.publicKeys.set(ctx, consensus, create(AnySchema, validator.consensusPubkey))
}

export function deleteKey(ctx: Context, consensus: Uint8Array): void {
  state.publicKeys.delete(ctx, consensus)
}

/** Counts one validator's vote for the previous block, and punishes the validator if it has missed too many. */
function countVote(ctx: Context, consensus: Uint8Array, power: bigint, signed: boolean): void {
  const operator = staking.operatorOf(ctx, consensus)
  const validator = operator && staking.getValidator(ctx, operator)
  if (validator?.jailed) return
  const known = state.signingInfos.get(ctx, consensus) ?? newInfo(ctx, consensus)
  const rules = params(ctx)
  const window = rules.signedBlocksWindow
  const index = known.indexOffset % window
  const info = { ...known, indexOffset: known.indexOffset + 1n }
  const hadMissed = state.missed.get(ctx, [consensus, index]) ?? false
  if (hadMissed === signed) {
    state.missed.set(ctx, [consensus, index], !signed)
    info.missedBlocksCounter += signed ? -1n : 1n
  }
  const { height, timeNs } = ctx.block
  if (!signed) {
    ctx.emitEvent('liveness', {
      address: address.formatConsensus(ctx, consensus),
      missed_blocks: info.missedBlocksCounter.toString(),
      height: height.toString(),
    })
  }
  if (height > info.startHeight + window && info.missedBlocksCounter > maxMissed(rules) && validator) {
    const fraction = decimalOf(rules.slashFractionDowntime)
    const burned = staking.slash(ctx, { consensus, height: height - SET_DELAY - 1n, power, fraction })
    const text = address.formatConsensus(ctx, consensus)
    ctx.emitEvent('slash', {
      address: text,
      power: power.toString(),
      reason: 'missing_signature',
      jailed: text,
      burned_coins: burned.toString(),
    })
    staking.jail(ctx, consensus)
    const { seconds, nanos } = toTimestamp(timeNs + nanoseconds(rules.downtimeJailDuration))
    info.jailedUntil = { ...info.jailedUntil!, seconds, nanos }
    info.missedBlocksCounter = 0n
    info.indexOffset = 0n
    for (const key of [...state.missed.keys(ctx, { prefix: consensus })]) state.missed.delete(ctx, key)
  }
  state.signingInfos.set(ctx, consensus, info)
}

/** Counts the votes of the last commit. Runs at the beginning of a block. */
export function countVotes(ctx: Context): void {
  for (const { validator, power, signed } of ctx.block.votes) countVote(ctx, validator, power, signed)
}
