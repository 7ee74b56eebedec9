/** chain.tokenfactory.v1.Query */
import { Query } from '../../gen/chain/tokenfactory/v1/query_pb.ts'
import * as address from '../../identity/address.ts'
import { queryError } from '../../primitives/errors.ts'
import { defineQueries } from '../../sdk/module.ts'
import { parseField, wrongField } from '../../sdk/request.ts'
import * as bank from '../bank/keeper.ts'
import { denomFault } from './denom.ts'
import * as tokenfactory from './keeper.ts'
import * as state from './state.ts'

export const queries = defineQueries(Query, {
  params: (ctx) => ({ params: tokenfactory.params(ctx) }),
  denoms(ctx, { creator, pagination }) {
    if (creator === '') throw wrongField('creator', 'invalid creator: empty creator address')
    const bytes = parseField('creator', () => address.parse(ctx, creator), `invalid creator address '${creator}': `)
    const prefix = address.format(ctx, bytes)
    if (!pagination) {
      return { denoms: [...state.denomsByCreator.iterate(ctx, { prefix })].map(([, denom]) => denom) }
    }
    const page = state.denomsByCreator.page(ctx, pagination, { prefix })
    return {
      denoms: page.entries.map(([, denom]) => denom),
      pagination: { nextKey: page.nextKey, total: page.total },
    }
  },
  denomInfo(ctx, { denom }) {
    if (denom === '') throw wrongField('denom', 'empty denom')
    const fault = denomFault(ctx, denom)
    if (fault !== undefined) throw wrongField('denom', fault)
    const admin = tokenfactory.adminOf(ctx, denom)
    if (admin === undefined) throw queryError('notFound', `failed to find admin for denom ${denom}`)
    const metadata = bank.metadata(ctx, denom)
    return { admin, ...(metadata && { metadata }) }
  },
})
