/** Genesis of the oracle (oracle.md §9). */
import { create } from '@bufbuild/protobuf'
import { GenesisStateSchema } from '../../gen/chain/oracle/v1beta1/genesis_pb.ts'
import * as address from '../../identity/address.ts'
import * as decimal from '../../primitives/decimal.ts'
import type { Context } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { fromJson, toJson } from '../../sdk/json.ts'
import type { GenesisHandlers } from '../../sdk/module.ts'
import * as auth from '../auth/keeper.ts'
import { requirePair } from './pair.ts'
import { params as currentParams, defaultParams, lookbackNs, validateParams } from './params.ts'
import * as state from './state.ts'
import { setPrice } from './twap.ts'

/** Throws sdk 18 where a list names something twice. */
function requireOnce(what: string, names: readonly string[]): void {
  const seen = new Set<string>()
  for (const name of names) {
    if (seen.has(name)) throw sdkErrors.invalidRequest(`oracle genesis names ${name} twice in ${what}`)
    seen.add(name)
  }
}

function initRate(ctx: Context, pair: string, exchangeRate: string, lookback: bigint): void {
  requirePair(pair)
  const rate = decimal.decode(exchangeRate) ?? decimal.zero
  if (rate <= 0n) throw sdkErrors.invalidRequest(`oracle genesis: the rate of ${pair} must be above 0`)
  setPrice(ctx, pair, rate, lookback)
}

export const genesis: GenesisHandlers = {
  defaults: (ctx) => toJson(ctx, GenesisStateSchema, create(GenesisStateSchema, { params: defaultParams(ctx) })),
  init(ctx, json) {
    const data = fromJson(ctx, GenesisStateSchema, json, 'oracle')
    const params = data.params ?? defaultParams(ctx)
    validateParams(ctx, params)
    requireOnce(
      'feeder_delegations',
      data.feederDelegations.map((one) => one.validatorAddress),
    )
    requireOnce(
      'exchange_rates',
      data.exchangeRates.map(({ pair }) => pair),
    )
    requireOnce(
      'miss_counters',
      data.missCounters.map((one) => one.validatorAddress),
    )
    requireOnce(
      'aggregate_exchange_rate_prevotes',
      data.aggregateExchangeRatePrevotes.map(({ voter }) => voter),
    )
    requireOnce(
      'aggregate_exchange_rate_votes',
      data.aggregateExchangeRateVotes.map(({ voter }) => voter),
    )
    requireOnce('pairs', data.pairs)
    requireOnce(
      'rewards',
      data.rewards.map(({ id }) => id.toString()),
    )
    for (const { validatorAddress, feederAddress } of data.feederDelegations) {
      state.feeders.set(ctx, address.parseValidator(ctx, validatorAddress), address.parse(ctx, feederAddress))
    }
    for (const { pair, exchangeRate } of data.exchangeRates) initRate(ctx, pair, exchangeRate, lookbackNs(params))
    for (const { validatorAddress, missCounter } of data.missCounters) {
      state.missCounters.set(ctx, address.parseValidator(ctx, validatorAddress), missCounter)
    }
    for (const prevote of data.aggregateExchangeRatePrevotes) {
      state.prevotes.set(ctx, address.parseValidator(ctx, prevote.voter), prevote)
    }
    for (const vote of data.aggregateExchangeRateVotes) {
      state.votes.set(ctx, address.parseValidator(ctx, vote.voter), vote)
    }
    const targets = data.pairs.length > 0 ? data.pairs : params.whitelist
    for (const pair of targets) {
      requirePair(pair)
      state.voteTargets.add(ctx, pair)
    }
    for (const reward of data.rewards) state.rewards.set(ctx, reward.id, reward)
    const lastId = data.rewards.at(-1)?.id
    if (lastId !== undefined) {
      state.rewardIds.set(ctx, ctx.identity.behaviours.rewardIdsFromTheLast ? lastId : lastId + 1n)
    }
    state.params.set(ctx, params)
    auth.ensureModuleAccount(ctx, state.account)
  },
  export(ctx) {
    const exported = create(GenesisStateSchema, {
      params: state.pendingParams.get(ctx) ?? currentParams(ctx),
      feederDelegations: [...state.feeders.iterate(ctx)].map(([operator, feeder]) => ({
        feederAddress: address.format(ctx, feeder),
        validatorAddress: address.formatValidator(ctx, operator),
      })),
      exchangeRates: [...state.exchangeRates.iterate(ctx)].map(([pair, { exchangeRate }]) => ({ pair, exchangeRate })),
      missCounters: [...state.missCounters.iterate(ctx)].map(([operator, missCounter]) => ({
        validatorAddress: address.formatValidator(ctx, operator),
        missCounter,
      })),
      aggregateExchangeRatePrevotes: [...state.prevotes.iterate(ctx)].map(([, prevote]) => prevote),
      aggregateExchangeRateVotes: [...state.votes.iterate(ctx)].map(([, vote]) => vote),
      pairs: [...state.voteTargets.iterate(ctx)],
      rewards: [...state.rewards.iterate(ctx)].map(([, reward]) => reward),
    })
    return toJson(ctx, GenesisStateSchema, exported)
  },
}
