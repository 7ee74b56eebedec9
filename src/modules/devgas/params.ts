/** Parameters of devgas (docs/modules/devgas.md#parameters). */
import { create } from '@bufbuild/protobuf'
import { type ModuleParams, ModuleParamsSchema } from '../../gen/chain/devgas/v1/devgas_pb.ts'
import * as decimal from '../../primitives/decimal.ts'
import { isValid } from '../../primitives/denom.ts'
import { errors } from '../../sdk/errors.ts'

export function defaultParams(): ModuleParams {
  const developerShares = decimal.encode(decimal.parse('0.5')!)
  return create(ModuleParamsSchema, { enableFeeShare: true, developerShares })
}

/** Throws sdk 18 for a share outside 0 to 1, and for invalid or repeated denoms. */
export function validateParams({ developerShares, allowedDenoms }: ModuleParams): void {
  const share = developerShares === '' ? undefined : decimal.decode(developerShares)
  if (share === undefined) throw errors.invalidRequest('invalid parameter: nil')
  if (share < 0n) throw errors.invalidRequest(`value cannot be negative: ${decimal.format(share)}`)
  if (share > decimal.one) throw errors.invalidRequest(`value cannot be greater than 1: ${decimal.format(share)}`)
  const seen = new Set<string>()
  for (const denom of allowedDenoms) {
    if (denom.trim() === '') throw errors.invalidRequest('denom cannot be blank')
    if (!isValid(denom)) throw errors.invalidRequest(`invalid denom: ${denom}`)
    if (seen.has(denom)) throw errors.invalidRequest(`duplicate denom: ${denom}`)
    seen.add(denom)
  }
}
