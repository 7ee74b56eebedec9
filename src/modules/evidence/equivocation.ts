/** Punishment of double signing and light client attacks (docs/modules/evidence.md#block-hooks). */
import { create, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { EquivocationSchema } from '../../gen/sdk/evidence/v1beta1/evidence_pb.ts'
import { BondStatus } from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import * as address from '../../identity/address.ts'
import { complete } from '../../identity/complete.ts'
import { sha256 } from '../../primitives/hash.ts'
import { toTimestamp } from '../../primitives/time.ts'
import type { BlockInfo, Context } from '../../sdk/context.ts'
import { nanoseconds } from '../../sdk/json.ts'
import * as consensus from '../consensus/keeper.ts'
import * as slashing from '../slashing/keeper.ts'
import * as staking from '../staking/keeper.ts'
import * as state from './state.ts'

type Misbehaviour = NonNullable<BlockInfo['misbehaviour']>[number]

/** Blocks by which a validator set takes effect after its decision (`ValidatorUpdateDelay` of the Cosmos SDK). */
const SET_DELAY = 1n

function isTooOld(ctx: Context, { height, timeNs }: Misbehaviour): boolean {
  const limits = consensus.params(ctx).evidence
  if (!limits) return false
  const age = ctx.block.timeNs - timeNs
  return age > nanoseconds(limits.maxAgeDuration) && ctx.block.height - height > limits.maxAgeNumBlocks
}

/**
 * Slashes, jails and tombstones the validator once. Skips misbehaviour that is too old, and validators that are unknown,
 * unbonded or tombstoned.
 */
function punish(ctx: Context, found: Misbehaviour): void {
  const { validator: guilty, height, timeNs, power } = found
  if (isTooOld(ctx, found)) return
  const operator = staking.operatorOf(ctx, guilty)
  const validator = operator && staking.getValidator(ctx, operator)
  if (!validator || validator.status === BondStatus.UNBONDED) return
  if (!slashing.isKnown(ctx, guilty)) return
  // A tombstoned validator that is free again comes from a state in which tombstoned keys could return.
  const isDone = validator.jailed || ctx.identity.behaviours.tombstonedKeysReturn
  if (isDone && slashing.isTombstoned(ctx, guilty)) return
  slashing.slash(ctx, guilty, slashing.doubleSignFraction(ctx), power, height - SET_DELAY, 'double_sign')
  if (!validator.jailed) slashing.jail(ctx, guilty)
  slashing.tombstone(ctx, guilty)
  const record = create(EquivocationSchema, {
    height,
    time: toTimestamp(timeNs),
    power,
    consensusAddress: address.formatConsensus(ctx, guilty),
  })
  const value = toBinary(EquivocationSchema, complete(EquivocationSchema, record))
  const typeUrl = `/${ctx.identity.toProfileName(EquivocationSchema.typeName)}`
  state.records.set(ctx, sha256(value), create(AnySchema, { typeUrl, value }))
}

/** Punishes the misbehaviour that the block reports. Runs at the beginning of a block. */
export function punishMisbehaviour(ctx: Context): void {
  for (const found of ctx.block.misbehaviour ?? []) punish(ctx, found)
}
