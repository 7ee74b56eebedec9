/** sdk.feegrant.v1beta1.Query */
import { Query } from '../../gen/sdk/feegrant/v1beta1/query_pb.ts'
import * as address from '../../identity/address.ts'
import { equal } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { defineQueries } from '../../sdk/module.ts'
import { parseField } from '../../sdk/request.ts'
import { getGrant } from './keeper.ts'
import * as state from './state.ts'

function parseAddress(ctx: ReadContext, field: 'granter' | 'grantee', text: string): Uint8Array {
  return parseField(field, () => address.parse(ctx, text), `invalid ${field} address: `)
}

export const queries = defineQueries(Query, {
  allowance(ctx, { granter, grantee }) {
    const allowance = getGrant(ctx, {
      granter: parseAddress(ctx, 'granter', granter),
      grantee: parseAddress(ctx, 'grantee', grantee),
    })
    if (!allowance) throw queryError('notFound', 'fee-grant not found')
    return { allowance }
  },
  allowances(ctx, { grantee, pagination }) {
    const page = state.grants.page(ctx, pagination, { prefix: parseAddress(ctx, 'grantee', grantee) })
    return {
      allowances: page.entries.map(([, grant]) => grant),
      pagination: { nextKey: page.nextKey, total: page.total },
    }
  },
  allowancesByGranter(ctx, { granter, pagination }) {
    const wanted = parseAddress(ctx, 'granter', granter)
    const page = state.grants.page(ctx, pagination, { filter: ([, one]) => equal(one, wanted) })
    return {
      allowances: page.entries.map(([, grant]) => grant),
      pagination: { nextKey: page.nextKey, total: page.total },
    }
  },
})
