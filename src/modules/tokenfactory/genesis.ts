/** Genesis of factory denoms. Their metadata belongs to the bank. */
import { create } from '@bufbuild/protobuf'
import { GenesisStateSchema } from '../../gen/chain/tokenfactory/v1/state_pb.ts'
import { withErrorPath } from '../../sdk/error-path.ts'
import { fromJson, toJson } from '../../sdk/json.ts'
import type { GenesisHandlers } from '../../sdk/module.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import { parseDenom } from './denom.ts'
import { errors } from './errors.ts'
import * as tokenfactory from './keeper.ts'
import * as state from './state.ts'
import { parseAdmin } from './validation.ts'

export const genesis: GenesisHandlers = {
  defaults: (ctx) =>
    toJson(ctx, GenesisStateSchema, create(GenesisStateSchema, { params: tokenfactory.defaultParams() })),
  init(ctx, json) {
    const { params = tokenfactory.defaultParams(), factoryDenoms } = fromJson(
      ctx,
      GenesisStateSchema,
      json,
      'tokenfactory',
    )
    tokenfactory.setParams(ctx, params)
    if (ctx.identity.behaviours.factoryAccountWithoutNumber) auth.placeModuleAccount(ctx, state.account, 0n)
    else auth.ensureModuleAccount(ctx, state.account)
    for (const [i, { denom, authorityMetadata }] of factoryDenoms.entries()) {
      withErrorPath(`factory_denoms[${i}]`, () => {
        const named = parseDenom(ctx, denom)
        if (tokenfactory.adminOf(ctx, denom) !== undefined) throw errors.invalidGenesis(`duplicate denom: ${denom}`)
        const admin = authorityMetadata?.admin ?? ''
        tokenfactory.insert(ctx, named, admin === '' ? undefined : parseAdmin(ctx, admin))
        if (!bank.metadata(ctx, denom)) bank.setMetadata(ctx, tokenfactory.defaultMetadata(denom))
      })
    }
  },
  export(ctx) {
    const factoryDenoms = [...state.admins.iterate(ctx)].map(([denom, { admin }]) => ({
      denom,
      authorityMetadata: { admin },
    }))
    return toJson(
      ctx,
      GenesisStateSchema,
      create(GenesisStateSchema, { params: tokenfactory.params(ctx), factoryDenoms }),
    )
  },
}
