/** Parameters of the module: defaults and validation (docs/modules/evm.md#parameters). */
import { create } from '@bufbuild/protobuf'
import { type Params, ParamsSchema } from '../../gen/chain/evm/v1/evm_pb.ts'
import { hex } from '../../primitives/bytes.ts'
import { readEvm } from '../../primitives/evm-address.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors } from '../../sdk/errors.ts'
import { ALLOWED_EXTRA_EIPS } from './rules.ts'
import * as state from './state.ts'

/** Default address of the wrapped native coin's contract. */
export const CANONICAL_WNATIVE: Uint8Array = hex('0cacf669f8446beca826913a3c6b96acd4b02a97')

export function defaultParams(): Params {
  return create(ParamsSchema, {
    createFuntokenFee: '10000000000',
    canonicalWnative: CANONICAL_WNATIVE,
  })
}

export function params(ctx: ReadContext): Params {
  return state.params.get(ctx) ?? defaultParams()
}

/** Throws sdk 18 for the first invalid parameter. */
export function validateParams({ extraEips, evmChannels, createFuntokenFee, canonicalWnative }: Params): void {
  for (const [i, eip] of extraEips.entries()) {
    if (!ALLOWED_EXTRA_EIPS.includes(Number(eip))) throw errors.invalidRequest(`EIP ${eip} is not activateable`)
    if (extraEips.indexOf(eip) !== i) throw errors.invalidRequest(`duplicate EIP: ${eip}`)
  }
  for (const channel of evmChannels) {
    if (!/^channel-\d{1,20}$/.test(channel)) throw errors.invalidRequest(`invalid channel id: ${channel}`)
  }
  if (!/^\d{1,78}$/.test(createFuntokenFee)) {
    throw errors.invalidRequest(`create_funtoken_fee cannot be negative: ${createFuntokenFee}`)
  }
  if (readEvm(canonicalWnative).every((byte) => byte === 0)) {
    throw errors.invalidRequest('canonical_wnative cannot be the zero address')
  }
}
