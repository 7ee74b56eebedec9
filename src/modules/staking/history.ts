/** Recent headers with their validators, the source for relayers and for old block hashes. */
import { create } from '@bufbuild/protobuf'
import { HistoricalInfoSchema, type Validator } from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import { type Header, HeaderSchema } from '../../gen/tendermint/types/types_pb.ts'
import { compare } from '../../primitives/bytes.ts'
import { toTimestamp } from '../../primitives/time.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { params } from './params.ts'
import * as state from './state.ts'
import type { PowerUpdate } from './updates.ts'
import { consensusAddress, consensusKey, powerOf } from './validator.ts'
import { requireValidator } from './validators.ts'

/** The block protocol version of CometBFT. */
export const BLOCK_PROTOCOL = 11n

/** Returns the bonded validators of the engine, in descending order of power. */
function lastValidators(ctx: ReadContext): readonly Validator[] {
  return [...state.lastPowers.keys(ctx)]
    .map((operator) => requireValidator(ctx, operator))
    .map((validator) => ({ validator, power: powerOf(validator), at: consensusAddress(ctx.identity, validator) }))
    .sort((a, b) => (a.power === b.power ? compare(a.at, b.at) : a.power > b.power ? -1 : 1))
    .map(({ validator }) => validator)
}

/** Records the known part of this block's header with the validators, and deletes records that are too old. */
export function trackHistory(ctx: Context): void {
  const { height, timeNs, chainId, proposer, lastCommitHash } = ctx.block
  const kept = BigInt(params(ctx).historicalEntries)
  for (let old = height - kept; old >= 0n && state.historicalInfos.has(ctx, old); old--) {
    state.historicalInfos.delete(ctx, old)
  }
  if (kept === 0n) return
  const header =
    ctx.block.header ??
    create(HeaderSchema, {
      version: { block: BLOCK_PROTOCOL },
      chainId,
      height,
      time: toTimestamp(timeNs),
      lastBlockId: { partSetHeader: {} },
      lastCommitHash,
      proposerAddress: proposer,
    })
  state.historicalInfos.set(ctx, height, create(HistoricalInfoSchema, { header, valset: [...lastValidators(ctx)] }))
}

/** The record of a height: its header, as far as it is known, and the validators that sign the next height. */
interface RecordedHeight {
  readonly header: Header
  readonly validators: readonly PowerUpdate[]
}

/** Returns the record of a height; undefined if it is not recorded, or not any more. */
export function recordedHeight(ctx: ReadContext, height: bigint): RecordedHeight | undefined {
  const info = state.historicalInfos.has(ctx, height) ? state.historicalInfos.get(ctx, height) : undefined
  if (!info?.header) return undefined
  const validators = info.valset.map((validator) => ({
    address: consensusAddress(ctx.identity, validator),
    publicKey: consensusKey(ctx.identity, validator),
    power: powerOf(validator),
  }))
  return { header: info.header, validators }
}

/**
 * Returns the hash of a recorded block before the current one; undefined if it is not known. A block's hash is in the header
 * of the next block.
 */
export function recordedBlockHash(ctx: ReadContext, height: bigint): Uint8Array | undefined {
  if (height >= ctx.block.height || !state.historicalInfos.has(ctx, height)) return undefined
  const hash = state.historicalInfos.get(ctx, height + 1n)?.header?.lastBlockId?.hash
  return hash?.length === 32 ? hash : undefined
}
