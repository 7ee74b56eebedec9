/** Genesis of feegrant: the allowances that have not expired. */
import { create } from '@bufbuild/protobuf'
import { GenesisStateSchema } from '../../gen/sdk/feegrant/v1beta1/genesis_pb.ts'
import * as address from '../../identity/address.ts'
import { withErrorPath } from '../../sdk/error-path.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { fromJson, toJson } from '../../sdk/json.ts'
import type { GenesisHandlers } from '../../sdk/module.ts'
import { endOf, parseAllowance, validateAllowance } from './allowance.ts'
import { getGrant, grantAllowance } from './keeper.ts'
import * as state from './state.ts'

export const genesis: GenesisHandlers = {
  defaults: (ctx) => toJson(ctx, GenesisStateSchema, create(GenesisStateSchema)),
  init(ctx, json) {
    for (const [i, grant] of fromJson(ctx, GenesisStateSchema, json, 'feegrant').allowances.entries()) {
      withErrorPath(`allowances[${i}]`, () => {
        const parties = { granter: address.parse(ctx, grant.granter), grantee: address.parse(ctx, grant.grantee) }
        const allowance = parseAllowance(ctx, grant.allowance)
        validateAllowance(ctx, allowance)
        const end = endOf(ctx, allowance)
        if (end !== undefined && end < ctx.block.timeNs) return
        if (getGrant(ctx, parties)) throw sdkErrors.invalidRequest('fee allowance already exists')
        grantAllowance(ctx, parties, allowance)
      })
    }
  },
  export: (ctx) =>
    toJson(
      ctx,
      GenesisStateSchema,
      create(GenesisStateSchema, { allowances: [...state.grants.iterate(ctx)].map(([, grant]) => grant) }),
    ),
}
