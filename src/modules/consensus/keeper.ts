/** Parameters of the consensus engine that are part of the state. */
import { create } from '@bufbuild/protobuf'
import { type ConsensusParams, ConsensusParamsSchema } from '../../gen/tendermint/types/params_pb.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors } from '../../sdk/errors.ts'
import { nanoseconds } from '../../sdk/json.ts'
import * as state from './state.ts'

const MAX_BLOCK_BYTES = 104_857_600n

/** Returns the parameters of a new chain, without a gas limit. */
export function defaultParams(): ConsensusParams {
  return create(ConsensusParamsSchema, {
    block: { maxBytes: 22_020_096n, maxGas: -1n },
    evidence: { maxAgeNumBlocks: 100_000n, maxAgeDuration: { seconds: 172_800n }, maxBytes: 1_048_576n },
    validator: { pubKeyTypes: ['ed25519'] },
  })
}

export function params(ctx: ReadContext): ConsensusParams {
  return state.params.get(ctx) ?? defaultParams()
}

/** Stores the parameters. Throws sdk 18 for values that CometBFT refuses (docs/modules/consensus.md#parameters). */
export function setParams(ctx: Context, value: ConsensusParams): void {
  const { block, evidence, validator } = value
  if (!block || !evidence || !validator) throw errors.invalidRequest('block, evidence and validator must be given')
  if (block.maxBytes !== -1n && (block.maxBytes < 1n || block.maxBytes > MAX_BLOCK_BYTES)) {
    throw errors.invalidRequest(`block.max_bytes must be -1 or 1 to ${MAX_BLOCK_BYTES}, got ${block.maxBytes}`)
  }
  if (block.maxGas < -1n) throw errors.invalidRequest(`block.max_gas must be at least -1, got ${block.maxGas}`)
  if (evidence.maxAgeNumBlocks <= 0n || nanoseconds(evidence.maxAgeDuration) <= 0n) {
    throw errors.invalidRequest('evidence.max_age_num_blocks and evidence.max_age_duration must be positive')
  }
  const limit = block.maxBytes === -1n ? MAX_BLOCK_BYTES : block.maxBytes
  if (evidence.maxBytes < 0n || evidence.maxBytes > limit) {
    throw errors.invalidRequest(`evidence.max_bytes must be 0 to block.max_bytes, got ${evidence.maxBytes}`)
  }
  if (validator.pubKeyTypes.length === 0) throw errors.invalidRequest('validator.pub_key_types must not be empty')
  state.params.set(ctx, value)
}

/** The limits of a block, as CometBFT expresses them: -1 is no limit. */
export interface BlockLimits {
  readonly maxBytes: bigint
  readonly maxGas: bigint
}

export function blockLimits(ctx: ReadContext): BlockLimits {
  const { maxBytes = -1n, maxGas = -1n } = params(ctx).block ?? {}
  return { maxBytes, maxGas }
}

/** Returns the maximum bytes of a block under its limits. */
export function maxBlockBytes({ maxBytes }: BlockLimits): bigint {
  return maxBytes === -1n ? MAX_BLOCK_BYTES : maxBytes
}

/** Returns the gas limit of a block; 0 for no limit. */
export function blockGasLimit(ctx: ReadContext): bigint {
  const maxGas = params(ctx).block?.maxGas ?? -1n
  return maxGas > 0n ? maxGas : 0n
}
