/** Genesis of the oracle: defaults, import and export. */
import { create, type JsonValue } from '@bufbuild/protobuf'
import { type GenesisState, GenesisStateSchema } from '../../gen/chain/oracle/v1beta1/genesis_pb.ts'
import { ExchangeRateAtBlockSchema, PriceSnapshotSchema } from '../../gen/chain/oracle/v1beta1/oracle_pb.ts'
import * as address from '../../identity/address.ts'
import * as decimal from '../../primitives/decimal.ts'
import { formatRfc3339Nano, fromTimestamp, toTimestamp } from '../../primitives/time.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { fromJson, toJson } from '../../sdk/json.ts'
import type { GenesisHandlers } from '../../sdk/module.ts'
import * as auth from '../auth/keeper.ts'
import { requirePair } from './pair.ts'
import { params as currentParams, defaultParams, lookbackNs, validateParams } from './params.ts'
import * as state from './state.ts'
import { floorMs, setPrice } from './twap.ts'

/** Throws sdk 18 if a list contains a name twice. */
function requireOnce(list: string, names: readonly string[]): void {
  const seen = new Set<string>()
  for (const name of names) {
    if (seen.has(name)) throw sdkErrors.invalidRequest(`oracle genesis: ${list} lists ${name} twice`)
    seen.add(name)
  }
}

function parseRate(ctx: ReadContext, what: string, pair: string, text: string): decimal.Decimal {
  requirePair(ctx, pair)
  const rate = decimal.decode(text) ?? decimal.zero
  if (rate <= 0n) throw sdkErrors.invalidRequest(`oracle genesis: the ${what} of ${pair} must be above 0`)
  return rate
}

/** Stores the rates. A rate with an origin keeps its height and time; any other is agreed on in this block. */
function initRates(ctx: Context, { exchangeRates, rateOrigins }: GenesisState, lookback: bigint): void {
  const origins = new Map(rateOrigins.map((origin) => [origin.pair, origin]))
  for (const { pair, exchangeRate } of exchangeRates) {
    const rate = parseRate(ctx, 'rate', pair, exchangeRate)
    const origin = origins.get(pair)
    origins.delete(pair)
    if (!origin) {
      setPrice(ctx, pair, rate, lookback)
      continue
    }
    const { createdBlock, blockTimestampMs } = origin
    state.exchangeRates.set(
      ctx,
      pair,
      create(ExchangeRateAtBlockSchema, { exchangeRate, createdBlock, blockTimestampMs }),
    )
  }
  for (const pair of origins.keys())
    throw sdkErrors.invalidRequest(`oracle genesis: rate_origins lists ${pair}, which has no rate`)
}

function initPastPrices(ctx: Context, { pastPrices }: GenesisState): void {
  for (const { pair, price, time } of pastPrices) {
    parseRate(ctx, 'past price', pair, price)
    const timeNs = time ? fromTimestamp(time) : 0n
    if (timeNs > ctx.block.timeNs) {
      throw sdkErrors.invalidRequest(
        `oracle genesis: the past price of ${pair} at ${formatRfc3339Nano(timeNs)} is later than the chain`,
      )
    }
    state.snapshots.set(ctx, [pair, timeNs], create(PriceSnapshotSchema, { pair, price, timestampMs: floorMs(timeNs) }))
  }
}

function initRewards(ctx: Context, { rewards, nextRewardId }: GenesisState): void {
  for (const reward of rewards) state.rewards.set(ctx, reward.id, reward)
  const lastId = rewards.at(-1)?.id
  const afterLast = lastId !== undefined && (ctx.identity.behaviours.rewardIdsFromTheLast ? lastId : lastId + 1n)
  if (nextRewardId !== 0n && rewards.some(({ id }) => id >= nextRewardId)) {
    throw sdkErrors.invalidRequest(
      `oracle genesis: next_reward_id ${nextRewardId} must be above the id of every reward`,
    )
  }
  const next = nextRewardId || afterLast
  if (next !== false) state.rewardIds.set(ctx, next)
}

/** Returns the fields that the reference's genesis documents do not have. */
function exportExtraFields(ctx: ReadContext) {
  return {
    rateOrigins: [...state.exchangeRates.iterate(ctx)].map(([pair, { createdBlock, blockTimestampMs }]) => ({
      pair,
      createdBlock,
      blockTimestampMs,
    })),
    pastPrices: [...state.snapshots.iterate(ctx)].map(([[pair, timeNs], { price }]) => ({
      pair,
      price,
      time: toTimestamp(timeNs),
    })),
    nextRewardId: state.rewardIds.peek(ctx),
  }
}

/** Handlers of the genesis section. Under a profile of a real chain the export has only that chain's own fields. */
export const genesis: GenesisHandlers = {
  defaults: (ctx) => toJson(ctx, GenesisStateSchema, create(GenesisStateSchema, { params: defaultParams(ctx) })),
  init(ctx, json) {
    const data = fromJson(ctx, GenesisStateSchema, json, 'oracle')
    const params = data.params ?? defaultParams(ctx)
    validateParams(ctx, params)
    requireOnce(
      'feeder_delegations',
      data.feederDelegations.map((one) => address.canonicalValidator(ctx, one.validatorAddress)),
    )
    requireOnce(
      'exchange_rates',
      data.exchangeRates.map(({ pair }) => pair),
    )
    requireOnce(
      'miss_counters',
      data.missCounters.map((one) => address.canonicalValidator(ctx, one.validatorAddress)),
    )
    requireOnce(
      'aggregate_exchange_rate_prevotes',
      data.aggregateExchangeRatePrevotes.map(({ voter }) => address.canonicalValidator(ctx, voter)),
    )
    requireOnce(
      'aggregate_exchange_rate_votes',
      data.aggregateExchangeRateVotes.map(({ voter }) => address.canonicalValidator(ctx, voter)),
    )
    requireOnce('pairs', data.pairs)
    requireOnce(
      'rewards',
      data.rewards.map(({ id }) => id.toString()),
    )
    requireOnce(
      'rate_origins',
      data.rateOrigins.map(({ pair }) => pair),
    )
    requireOnce(
      'past_prices',
      data.pastPrices.map(({ pair, time }) => `${pair} of ${formatRfc3339Nano(time ? fromTimestamp(time) : 0n)}`),
    )
    for (const { validatorAddress, feederAddress } of data.feederDelegations) {
      state.feeders.set(ctx, address.parseValidator(ctx, validatorAddress), address.parse(ctx, feederAddress))
    }
    initRates(ctx, data, lookbackNs(params))
    initPastPrices(ctx, data)
    for (const { validatorAddress, missCounter } of data.missCounters) {
      state.missCounters.set(ctx, address.parseValidator(ctx, validatorAddress), missCounter)
    }
    for (const prevote of data.aggregateExchangeRatePrevotes) {
      const operator = address.parseValidator(ctx, prevote.voter)
      state.prevotes.set(ctx, operator, { ...prevote, voter: address.formatValidator(ctx, operator) })
    }
    for (const vote of data.aggregateExchangeRateVotes) {
      const operator = address.parseValidator(ctx, vote.voter)
      state.votes.set(ctx, operator, { ...vote, voter: address.formatValidator(ctx, operator) })
    }
    const targets = data.pairs.length > 0 ? data.pairs : params.whitelist
    for (const pair of targets) {
      requirePair(ctx, pair)
      state.voteTargets.add(ctx, pair)
    }
    initRewards(ctx, data)
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
      ...exportExtraFields(ctx),
    })
    const json = toJson(ctx, GenesisStateSchema, exported) as { [name: string]: JsonValue }
    if (!ctx.identity.behaviours.ownStoreOutsideAppHash) return json
    const { rate_origins: _origins, past_prices: _prices, next_reward_id: _next, ...original } = json
    return original
  },
}
