/** Genesis of inflation. Inflation is off by default. */
import { create } from '@bufbuild/protobuf'
import { GenesisStateSchema } from '../../gen/chain/inflation/v1/inflation_pb.ts'
import { fromJson, toJson } from '../../sdk/json.ts'
import type { GenesisHandlers } from '../../sdk/module.ts'
import * as auth from '../auth/keeper.ts'
import * as inflation from './keeper.ts'
import { defaultParams, validateParams } from './params.ts'
import * as state from './state.ts'

export const genesis: GenesisHandlers = {
  defaults: (ctx) => toJson(ctx, GenesisStateSchema, create(GenesisStateSchema, { params: defaultParams() })),
  init(ctx, json) {
    const { params = defaultParams(), period, skippedEpochs } = fromJson(ctx, GenesisStateSchema, json, 'inflation')
    validateParams(params)
    auth.ensureModuleAccount(ctx, state.account)
    state.params.set(ctx, params)
    state.period.set(ctx, period)
    state.skippedEpochs.set(ctx, skippedEpochs)
  },
  export: (ctx) =>
    toJson(
      ctx,
      GenesisStateSchema,
      create(GenesisStateSchema, {
        params: inflation.params(ctx),
        period: inflation.period(ctx),
        skippedEpochs: inflation.skippedEpochs(ctx),
      }),
    ),
}
