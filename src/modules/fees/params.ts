/** Parameters of fees: default and validation (docs/modules/fees.md#parameters). */
import { create } from '@bufbuild/protobuf'
import { type Params, ParamsSchema } from '../../gen/chain/fees/v1/fees_pb.ts'
import * as denoms from '../../primitives/denom.ts'
import { errors } from '../../sdk/errors.ts'

/** Maximum number of further denoms: they bound the rewards of a validator, which every withdrawal reads and writes. */
const MAX_DENOMS = 16

export function defaultParams(): Params {
  return create(ParamsSchema)
}

/** Throws sdk 18 for too many denoms, an invalid one, or one that is listed twice. */
export function validateParams({ allowedDenoms }: Params): void {
  if (allowedDenoms.length > MAX_DENOMS) {
    throw errors.invalidRequest(`allowed_denoms must have at most ${MAX_DENOMS} denoms, got ${allowedDenoms.length}`)
  }
  for (const [i, denom] of allowedDenoms.entries()) {
    if (!denoms.isValid(denom)) {
      throw errors.invalidRequest(`allowed_denoms[${i}]: ${JSON.stringify(denom.slice(0, 128))} is not a denom`)
    }
    if (allowedDenoms.indexOf(denom) < i) throw errors.invalidRequest(`allowed_denoms lists ${denom} twice`)
  }
}
