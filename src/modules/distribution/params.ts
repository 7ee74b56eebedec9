/** Parameters of distribution (docs/modules/distribution.md#parameters). */
import { create } from '@bufbuild/protobuf'
import { type Params, ParamsSchema } from '../../gen/sdk/distribution/v1beta1/distribution_pb.ts'
import * as decimal from '../../primitives/decimal.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors } from '../../sdk/errors.ts'
import * as state from './state.ts'

export function defaultParams(): Params {
  return create(ParamsSchema, {
    communityTax: '20000000000000000',
    baseProposerReward: '0',
    bonusProposerReward: '0',
    withdrawAddrEnabled: true,
  })
}

export function params(ctx: ReadContext): Params {
  return state.params.get(ctx) ?? defaultParams()
}

/** Throws sdk 18 unless each rate is between 0 and 1. The two proposer rewards no longer have an effect. */
export function validateParams({ communityTax, baseProposerReward, bonusProposerReward }: Params): void {
  for (const [name, wire] of Object.entries({ communityTax, baseProposerReward, bonusProposerReward })) {
    const value = decimal.decode(wire)
    if (value === undefined || value < 0n) throw errors.invalidRequest(`${name} must be a decimal of at least 0`)
    if (value > decimal.one) throw errors.invalidRequest(`${name} must not exceed 1: ${decimal.format(value)}`)
  }
}
