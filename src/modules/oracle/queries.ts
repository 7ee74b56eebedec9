/** chain.oracle.v1beta1.Query */
import { Query } from '../../gen/chain/oracle/v1beta1/query_pb.ts'
import * as address from '../../identity/address.ts'
import { encode } from '../../primitives/decimal.ts'
import { queryError } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { defineQueries } from '../../sdk/module.ts'
import { parseField, wrongField } from '../../sdk/request.ts'
import * as oracle from './keeper.ts'
import * as state from './state.ts'
import { averagePrice } from './twap.ts'

function rateOf(ctx: ReadContext, pair: string) {
  if (pair === '') throw wrongField('pair', 'empty pair')
  if (pair.includes('\0')) throw wrongField('pair', 'pair must not contain a NUL byte')
  const found = oracle.findRate(ctx, pair)
  if (!found) throw queryError('notFound', `no price for pair ${pair}; see /pairs/actives`)
  return found
}

const parseOperator = (ctx: ReadContext, text: string): Uint8Array =>
  parseField('validator_addr', () => address.parseValidator(ctx, text))

export const queries = defineQueries(Query, {
  exchangeRate(ctx, { pair }) {
    const found = rateOf(ctx, pair)
    return {
      exchangeRate: encode(found.rate),
      blockTimestampMs: found.timestampMs,
      blockHeight: found.height,
      isVintage: oracle.isVintage(ctx, found),
    }
  },
  exchangeRateTwap(ctx, { pair }) {
    const found = rateOf(ctx, pair)
    const exchangeRate = encode(averagePrice(ctx, pair))
    if (ctx.identity.behaviours.averagesWithinWindow) return { exchangeRate }
    return {
      exchangeRate,
      blockTimestampMs: found.timestampMs,
      blockHeight: found.height,
      isVintage: oracle.isVintage(ctx, found),
    }
  },
  exchangeRates(ctx) {
    const whitelist = new Set(oracle.params(ctx).whitelist)
    const all = [...state.exchangeRates.iterate(ctx)].map(([pair, { exchangeRate }]) => ({ pair, exchangeRate }))
    const { ratesOffTheWhitelist } = ctx.identity.behaviours
    return { exchangeRates: ratesOffTheWhitelist ? all : all.filter(({ pair }) => whitelist.has(pair)) }
  },
  actives: (ctx) => ({ actives: [...state.exchangeRates.keys(ctx)] }),
  voteTargets: (ctx) => ({ voteTargets: [...state.voteTargets.iterate(ctx)] }),
  feederDelegation(ctx, { validatorAddr }) {
    return { feederAddr: address.format(ctx, oracle.feederOf(ctx, parseOperator(ctx, validatorAddr))) }
  },
  missCounter(ctx, { validatorAddr }) {
    return { missCounter: state.missCounters.get(ctx, parseOperator(ctx, validatorAddr)) ?? 0n }
  },
  aggregatePrevote(ctx, { validatorAddr }) {
    const aggregatePrevote = state.prevotes.get(ctx, parseOperator(ctx, validatorAddr))
    if (!aggregatePrevote) throw oracle.missing(validatorAddr)
    return { aggregatePrevote }
  },
  aggregatePrevotes: (ctx) => ({ aggregatePrevotes: [...state.prevotes.iterate(ctx)].map(([, prevote]) => prevote) }),
  aggregateVote(ctx, { validatorAddr }) {
    const aggregateVote = state.votes.get(ctx, parseOperator(ctx, validatorAddr))
    if (!aggregateVote) throw oracle.missing(validatorAddr)
    return { aggregateVote }
  },
  aggregateVotes: (ctx) => ({ aggregateVotes: [...state.votes.iterate(ctx)].map(([, vote]) => vote) }),
  params: (ctx) => ({ params: oracle.params(ctx) }),
})
