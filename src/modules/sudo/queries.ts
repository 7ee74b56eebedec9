/** chain.sudo.v1.Query */
import { Query } from '../../gen/chain/sudo/v1/query_pb.ts'
import { defineQueries } from '../../sdk/module.ts'
import * as sudo from './keeper.ts'

export const queries = defineQueries(Query, {
  querySudoers(ctx) {
    return { sudoers: sudo.sudoers(ctx) }
  },
  queryZeroGasActors(ctx) {
    return { actors: sudo.zeroGasActors(ctx) }
  },
})
