/** Parameters of accounts and transactions (docs/modules/auth.md#parameters). */
import { create } from '@bufbuild/protobuf'
import { type Params, ParamsSchema } from '../../gen/sdk/auth/v1beta1/auth_pb.ts'
import { errors } from '../../sdk/errors.ts'

export function defaultParams(): Params {
  return create(ParamsSchema, {
    maxMemoCharacters: 256n,
    txSigLimit: 7n,
    txSizeCostPerByte: 10n,
    sigVerifyCostEd25519: 590n,
    sigVerifyCostSecp256k1: 1000n,
  })
}

/** Throws sdk 18 unless every limit and cost is positive. */
export function validateParams(params: Params): void {
  const positive = [
    ['tx signature limit', params.txSigLimit],
    ['ED25519 signature verification cost', params.sigVerifyCostEd25519],
    ['SECK256k1 signature verification cost', params.sigVerifyCostSecp256k1],
    ['max memo characters', params.maxMemoCharacters],
    ['tx size cost per byte', params.txSizeCostPerByte],
  ] as const
  for (const [name, value] of positive) if (value === 0n) throw errors.invalidRequest(`invalid ${name}: 0`)
}
