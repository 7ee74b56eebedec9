/** sdk.consensus.v1.Query */
import { Query } from '../../gen/sdk/consensus/v1/query_pb.ts'
import { defineQueries } from '../../sdk/module.ts'
import * as consensus from './keeper.ts'

export const queries = defineQueries(Query, {
  params(ctx) {
    return { params: consensus.params(ctx) }
  },
})
