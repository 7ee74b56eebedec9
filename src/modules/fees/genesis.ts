/** Genesis of fees. The default leaves no state, as in chains of builds without this module. */
import { create } from '@bufbuild/protobuf'
import { GenesisStateSchema } from '../../gen/chain/fees/v1/fees_pb.ts'
import { withErrorPath } from '../../sdk/error-path.ts'
import { fromJson, toJson } from '../../sdk/json.ts'
import type { GenesisHandlers } from '../../sdk/module.ts'
import * as fees from './keeper.ts'
import { defaultParams, validateParams } from './params.ts'
import * as state from './state.ts'

export const genesis: GenesisHandlers = {
  defaults: (ctx) => toJson(ctx, GenesisStateSchema, create(GenesisStateSchema, { params: defaultParams() })),
  init(ctx, json) {
    const { params = defaultParams() } = fromJson(ctx, GenesisStateSchema, json, 'fees')
    withErrorPath('params', () => validateParams(params))
    if (params.allowedDenoms.length > 0) state.params.set(ctx, params)
  },
  export: (ctx) => toJson(ctx, GenesisStateSchema, create(GenesisStateSchema, { params: fees.params(ctx) })),
}
