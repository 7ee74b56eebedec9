/** chain.inflation.v1.Query */
import { Query } from '../../gen/chain/inflation/v1/query_pb.ts'
import * as decimal from '../../primitives/decimal.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { defineQueries } from '../../sdk/module.ts'
import * as inflation from './keeper.ts'
import { inflationRate, provision } from './provision.ts'

const ofBaseDenom = (ctx: ReadContext, amount: decimal.Decimal) => ({
  denom: ctx.identity.baseDenom,
  amount: decimal.encode(amount),
})

export const queries = defineQueries(Query, {
  period: (ctx) => ({ period: inflation.period(ctx) }),
  epochMintProvision(ctx) {
    return { epochMintProvision: ofBaseDenom(ctx, provision(inflation.params(ctx), inflation.period(ctx))) }
  },
  skippedEpochs: (ctx) => ({ skippedEpochs: inflation.skippedEpochs(ctx) }),
  circulatingSupply(ctx) {
    return { circulatingSupply: ofBaseDenom(ctx, decimal.fromInteger(inflation.circulatingSupply(ctx))) }
  },
  inflationRate(ctx) {
    const params = inflation.params(ctx)
    const rate = inflationRate(params, provision(params, inflation.period(ctx)), inflation.circulatingSupply(ctx))
    return { inflationRate: decimal.encode(rate) }
  },
  params: (ctx) => ({ params: inflation.params(ctx) }),
})
