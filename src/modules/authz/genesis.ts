/** Genesis of authz: the grants that have not expired. */
import { create } from '@bufbuild/protobuf'
import { GenesisStateSchema } from '../../gen/sdk/authz/v1beta1/genesis_pb.ts'
import * as address from '../../identity/address.ts'
import { withErrorPath } from '../../sdk/error-path.ts'
import { fromJson, nanoseconds, toJson } from '../../sdk/json.ts'
import type { GenesisHandlers } from '../../sdk/module.ts'
import { parseGranted } from './authorization.ts'
import { saveGrant } from './keeper.ts'
import * as state from './state.ts'

export const genesis: GenesisHandlers = {
  defaults: (ctx) => toJson(ctx, GenesisStateSchema, create(GenesisStateSchema)),
  init(ctx, json) {
    for (const [i, entry] of fromJson(ctx, GenesisStateSchema, json, 'authz').authorization.entries()) {
      withErrorPath(`authorization[${i}]`, () => {
        const authorization = parseGranted(ctx, entry.authorization)
        const parties = { granter: address.parse(ctx, entry.granter), grantee: address.parse(ctx, entry.grantee) }
        if (entry.expiration && nanoseconds(entry.expiration) <= ctx.block.timeNs) return
        saveGrant(ctx, parties, authorization, entry.expiration)
      })
    }
  },
  export(ctx) {
    const authorization = [...state.grants.iterate(ctx)].map(([[granter, grantee], grant]) => ({
      granter: address.format(ctx, granter),
      grantee: address.format(ctx, grantee),
      ...(grant.authorization && { authorization: grant.authorization }),
      ...(grant.expiration && { expiration: grant.expiration }),
    }))
    return toJson(ctx, GenesisStateSchema, create(GenesisStateSchema, { authorization }))
  },
}
