/** Seven validators vote on random-walk prices; the chain is compared with the calculation block by block. */
import { expect } from 'vitest'
import {
  MsgAggregateExchangeRatePrevoteSchema,
  MsgAggregateExchangeRateVoteSchema,
} from '../../../src/gen/chain/oracle/v1beta1/tx_pb.ts'
import { MsgUnjailSchema } from '../../../src/gen/sdk/slashing/v1beta1/tx_pb.ts'
import { BondStatus } from '../../../src/gen/sdk/staking/v1beta1/staking_pb.ts'
import { queries as bank } from '../../../src/modules/bank/queries.ts'
import { queries as distribution } from '../../../src/modules/distribution/queries.ts'
import { queries as epochs } from '../../../src/modules/epochs/queries.ts'
import { queries as inflation } from '../../../src/modules/inflation/queries.ts'
import { queries as oracle } from '../../../src/modules/oracle/queries.ts'
import { queries as staking } from '../../../src/modules/staking/queries.ts'
import { formatBech32, ofModule } from '../../../src/primitives/address.ts'
import { formatHex, utf8 } from '../../../src/primitives/bytes.ts'
import { sha256 } from '../../../src/primitives/hash.ts'
import type { ReadContext } from '../../../src/sdk/context.ts'
import type { ChainEvent } from '../../../src/store/types.ts'
import { seededRandom } from '../random.ts'
import { GENESIS_NS, type Seat, type Setting, startChain, type Wish } from './chain.ts'
import { averageOf, type BlockEnd, beginBlock, type CommitVote, endBlock, type Model, ONE, payFee } from './model.ts'
import { type DayOptions, SECOND, settingOf } from './setting.ts'

const BLOCK_NS = 5n * SECOND
const FEE = 175n

/** Counts of events, so that a test can check that they happened. */
export interface DayReport {
  readonly model: Model
  readonly comparisons: number
  readonly refused: ReadonlyMap<string, number>
  readonly pricesSet: number
}

const print = (raw: bigint): string => {
  const digits = (raw < 0n ? -raw : raw).toString().padStart(19, '0')
  return `${raw < 0n ? '-' : ''}${digits.slice(0, -18)}.${digits.slice(-18)}`
}

function modelOf({ rules, seats, rewards, rewardsHeld, accountUnative, epochs, root }: Setting): Model {
  const bonded = seats.reduce((sum, { tokens }) => sum + tokens, 0n)
  const accounts = BigInt(1 + seats.length + seats.filter(({ person, feeder }) => person !== feeder).length)
  return {
    rules,
    members: seats.map(({ person, operator, commissionRate, tokens }) => ({
      operator,
      operatorHex: formatHex(person.address),
      commissionRate,
      tokens,
      bonded: true,
      jailed: false,
      enginePower: tokens / 1_000_000n,
      misses: 0n,
      slashes: 0,
      downtimes: 0,
      start: -1n,
      offset: 0n,
      missedPlaces: new Set(),
      jailedUntilNs: 0n,
      outstanding: {},
      commission: {},
      prevote: undefined,
      vote: undefined,
    })),
    epochs: epochs
      .map(({ identifier, durationNs, startTime }) => ({
        identifier,
        durationNs,
        number: 0n,
        startNs: BigInt(Date.parse(startTime)) * 1_000_000n,
        height: 0n,
      }))
      .sort((a, b) => (a.identifier < b.identifier ? -1 : 1)),
    rewards: rewards.map(({ periods, coins }) => ({ periods, coins })),
    prices: new Map(),
    communityPool: {},
    rewardsHeld: { ...rewardsHeld },
    supply: (rewardsHeld['unative'] ?? 0n) + bonded + accountUnative * accounts,
    minted: 0n,
    burned: 0n,
    collector: 0n,
    reserve: root ? accountUnative : 0n,
    period: 0n,
    skipped: 0n,
    mints: 0,
  }
}

type Rates = readonly (readonly [pair: string, rate: bigint])[]

interface Promised {
  readonly id: number
  readonly salt: string
  readonly written: string
  readonly rates: Rates
}

const hashOf = (salt: string, written: string, operator: string): string =>
  formatHex(sha256(utf8(`${salt}:${written}:${operator}`))).slice(0, 40)

/** Returns the price of an honest validator, or that of a liar. */
function ratesOf(index: number, prices: ReadonlyMap<string, bigint>, random: () => number): Rates {
  const below = (limit: number): bigint => BigInt(Math.floor(random() * limit))
  return [...prices].flatMap(([pair, price]): [string, bigint][] => {
    if (index === 4) return [[pair, (price * (150n + below(300))) / 100n]]
    if (index === 5) return [[pair, random() < 0.1 ? -ONE : (price * (20n + below(60))) / 100n]]
    const chance = random()
    if (chance < 0.02) return []
    if (chance < 0.04) return [[pair, chance < 0.03 ? -ONE : 0n]]
    return [[pair, (price * (9970n + below(60))) / 10_000n]]
  })
}

/** The expected result of a transaction. */
interface Planned {
  readonly tx: Uint8Array
  /** `ok`, or codespace and code. */
  readonly outcome: string
}

/** Compares a chain with the calculation over a number of blocks of five seconds. */
export async function runDay(options: DayOptions): Promise<DayReport> {
  const setting = settingOf(options)
  const { rules, seats } = setting
  const chain = startChain(setting)
  const model = modelOf(setting)
  const random = seededRandom(options.seed)
  const prices = new Map(rules.pairs.map((pair, i) => [pair, [64_250n, 3_100n, 9n, 1n][i]! * ONE]))
  const promised = new Map<number, Promised>()
  const refused = new Map<string, number>()
  let ids = 0
  let comparisons = 0
  let pricesSet = 0

  /** Returns a reveal of the last commitment, and the next commitment. */
  function voteOf(index: number, height: bigint): Planned {
    const { feeder, person, operator } = seats[index]!
    const member = model.members[index]!
    const who = random() < 0.9 ? feeder : person
    const wishes: Wish[] = []
    const last = promised.get(index)
    let outcome = member.bonded ? 'ok' : 'staking/3'
    const reveals = last !== undefined && (member.prevote?.id === last.id || random() < 0.3)
    const isBroken = reveals && random() < 0.01
    if (reveals) {
      const { salt, written } = last
      const message = { salt: isBroken ? '99' : salt, exchangeRates: written, feeder: who.text, validator: operator }
      wishes.push({ schema: MsgAggregateExchangeRateVoteSchema, message })
      const period = (at: bigint) => at / rules.votePeriod
      if (outcome !== 'ok') outcome = 'staking/3'
      else if (!member.prevote) outcome = 'oracle/11'
      else if (period(height) - period(member.prevote.height) !== 1n) outcome = 'oracle/9'
      else if (isBroken || member.prevote.id !== last.id) outcome = 'oracle/8'
    }
    const rates = ratesOf(index, prices, random)
    const written = (rates.length > 0 ? rates : [[rules.pairs[0]!, -ONE] as const])
      .map(([pair, rate]) => `(${pair},${print(rate)})`)
      .join('|')
    const next: Promised = {
      id: ++ids,
      salt: Math.floor(random() * 9999).toString(),
      written,
      rates: rates.length > 0 ? rates : [[rules.pairs[0]!, -ONE]],
    }
    wishes.push({
      schema: MsgAggregateExchangeRatePrevoteSchema,
      message: { hash: hashOf(next.salt, written, operator), feeder: who.text, validator: operator },
    })
    if (outcome === 'ok') {
      if (reveals) member.vote = last.rates
      member.prevote = { height, id: next.id }
      promised.set(index, next)
    }
    payFee(model, FEE)
    return { tx: chain.sign(who, wishes, FEE), outcome }
  }

  function unjailOf(index: number, timeNs: bigint): Planned {
    const { person, operator } = seats[index]!
    const member = model.members[index]!
    const outcome = !member.jailed ? 'slashing/5' : timeNs < member.jailedUntilNs ? 'slashing/4' : 'ok'
    if (outcome === 'ok') member.jailed = false
    payFee(model, FEE)
    return { tx: chain.sign(person, [{ schema: MsgUnjailSchema, message: { validatorAddr: operator } }], FEE), outcome }
  }

  function plan(height: bigint, timeNs: bigint): Planned[] {
    const planned: Planned[] = []
    const place = height % rules.votePeriod
    seats.forEach((_, i) => {
      const isSleeper = i === 6
      const turn = BigInt(i) % (rules.votePeriod - 1n)
      if (!isSleeper && place === turn && random() > 0.02) planned.push(voteOf(i, height))
      else if (model.members[i]!.jailed && random() < 0.05) planned.push(unjailOf(i, timeNs))
    })
    return planned
  }

  try {
    for (let height = 1n; height <= BigInt(options.blocks); height++) {
      // Some block times are not whole milliseconds.
      const timeNs = GENESIS_NS + height * BLOCK_NS + (height % 3n === 0n ? 1_700_001n : 0n)
      for (const [pair, price] of prices) {
        prices.set(pair, (price * BigInt(100_000 + Math.floor(random() * 121) - 60)) / 100_000n)
      }
      const votes: CommitVote[] = chain.signers().map(({ member, power }) => {
        const sleeps = member === 6 && options.sleeper === 'stopped'
        return { member, power, signed: !sleeps && random() > 0.01 }
      })
      beginBlock(model, height, timeNs, votes)
      const planned = plan(height, timeNs)
      const expected = endBlock(model, height, timeNs)
      const output = chain.makeBlock(
        timeNs,
        votes,
        planned.map(({ tx }) => tx),
      )
      const outcomes = output.results.map(({ code, codespace }) => (code === 0 ? 'ok' : `${codespace}/${code}`))
      expect([height, outcomes]).toEqual([height, planned.map(({ outcome }) => outcome)])
      for (const outcome of outcomes) {
        if (outcome !== 'ok') refused.set(outcome, (refused.get(outcome) ?? 0) + 1)
      }
      expect([height, updatesOf(seats, output.validatorUpdates)]).toEqual([height, updatesText(expected)])
      if (expected.performances) {
        comparePerformances(expected, output.blockEvents)
        chain.read((ctx) => comparePrices(ctx, model, timeNs))
        pricesSet += output.blockEvents.filter(({ type }) => type.endsWith('EventPriceUpdate')).length
        comparisons++
      }
      const isWindowEnd = (height + 1n) % (rules.votePeriod * rules.slashWindow) === 0n
      if (isWindowEnd || height < 5n || height % 360n === 0n || height === BigInt(options.blocks)) {
        chain.read((ctx) => compareBooks(ctx, model, seats, setting))
        comparisons++
      }
    }
    chain.read((ctx) => compareDelegators(ctx, model, seats))
    return { model, comparisons, refused, pricesSet }
  } finally {
    await chain.close()
  }
}

function updatesOf(seats: readonly Seat[], updates: readonly { address: Uint8Array; power: bigint }[]): string[] {
  return updates
    .map(({ address, power }) => {
      const at = seats.findIndex(({ consensus }) => formatHex(consensus) === formatHex(address))
      return `${at}: ${power}`
    })
    .sort()
}

const updatesText = ({ updates }: BlockEnd): string[] =>
  updates.map(({ member, power }) => `${member}: ${power}`).sort()

function comparePerformances({ performances }: BlockEnd, events: readonly ChainEvent[]): void {
  const told = events
    .filter(({ type }) => type === 'chain.oracle.v1beta1.EventValidatorPerformance')
    .map(({ attributes }) => Object.fromEntries(attributes.map(({ key, value }) => [key, JSON.parse(value)])))
  const worked = Array.from(performances!, ([{ operator }, { power, weight, wins, abstentions, misses }]) => ({
    validator: operator,
    voting_power: power.toString(),
    reward_weight: weight.toString(),
    win_count: wins.toString(),
    abstain_count: abstentions.toString(),
    miss_count: misses.toString(),
  })).sort((a, b) => (a.validator < b.validator ? -1 : 1))
  expect(told).toEqual(worked)
}

function comparePrices(ctx: ReadContext, model: Model, nowNs: bigint): void {
  const worked = [...model.prices]
    .map(([pair, all]) => ({ pair, rate: all.at(-1)!.rate, average: averageOf(model, pair, nowNs)! }))
    .sort((a, b) => (a.pair < b.pair ? -1 : 1))
  const rates = oracle.exchangeRates(ctx, {}).exchangeRates
  expect(rates.map(({ pair, exchangeRate }) => [pair, exchangeRate])).toEqual(
    worked.map(({ pair, rate }) => [pair, rate.toString()]),
  )
  for (const { pair, average } of worked) {
    expect([pair, oracle.exchangeRateTwap(ctx, { pair }).exchangeRate]).toEqual([pair, average.toString()])
  }
  const counters = model.members.map(({ operator }) => oracle.missCounter(ctx, { validatorAddr: operator }).missCounter)
  expect(counters).toEqual(model.members.map(({ misses }) => misses))
}

type DecCoinText = readonly { readonly denom: string; readonly amount: string }[]
const amountsOf = (coins: DecCoinText): Record<string, string> =>
  Object.fromEntries(coins.map(({ denom, amount }) => [denom, amount]))
const textsOf = (amounts: Readonly<Record<string, bigint>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(amounts)
      .filter(([, amount]) => amount > 0n)
      .map(([denom, amount]) => [denom, amount.toString()]),
  )

/** Compares tokens, jail, rewards, epochs, mints and supply. */
function compareBooks(ctx: ReadContext, model: Model, seats: readonly Seat[], setting: Setting): void {
  const of = (address: string, denom: string) => BigInt(bank.balance(ctx, { address, denom }).balance!.amount)
  const module = (name: string) => formatBech32('chain', ofModule(name))
  const chain = seats.map(({ operator }) => {
    const validator = staking.validator(ctx, { validatorAddr: operator }).validator!
    const at = { validatorAddress: operator }
    return {
      operator,
      tokens: BigInt(validator.tokens),
      jailed: validator.jailed,
      bonded: validator.status === BondStatus.BONDED,
      outstanding: amountsOf(distribution.validatorOutstandingRewards(ctx, at).rewards!.rewards),
      commission: amountsOf(distribution.validatorCommission(ctx, at).commission!.commission),
    }
  })
  expect(chain).toEqual(
    model.members.map(({ operator, tokens, jailed, bonded, outstanding, commission }) => ({
      operator,
      tokens,
      jailed,
      bonded,
      outstanding: textsOf(outstanding),
      commission: textsOf(commission),
    })),
  )
  const pool = amountsOf(distribution.communityPool(ctx, {}).pool)
  expect(pool).toEqual(textsOf(model.communityPool))
  expect(BigInt(bank.supplyOf(ctx, { denom: 'unative' }).amount!.amount)).toBe(model.supply)
  expect(of(setting.root.text, 'unative')).toBe(model.reserve)
  expect(of(module('fee_collector'), 'unative')).toBe(model.collector)
  for (const denom of ['unative', 'ureward']) {
    expect(of(module('oracle'), denom)).toBe(model.rewardsHeld[denom])
    const owed = model.members.reduce(
      (sum, { outstanding }) => sum + (outstanding[denom] ?? 0n),
      model.communityPool[denom] ?? 0n,
    )
    expect(of(module('distribution'), denom) * ONE).toBe(owed)
  }
  expect(inflation.period(ctx, {}).period).toBe(model.period)
  const records = epochs.epochInfos(ctx, {}).epochs
  expect(
    records.map(
      ({ identifier, currentEpoch, currentEpochStartTime, currentEpochStartHeight, epochCountingStarted }) => {
        const { seconds, nanos } = currentEpochStartTime!
        const startNs = epochCountingStarted ? seconds * SECOND + BigInt(nanos) : undefined
        return { identifier, number: currentEpoch, startNs, height: currentEpochStartHeight }
      },
    ),
  ).toEqual(
    model.epochs.map(({ identifier, number, startNs, height }) => ({
      identifier,
      number,
      startNs: number > 0n ? startNs : undefined,
      height,
    })),
  )
}

/** Checks that each delegator has its share of its validator's earnings after commission, up to truncation. */
function compareDelegators(ctx: ReadContext, { members }: Model, seats: readonly Seat[]): void {
  seats.forEach(({ person, delegator, operator, tokens, ownTokens }, i) => {
    const { outstanding, commission } = members[i]!
    for (const [who, stake] of [[person, ownTokens] as const, [delegator, tokens - ownTokens] as const]) {
      const asked = { delegatorAddress: who.text, validatorAddress: operator }
      const earned = amountsOf(distribution.delegationRewards(ctx, asked).rewards)
      for (const [denom, all] of Object.entries(outstanding)) {
        const part = ((all - (commission[denom] ?? 0n)) * stake) / tokens
        const short = part - BigInt(earned[denom] ?? '0')
        expect([operator, denom, short >= 0n && short < ONE]).toEqual([operator, denom, true])
      }
    }
  })
}
