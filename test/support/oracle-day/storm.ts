/** Random valid and invalid messages to a chain whose validators vote, stake, leave and misbehave, under random parameters. */
import { MsgEditInflationParamsSchema, MsgToggleInflationSchema } from '../../../src/gen/chain/inflation/v1/tx_pb.ts'
import {
  MsgAggregateExchangeRatePrevoteSchema,
  MsgAggregateExchangeRateVoteSchema,
  MsgDelegateFeedConsentSchema,
  MsgEditOracleParamsSchema,
} from '../../../src/gen/chain/oracle/v1beta1/tx_pb.ts'
import {
  MsgFundCommunityPoolSchema,
  MsgSetWithdrawAddressSchema,
  MsgWithdrawDelegatorRewardSchema,
  MsgWithdrawValidatorCommissionSchema,
} from '../../../src/gen/sdk/distribution/v1beta1/tx_pb.ts'
import { MsgUnjailSchema } from '../../../src/gen/sdk/slashing/v1beta1/tx_pb.ts'
import {
  MsgBeginRedelegateSchema,
  MsgCancelUnbondingDelegationSchema,
  MsgCreateValidatorSchema,
  MsgDelegateSchema,
  MsgEditValidatorSchema,
  MsgUndelegateSchema,
} from '../../../src/gen/sdk/staking/v1beta1/tx_pb.ts'
import { almanac } from '../../../src/identity/profiles/almanac.ts'
import * as auth from '../../../src/modules/auth/keeper.ts'
import { queries as bank } from '../../../src/modules/bank/queries.ts'
import { queries as distribution } from '../../../src/modules/distribution/queries.ts'
import { queries as oracle } from '../../../src/modules/oracle/queries.ts'
import { queries as staking } from '../../../src/modules/staking/queries.ts'
import { formatBech32, ofModule } from '../../../src/primitives/address.ts'
import { formatHex, utf8 } from '../../../src/primitives/bytes.ts'
import { sha256 } from '../../../src/primitives/hash.ts'
import type { ReadContext } from '../../../src/sdk/context.ts'
import { encodePublicKey } from '../../../src/sdk/public-key.ts'
import { seededRandom } from '../random.ts'
import { GENESIS_NS, type Person, type Seat, type Setting, seatOf, startChain, type Wish } from './chain.ts'
import { ONE } from './model.ts'
import { SECOND, settingOf } from './setting.ts'

const DAY = 86_400n * SECOND

const START = settingOf({
  votePeriod: 3n,
  slashWindow: 5n,
  daysBefore: 2n * DAY,
  signedWindow: 10n,
  jailSeconds: 30n,
})
/** Setting with seven founding validators and two that can join later. */
export const STORM_SETTING: Setting = {
  ...START,
  seats: [...START.seats, seatOf(7, 5n, 0n), seatOf(8, 5n, 0n)],
  founders: 7,
}

interface StormReport {
  readonly done: ReadonlyMap<string, number>
  readonly refused: ReadonlyMap<string, number>
  readonly rates: number
}

interface Promised {
  readonly salt: string
  readonly written: string
}

interface Storm {
  readonly setting: Setting
  readonly random: () => number
  /** The last commitment of each operator, by address; `feeders` likewise. */
  readonly promises: Map<string, Promised>
  readonly feeders: Map<string, Person>
}

const pick = <T>({ random }: Storm, list: readonly T[]): T => list[Math.floor(random() * list.length)]!

/** Returns a ratio: mostly a bound, sometimes one beyond the bounds. */
function ratio(storm: Storm): string {
  const chance = storm.random()
  if (chance < 0.03) return pick(storm, ['-1', (ONE + 1n).toString(), '1'.repeat(80)])
  if (chance < 0.6) return pick(storm, ['0', '1', ONE.toString(), (ONE - 1n).toString()])
  return `${BigInt(Math.floor(storm.random() * 1e15)).toString()}000`
}

function amount(storm: Storm): string {
  const chance = storm.random()
  if (chance < 0.1) return pick(storm, ['0', '1', '-5', (1n << 255n).toString()])
  return Math.floor(storm.random() * 200_000_000).toString()
}

const PAIRS = ['ubtc:uusd', 'ueth:uusd', 'uatom:uusd', 'uxyz:uusd']

function writtenRates(storm: Storm): string {
  const rate = () =>
    pick(storm, ['1', '100.5', '-1', '0', '0.000000000000000001', '9'.repeat(76), '9'.repeat(77), '1e5'])
  return PAIRS.filter(() => storm.random() < 0.7)
    .map((pair) => `(${storm.random() < 0.02 ? 'nonsense' : pair},${storm.random() < 0.7 ? '100.5' : rate()})`)
    .join('|')
}

function priceWish(storm: Storm, { operator }: Seat, feeder: Person): Plan {
  const known = storm.random() < 0.7 ? storm.promises.get(operator) : undefined
  const wishes: Wish[] = []
  if (known) {
    const message = { salt: known.salt, exchangeRates: known.written, feeder: feeder.text, validator: operator }
    wishes.push({ schema: MsgAggregateExchangeRateVoteSchema, message })
  }
  const salt = storm.random() < 0.9 ? '1' : pick(storm, ['22', '9999', '', 'abcde'])
  const next = { salt, written: writtenRates(storm) }
  const digest = formatHex(sha256(utf8(`${next.salt}:${next.written}:${operator}`))).slice(0, 40)
  const hash = storm.random() < 0.97 ? digest : pick(storm, ['', 'zz', 'ab'.repeat(30)])
  wishes.push({
    schema: MsgAggregateExchangeRatePrevoteSchema,
    message: { hash, feeder: feeder.text, validator: operator },
  })
  const { promises } = storm
  return {
    person: feeder,
    wishes,
    done: () => promises.set(operator, next),
    failed: () => promises.delete(operator),
  }
}

function oracleEdit(storm: Storm, sender: string): Wish {
  const maybe = <T>(make: () => T): T | undefined => (storm.random() < 0.3 ? make() : undefined)
  const given = {
    votePeriod: maybe(() => pick(storm, [0n, 1n, 2n, 3n, 5n])),
    voteThreshold: maybe(() => (storm.random() < 0.5 ? ratio(storm) : (ONE / 3n + 1n).toString())),
    rewardBand: maybe(() => ratio(storm)),
    whitelist: maybe(() => PAIRS.filter(() => storm.random() < 0.7)),
    slashFraction: maybe(() => (storm.random() < 0.9 ? (ONE / 100n).toString() : ratio(storm))),
    slashWindow: maybe(() => pick(storm, [0n, 1n, 2n, 7n, 1n << 62n, (1n << 64n) - 1n])),
    minValidPerWindow: maybe(() => (storm.random() < 0.7 ? '0' : ratio(storm))),
    twapLookbackWindow: maybe(() =>
      pick(storm, [
        { seconds: 0n, nanos: 1 },
        { seconds: 900n },
        { seconds: 9_223_372_036n },
        { seconds: 315_576_000_000n },
        { seconds: (1n << 63n) - 1n },
        { seconds: -1n },
      ]),
    ),
    minVoters: maybe(() => pick(storm, [0n, 1n, 1n, 3n, storm.random() < 0.1 ? (1n << 64n) - 1n : 2n])),
    validatorFeeRatio: maybe(() => ratio(storm)),
    expirationBlocks: maybe(() => pick(storm, [1n, (1n << 64n) - 1n])),
  }
  const params = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return { schema: MsgEditOracleParamsSchema, message: { sender, params } }
}

function inflationEdit(storm: Storm, sender: string): Wish {
  if (storm.random() < 0.3) {
    return { schema: MsgToggleInflationSchema, message: { sender, enable: storm.random() < 0.8 } }
  }
  const factor = () => pick(storm, ['0', '1', ONE.toString(), `-${ONE}`, `9${'0'.repeat(50)}`, '9'.repeat(95)])
  const count = pick(storm, [0, 5, 6, 6, 6, 6])
  const staking = BigInt(Math.floor(storm.random() * 1e9)) * 10n ** 9n
  const distribution = pick(storm, [
    { stakingRewards: ONE.toString(), communityPool: '0', strategicReserves: '0' },
    { stakingRewards: '0', communityPool: '0', strategicReserves: ONE.toString() },
    { stakingRewards: (2n * ONE).toString(), communityPool: `-${ONE}`, strategicReserves: '0' },
    { stakingRewards: staking.toString(), communityPool: (ONE - staking).toString(), strategicReserves: '0' },
  ])
  const maybe = <T>(name: string, value: T): Record<string, T> => (storm.random() < 0.4 ? { [name]: value } : {})
  const message = {
    sender,
    polynomialFactors: Array.from({ length: count }, factor),
    ...maybe('inflationDistribution', distribution),
    ...maybe('epochsPerPeriod', pick(storm, ['0', '1', '3', '18446744073709551615', '18446744073709551616'])),
    ...maybe('periodsPerYear', pick(storm, ['0', '1', '12'])),
    ...maybe('maxPeriod', pick(storm, ['0', '1', '96', '18446744073709551615'])),
  }
  return { schema: MsgEditInflationParamsSchema, message }
}

function stakingWish(storm: Storm, { person, operator, consensusKey }: Seat, height: bigint): Wish {
  const { seats } = storm.setting
  const coin = { denom: storm.random() < 0.97 ? 'unative' : 'ureward', amount: amount(storm) }
  const common = { delegatorAddress: person.text, validatorAddress: pick(storm, seats).operator, amount: coin }
  return pick<() => Wish>(storm, [
    () => ({ schema: MsgDelegateSchema, message: common }),
    () => ({ schema: MsgUndelegateSchema, message: { ...common, validatorAddress: operator } }),
    () => ({ schema: MsgUndelegateSchema, message: common }),
    () => ({
      schema: MsgBeginRedelegateSchema,
      message: {
        delegatorAddress: person.text,
        validatorSrcAddress: pick(storm, seats).operator,
        validatorDstAddress: pick(storm, seats).operator,
        amount: coin,
      },
    }),
    () => ({
      schema: MsgCancelUnbondingDelegationSchema,
      message: { ...common, creationHeight: height - BigInt(1 + Math.floor(storm.random() * 5)) },
    }),
    () => ({ schema: MsgUnjailSchema, message: { validatorAddr: operator } }),
    () => ({
      schema: MsgEditValidatorSchema,
      message: {
        description: { moniker: 'again' },
        validatorAddress: operator,
        ...(storm.random() < 0.5 && { commissionRate: ratio(storm) }),
        ...(storm.random() < 0.5 && { minSelfDelegation: amount(storm) }),
      },
    }),
    () => ({
      schema: MsgCreateValidatorSchema,
      message: {
        description: { moniker: 'new' },
        commission: { rate: (ONE / 10n).toString(), maxRate: (ONE / 5n).toString(), maxChangeRate: '0' },
        minSelfDelegation: '1',
        delegatorAddress: person.text,
        validatorAddress: operator,
        pubkey: encodePublicKey(almanac, { kind: 'ed25519', key: consensusKey }),
        value: coin,
      },
    }),
  ])()
}

function distributionWish(storm: Storm, { person, operator }: Seat): Wish {
  const validatorAddress = pick(storm, storm.setting.seats).operator
  const withdrawAddress = pick(storm, [
    person.text,
    pick(storm, storm.setting.seats).delegator.text,
    formatBech32('chain', ofModule('oracle')),
  ])
  return pick<Wish>(storm, [
    {
      schema: MsgWithdrawDelegatorRewardSchema,
      message: { delegatorAddress: person.text, validatorAddress },
    },
    { schema: MsgWithdrawValidatorCommissionSchema, message: { validatorAddress: operator } },
    { schema: MsgSetWithdrawAddressSchema, message: { delegatorAddress: person.text, withdrawAddress } },
    {
      schema: MsgFundCommunityPoolSchema,
      message: { amount: [{ denom: 'unative', amount: amount(storm) }], depositor: person.text },
    },
  ])
}

/** A planned transaction, with callbacks for its success and its failure. */
interface Plan {
  readonly person: Person
  readonly wishes: readonly Wish[]
  readonly done?: () => void
  readonly failed?: () => void
}

function planOf(storm: Storm, height: bigint): Plan {
  const { seats, root } = storm.setting
  const seat = pick(storm, seats)
  const chance = storm.random()
  if (chance < 0.6) {
    const feeder = storm.feeders.get(seat.operator) ?? seat.feeder
    return priceWish(storm, seat, storm.random() < 0.95 ? feeder : pick(storm, seats).person)
  }
  if (chance < 0.65) {
    const sender = storm.random() < 0.95 ? root : seat.person
    return { person: sender, wishes: [oracleEdit(storm, sender.text)] }
  }
  if (chance < 0.7) return { person: root, wishes: [inflationEdit(storm, root.text)] }
  if (chance < 0.72) {
    const { feeder } = pick(storm, seats)
    const message = { operator: seat.operator, delegate: feeder.text }
    return {
      person: seat.person,
      wishes: [{ schema: MsgDelegateFeedConsentSchema, message }],
      done: () => storm.feeders.set(seat.operator, feeder),
    }
  }
  if (chance < 0.85) {
    const message = { validatorAddr: seat.operator }
    return { person: seat.person, wishes: [{ schema: MsgUnjailSchema, message }] }
  }
  if (chance < 0.94) return { person: seat.person, wishes: [stakingWish(storm, seat, height)] }
  return { person: seat.person, wishes: [distributionWish(storm, seat)] }
}

/** Checks the invariants. Throws an error that names a violated one. */
function requireBooks(ctx: ReadContext, { seats }: Setting): number {
  const all = { pagination: undefined }
  const bonded = BigInt(staking.pool(ctx, {}).pool!.bondedTokens)
  const owned = staking
    .validators(ctx, { status: 'BOND_STATUS_BONDED', ...all } as never)
    .validators.reduce((sum, { tokens }) => sum + BigInt(tokens), 0n)
  if (bonded !== owned) throw new Error(`the bonded pool has ${bonded}, validators ${owned}`)
  const owed = new Map<string, bigint>()
  const owe = (coins: readonly { readonly denom: string; readonly amount: string }[]) => {
    for (const { denom, amount: more } of coins) owed.set(denom, (owed.get(denom) ?? 0n) + BigInt(more))
  }
  owe(distribution.communityPool(ctx, {}).pool)
  for (const { operator } of seats) {
    owe(distribution.validatorOutstandingRewards(ctx, { validatorAddress: operator }).rewards?.rewards ?? [])
  }
  const address = formatBech32('chain', ofModule('distribution'))
  for (const [denom, amount] of owed) {
    const held = BigInt(bank.balance(ctx, { address, denom }).balance!.amount) * ONE
    if (held !== amount) throw new Error(`distribution holds ${held} ${denom} and owes ${amount}`)
  }
  const rates = oracle.exchangeRates(ctx, {}).exchangeRates
  for (const { pair, exchangeRate } of rates) {
    if (BigInt(exchangeRate) <= 0n) throw new Error(`the rate of ${pair} is ${exchangeRate}`)
    oracle.exchangeRateTwap(ctx, { pair })
  }
  return rates.length
}

/** Runs a number of blocks. Errors of hooks are not caught. */
export async function runStorm(setting: Setting, seed: number, blocks: number): Promise<StormReport> {
  const random = seededRandom(seed)
  const storm: Storm = { setting, random, promises: new Map(), feeders: new Map() }
  const chain = startChain(setting)
  const done = new Map<string, number>()
  const refused = new Map<string, number>()
  const count = (into: Map<string, number>, key: string) => into.set(key, (into.get(key) ?? 0) + 1)
  let timeNs = GENESIS_NS
  let rates = 0
  try {
    for (let height = 1n; height <= BigInt(blocks); height++) {
      timeNs += random() < 0.03 ? 3n * DAY + 1n : 5n * SECOND + BigInt(Math.floor(random() * 1000))
      const votes = chain.signers().map((signer) => ({ ...signer, signed: random() < 0.9 }))
      // One transaction for each signer, so that a refusal does not invalidate the next sequence.
      const wanted = Array.from({ length: Math.floor(random() * 14) }, () => planOf(storm, height))
      const plans = [...new Map(wanted.map((plan) => [plan.person.text, plan])).values()]
      const txs = plans.map(({ person, wishes }) => {
        const sequence = height === 1n ? 0n : chain.read((ctx) => auth.getAccount(ctx, person.address)!.sequence)
        return chain.sign(person, wishes, 100n, sequence)
      })
      const accused = votes[Math.floor(random() * votes.length)]
      const evidence =
        accused && random() < 0.01
          ? [
              {
                kind: 'duplicateVote' as const,
                validator: setting.seats[accused.member]!.consensus,
                height: height - 1n,
                timeNs: timeNs - SECOND,
                power: accused.power,
                totalPower: votes.reduce((sum, { power }) => sum + power, 0n),
              },
            ]
          : []
      const { results } = chain.makeBlock(timeNs, votes, txs, evidence)
      results.forEach(({ code, codespace }, i) => {
        const { wishes, done: remember, failed: forget } = plans[i]!
        if (code === 0) remember?.()
        else forget?.()
        for (const { schema } of wishes) {
          if (code === 0) count(done, schema.name)
          else count(refused, `${codespace}/${code}`)
        }
      })
      rates = Math.max(
        rates,
        chain.read((ctx) => requireBooks(ctx, setting)),
      )
    }
    return { done, refused, rates }
  } finally {
    await chain.close()
  }
}
