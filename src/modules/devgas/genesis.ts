/** Genesis of devgas: parameters and records; import builds the indexes. */
import { create } from '@bufbuild/protobuf'
import { GenesisStateSchema } from '../../gen/chain/devgas/v1/devgas_pb.ts'
import { toKey } from '../../primitives/bytes.ts'
import { withErrorPath } from '../../sdk/error-path.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { fromJson, toJson } from '../../sdk/json.ts'
import type { GenesisHandlers } from '../../sdk/module.ts'
import * as devgas from './keeper.ts'
import { defaultParams, validateParams } from './params.ts'
import * as state from './state.ts'

export const genesis: GenesisHandlers = {
  defaults: (ctx) => toJson(ctx, GenesisStateSchema, create(GenesisStateSchema, { params: defaultParams() })),
  init(ctx, json) {
    const { params = defaultParams(), feeShare } = fromJson(ctx, GenesisStateSchema, json, 'devgas')
    validateParams(params)
    state.params.set(ctx, params)
    const seen = new Set<string>()
    for (const [i, record] of feeShare.entries()) {
      const share = withErrorPath(`fee_share[${i}]`, () => devgas.parseShare(ctx, record))
      const key = toKey(share.contract)
      if (seen.has(key)) {
        throw sdkErrors.invalidRequest(`contract duplicated on genesis '${record.contractAddress}'`)
      }
      seen.add(key)
      devgas.setShare(ctx, share)
    }
  },
  export: (ctx) =>
    toJson(
      ctx,
      GenesisStateSchema,
      create(GenesisStateSchema, {
        params: devgas.params(ctx),
        feeShare: [...state.feeShares.iterate(ctx)].map(([, share]) => share),
      }),
    ),
}
