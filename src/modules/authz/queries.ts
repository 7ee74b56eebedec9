/** sdk.authz.v1beta1.Query */
import type { Grant } from '../../gen/sdk/authz/v1beta1/authz_pb.ts'
import { Query } from '../../gen/sdk/authz/v1beta1/query_pb.ts'
import * as address from '../../identity/address.ts'
import { equal } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { defineQueries } from '../../sdk/module.ts'
import { profileTypeUrl } from '../../sdk/packed.ts'
import { parseField } from '../../sdk/request.ts'
import { getGrant } from './keeper.ts'
import * as state from './state.ts'

function parseAddress(ctx: ReadContext, field: 'granter' | 'grantee', text: string): Uint8Array {
  return parseField(field, () => address.parse(ctx, text), `invalid ${field} address: `)
}

type Entry = readonly [readonly [Uint8Array, Uint8Array, string], Grant]

function withParties(ctx: ReadContext, [[granter, grantee], { authorization, expiration }]: Entry) {
  return {
    granter: address.format(ctx, granter),
    grantee: address.format(ctx, grantee),
    ...(authorization && { authorization }),
    ...(expiration && { expiration }),
  }
}

export const queries = defineQueries(Query, {
  grants(ctx, { granter, grantee, msgTypeUrl, pagination }) {
    const parties = {
      granter: parseAddress(ctx, 'granter', granter),
      grantee: parseAddress(ctx, 'grantee', grantee),
    }
    if (msgTypeUrl !== '') {
      const grant = getGrant(ctx, parties, profileTypeUrl(ctx.identity, msgTypeUrl))
      if (!grant) throw queryError('notFound', `authorization not found for ${msgTypeUrl} type`)
      return { grants: [grant] }
    }
    const page = state.grants.page(ctx, pagination, { prefix: [parties.granter, parties.grantee] })
    return {
      grants: page.entries.map(([, grant]) => grant),
      pagination: { nextKey: page.nextKey, total: page.total },
    }
  },
  granterGrants(ctx, { granter, pagination }) {
    const page = state.grants.page(ctx, pagination, { prefix: [parseAddress(ctx, 'granter', granter)] })
    return {
      grants: page.entries.map((entry) => withParties(ctx, entry)),
      pagination: { nextKey: page.nextKey, total: page.total },
    }
  },
  granteeGrants(ctx, { grantee, pagination }) {
    const wanted = parseAddress(ctx, 'grantee', grantee)
    const page = state.grants.page(ctx, pagination, { filter: ([, one]) => equal(one, wanted) })
    return {
      grants: page.entries.map((entry) => withParties(ctx, entry)),
      pagination: { nextKey: page.nextKey, total: page.total },
    }
  },
})
