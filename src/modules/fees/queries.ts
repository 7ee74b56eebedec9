/** chain.fees.v1.Query */
import { Query } from '../../gen/chain/fees/v1/query_pb.ts'
import { defineQueries } from '../../sdk/module.ts'
import * as fees from './keeper.ts'

export const queries = defineQueries(Query, {
  params: (ctx) => ({ params: fees.params(ctx) }),
})
