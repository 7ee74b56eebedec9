/** sdk.slashing.v1beta1.Query */
import { Query } from '../../gen/sdk/slashing/v1beta1/query_pb.ts'
import * as address from '../../identity/address.ts'
import { queryError } from '../../primitives/errors.ts'
import { defineQueries } from '../../sdk/module.ts'
import { parseField, wrongField } from '../../sdk/request.ts'
import { params } from './params.ts'
import * as state from './state.ts'

export const queries = defineQueries(Query, {
  params: (ctx) => ({ params: params(ctx) }),
  signingInfo(ctx, { consAddress }) {
    if (consAddress === '') throw wrongField('cons_address', 'empty consensus address')
    const consensus = parseField('cons_address', () => address.parseConsensus(ctx, consAddress))
    const valSigningInfo = state.signingInfos.get(ctx, consensus)
    if (!valSigningInfo) throw queryError('notFound', `SigningInfo not found for validator ${consAddress}`)
    return { valSigningInfo }
  },
  signingInfos(ctx, { pagination }) {
    const page = state.signingInfos.page(ctx, pagination)
    return {
      info: page.entries.map(([, info]) => info),
      pagination: { nextKey: page.nextKey, total: page.total },
    }
  },
})
