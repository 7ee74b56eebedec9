/** chain.epochs.v1beta1.Query */
import { Query } from '../../gen/chain/epochs/v1beta1/query_pb.ts'
import { defineQueries } from '../../sdk/module.ts'
import { wrongField } from '../../sdk/request.ts'
import * as epochs from './keeper.ts'

export const queries = defineQueries(Query, {
  epochInfos: (ctx) => ({ epochs: [...epochs.records(ctx)] }),
  currentEpoch(ctx, { identifier }) {
    if (identifier === '') throw wrongField('identifier', 'epoch with identifier  not found')
    if (identifier.includes('\0')) throw wrongField('identifier', 'identifier must not contain a NUL byte')
    return { currentEpoch: epochs.requireRecord(ctx, identifier).currentEpoch }
  },
})
