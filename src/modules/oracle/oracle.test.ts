import { create, toBinary } from '@bufbuild/protobuf'
import { beforeEach, describe, expect, test } from 'vitest'
import { ExchangeRateTupleSchema, ParamsSchema } from '../../gen/chain/oracle/v1beta1/oracle_pb.ts'
import {
  QueryExchangeRateRequestSchema,
  QueryExchangeRateResponseSchema,
} from '../../gen/chain/oracle/v1beta1/query_pb.ts'
import { BondStatus, ValidatorSchema } from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import { complete } from '../../identity/complete.ts'
import { identityOf } from '../../identity/profiles.ts'
import { formatBech32 } from '../../primitives/address.ts'
import { formatHex } from '../../primitives/bytes.ts'
import * as decimal from '../../primitives/decimal.ts'
import { ChainError } from '../../primitives/errors.ts'
import { sha256 } from '../../primitives/hash.ts'
import { governance } from '../../sdk/authority.ts'
import type { BranchedContext } from '../../sdk/context.ts'
import { defineModule } from '../../sdk/module.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import { encodePublicKey } from '../../sdk/public-key.ts'
import { testContext } from '../../sdk/testing.ts'
import { auth } from '../auth/index.ts'
import { bank as bankModule } from '../bank/index.ts'
import * as bank from '../bank/keeper.ts'
import { distribution } from '../distribution/index.ts'
import { slashing } from '../slashing/index.ts'
import { staking as stakingModule } from '../staking/index.ts'
import * as staking from '../staking/keeper.ts'
import * as stakingState from '../staking/state.ts'
import { setByConsensusAddress, setByPower, setValidator } from '../staking/validators.ts'
import { sudo } from '../sudo/index.ts'
import { errors } from './errors.ts'
import { genesis } from './genesis.ts'
import { oracle as module } from './index.ts'
import { messages } from './messages.ts'
import { defaultParams } from './params.ts'
import { queries } from './queries.ts'
import { fundRewards } from './rewards.ts'
import * as state from './state.ts'
import { validations } from './validation.ts'
import { voteHash } from './vote-text.ts'

const mintery = moduleAccount('mintery', 'minter')
const MODULES = [auth, bankModule, distribution, stakingModule, slashing, sudo, module]
const DENOM = 'unative'

const validatorOf = (n: number) => new Uint8Array(20).fill(n)
const account = (bytes: Uint8Array) => formatBech32('chain', bytes)
const operator = (n: number) => formatBech32('chainvaloper', validatorOf(n))

let ctx: BranchedContext

/** Starts a chain with validators of the given powers and parameters over the defaults. */
function start(powers: readonly bigint[], params: Partial<ReturnType<typeof defaultParams>> = {}, profile = 'almanac') {
  const identity = identityOf(profile)
  ctx = testContext({ identity, modules: [...MODULES, defineModule({ name: 'mintery', accounts: [mintery] })] })
  for (const one of [auth, bankModule, distribution, stakingModule, slashing, sudo]) {
    one.genesis!.init(ctx, one.genesis!.defaults(ctx))
  }
  const whitelist = params.whitelist ?? ['aaa:uusd', 'bbb:uusd']
  const stored = create(ParamsSchema, { ...defaultParams(ctx), votePeriod: 10n, ...params, whitelist })
  for (const pair of whitelist) state.voteTargets.add(ctx, pair)
  state.params.set(ctx, stored)
  powers.forEach((power, i) => {
    const key = sha256(Uint8Array.of(i + 1))
    const tokens = power * 1_000_000n
    const validator = create(ValidatorSchema, {
      operatorAddress: formatBech32(identity.bech32.validator, validatorOf(i + 1)),
      consensusPubkey: encodePublicKey(identity, { kind: 'ed25519', key }),
      status: BondStatus.BONDED,
      tokens: tokens.toString(),
      delegatorShares: decimal.encode(decimal.fromInteger(tokens)),
      commission: { commissionRates: { rate: '0', maxRate: '0', maxChangeRate: '0' } },
      minSelfDelegation: '1',
    })
    setValidator(ctx, validator)
    setByConsensusAddress(ctx, validator)
    setByPower(ctx, validator)
    stakingState.lastPowers.set(ctx, validatorOf(i + 1), power)
    mint(stakingState.bondedPool.address, tokens)
  })
  ctx.branchStore.events.length = 0
}

function mint(to: Uint8Array, amount: bigint, denom = ctx.identity.baseDenom): void {
  bank.mint(ctx, mintery, [{ denom, amount }])
  bank.send(ctx, mintery.address, to, [{ denom, amount }])
}

/** Stores a revealed vote. */
function vote(n: number, rates: Readonly<Record<string, string>>): void {
  const voter = formatBech32(ctx.identity.bech32.validator, validatorOf(n))
  const exchangeRateTuples = Object.entries(rates).map(([pair, rate]) =>
    create(ExchangeRateTupleSchema, { pair, exchangeRate: decimal.encode(decimal.parse(rate)!) }),
  )
  state.votes.set(ctx, validatorOf(n), {
    $typeName: 'chain.oracle.v1beta1.AggregateExchangeRateVote',
    exchangeRateTuples,
    voter,
  })
}

function endBlock(height: bigint): void {
  ctx.block.height = height
  module.endBlock!(ctx)
}

const misses = (n: number) => state.missCounters.get(ctx, validatorOf(n)) ?? 0n
const rate = (pair: string) => queries.exchangeRate(ctx, { pair }).exchangeRate

/** Returns wins, abstentions and misses of validators 1, 2, … in the last tally. */
function performances(): number[][] {
  const told = new Map(
    ctx.branchStore.events
      .filter(({ type }) => type.endsWith('EventValidatorPerformance'))
      .map(({ attributes }) => {
        const text = (key: string) => JSON.parse(attributes.find((one) => one.key === key)!.value) as string
        return [text('validator'), ['win_count', 'abstain_count', 'miss_count'].map((key) => Number(text(key)))]
      }),
  )
  expect([...told.keys()]).toEqual([...told.keys()].sort())
  return Array.from(told.keys(), (_, i) => told.get(formatBech32(ctx.identity.bech32.validator, validatorOf(i + 1)))!)
}

/** Returns the rewards that distribution received, sorted. */
const paid = () =>
  ctx.branchStore.events
    .filter(({ type }) => type === 'rewards')
    .map(({ attributes }) => attributes[0]!.value)
    .sort()

describe('a voting period', () => {
  // Two of three ballots pass; a reward record of one period is paid out.
  test('sets prices of passing ballots and splits a reward by weight', () => {
    const whitelist = ['atom:usd', 'btc:usd', 'eth:usd']
    start([100n, 100n, 100n, 100n], { whitelist })
    mint(mintery.address, 1_000_000n, 'reward')
    fundRewards(ctx, mintery, [{ denom: 'reward', amount: 1_000_000n }], 1n)
    const common = { 'atom:usd': '1000000', 'eth:usd': '1000000' }
    vote(1, { ...common, 'btc:usd': '1000000' })
    vote(2, common)
    vote(3, { ...common, 'btc:usd': '0' })
    vote(4, { ...common, 'btc:usd': '0' })
    endBlock(9n)
    expect(queries.actives(ctx, {}).actives).toEqual(['atom:usd', 'eth:usd'])
    expect(rate('eth:usd')).toBe(decimal.encode(decimal.fromInteger(1_000_000n)))
    expect(performances()).toEqual(Array.from({ length: 4 }, () => [2, 0, 0]))
    expect([...state.votes.keys(ctx)]).toEqual([])
    expect([...state.rewards.keys(ctx)]).toEqual([])
    expect(bank.balance(ctx, state.account.address, 'reward')).toBe(0n)
    expect(paid()).toEqual(Array.from({ length: 4 }, () => '250000.000000000000000000reward'))
  })

  test('sets prices although a stranger has doubled the coins in the pool of bonded tokens', () => {
    start([100n, 100n, 100n])
    mint(stakingState.bondedPool.address, 300_000_000n)
    for (const n of [1, 2]) vote(n, { 'aaa:uusd': '100' })
    endBlock(9n)
    expect(queries.actives(ctx, {}).actives).toEqual(['aaa:uusd'])
  })

  test('credits no reward that the module’s account cannot pay', () => {
    start([100n])
    mint(mintery.address, 5n, 'reward')
    fundRewards(ctx, mintery, [{ denom: 'reward', amount: 5n }], 1n)
    bank.send(ctx, state.account.address, mintery.address, [{ denom: 'reward', amount: 1n }])
    vote(1, { 'aaa:uusd': '100' })
    endBlock(9n)
    expect([paid(), queries.actives(ctx, {}).actives]).toEqual([[], ['aaa:uusd']])
    expect(bank.balance(ctx, state.account.address, 'reward')).toBe(4n)
  })

  // Misses of validator 3: docs/modules/oracle.md#formulas.
  const honest = { 'aaa:uusd': '100', 'bbb:uusd': '50' }
  const cases: readonly (readonly [string, Readonly<Record<string, string>> | undefined, number[], bigint])[] = [
    ['M1: silence', undefined, [0, 0, 2], 1n],
    ['M2: abstention', { 'aaa:uusd': '-1', 'bbb:uusd': '-1' }, [0, 2, 0], 0n],
    ['M3: two wrong rates', { 'aaa:uusd': '200', 'bbb:uusd': '200' }, [0, 0, 2], 1n],
    ['M4: a pair left out', { 'aaa:uusd': '100' }, [1, 1, 0], 0n],
    ['M5: one wrong rate', { 'aaa:uusd': '100', 'bbb:uusd': '200' }, [1, 0, 1], 1n],
  ]
  for (const [name, third, expected, counter] of cases) {
    test(`counts misses for ${name}`, () => {
      start([100n, 100n, 100n])
      vote(1, honest)
      vote(2, honest)
      if (third) vote(3, third)
      endBlock(9n)
      expect([performances()[2], misses(3), misses(1)]).toEqual([expected, counter, 0n])
    })
  }

  test('M6 and M7: without a passing ballot no price is set, and silent validators miss', () => {
    start([100n, 100n, 100n])
    endBlock(9n)
    expect([performances(), [1, 2, 3].map(misses)]).toEqual([
      [
        [0, 0, 2],
        [0, 0, 2],
        [0, 0, 2],
      ],
      [1n, 1n, 1n],
    ])
    start([100n, 100n, 100n], { minVoters: 2n })
    vote(3, honest)
    endBlock(9n)
    expect([performances(), [1, 2, 3].map(misses)]).toEqual([
      [
        [0, 0, 2],
        [0, 0, 2],
        [0, 0, 0],
      ],
      [1n, 1n, 0n],
    ])
    expect(queries.actives(ctx, {}).actives).toEqual([])
  })

  test('M8: without vote targets no validator misses', () => {
    start([100n, 100n, 100n], { whitelist: [] })
    endBlock(9n)
    expect([performances()[0], misses(1)]).toEqual([[0, 0, 0], 0n])
  })

  // M1 and M3 as the reference counts them.
  test('under the profile silence costs nothing and every wrong rate is a miss', () => {
    start([100n, 100n, 100n], {}, 'nibiru')
    vote(1, honest)
    vote(2, honest)
    endBlock(9n)
    expect([performances()[2], misses(3)]).toEqual([[0, 2, 0], 0n])
    start([100n, 100n, 100n], {}, 'nibiru')
    for (const n of [1, 2]) vote(n, honest)
    vote(3, { 'aaa:uusd': '200', 'bbb:uusd': '200' })
    endBlock(9n)
    expect(misses(3)).toBe(2n)
  })

  // 1000000 in three equal shares leaves 1; 250000 by weights 400, 300 and 200 leaves 1.
  test('each share of a reward is truncated and the remainder stays', () => {
    for (const [amount, powers, shares] of [
      [1_000_000n, [100n, 100n, 100n], ['333333', '333333', '333333']],
      [250_000n, [400n, 300n, 200n], ['111111', '83333', '55555']],
    ] as const) {
      start(powers, { whitelist: ['aaa:uusd'] })
      mint(mintery.address, amount, 'reward')
      fundRewards(ctx, mintery, [{ denom: 'reward', amount }], 1n)
      powers.forEach((_, i) => {
        vote(i + 1, { 'aaa:uusd': '100' })
      })
      endBlock(9n)
      expect(paid()).toEqual(shares.map((share) => `${share}.000000000000000000reward`).sort())
      expect(bank.balance(ctx, state.account.address, 'reward')).toBe(1n)
    }
  })

  test('vote targets follow the whitelist from the next period', () => {
    start([100n])
    messages.editOracleParams(ctx, {
      sender: account(governance),
      params: { whitelist: ['bbb:uusd', 'ccc:uusd'], votePeriod: 5n },
    })
    expect(queries.params(ctx, {}).params).toMatchObject({ votePeriod: 10n, whitelist: ['aaa:uusd', 'bbb:uusd'] })
    endBlock(9n)
    expect(queries.params(ctx, {}).params).toMatchObject({ votePeriod: 5n })
    expect(queries.voteTargets(ctx, {}).voteTargets).toEqual(['bbb:uusd', 'ccc:uusd'])
  })
})

describe('a slash window', () => {
  // 37 misses of 120 periods are allowed, 38 are not.
  test('slashes and jails validators with too many misses and clears every counter', () => {
    for (const [count, slashed] of [
      [37n, false],
      [38n, true],
      [120n, true],
      [121n, true],
    ] as const) {
      start([100n, 100n], { votePeriod: 30n, whitelist: [] })
      state.missCounters.set(ctx, validatorOf(1), count)
      endBlock(3598n)
      expect(misses(1)).toBe(count)
      endBlock(3599n)
      const validator = staking.getValidator(ctx, validatorOf(1))!
      expect([validator.jailed, validator.tokens, misses(1)]).toEqual([slashed, slashed ? '99500000' : '100000000', 0n])
    }
  })

  // 3 periods of 30 blocks: the window ends at heights 89, 179, …
  test('counts voting periods, and blocks under the profile', () => {
    start([100n, 100n], { votePeriod: 30n, slashWindow: 3n, whitelist: [] })
    state.missCounters.set(ctx, validatorOf(1), 1n)
    endBlock(88n)
    expect(misses(1)).toBe(1n)
    endBlock(89n)
    expect(staking.getValidator(ctx, validatorOf(1))!.jailed).toBe(true)
    start([100n, 100n], { votePeriod: 30n, slashWindow: 100n, whitelist: [] }, 'nibiru')
    state.missCounters.set(ctx, validatorOf(1), 1n)
    endBlock(99n)
    expect(staking.getValidator(ctx, validatorOf(1))!.jailed).toBe(true)
  })

  test('skips a removed validator', () => {
    start([100n], { whitelist: [] })
    state.missCounters.set(ctx, validatorOf(9), 500n)
    endBlock(1199n)
    expect(misses(9)).toBe(0n)
  })
})

describe('messages', () => {
  const rates = '(aaa:uusd,100.0)|(bbb:uusd,50)'
  const feeder = account(validatorOf(1))
  const at = (height: bigint) => {
    ctx.block.height = height
  }
  const prevote = (from = feeder) =>
    messages.aggregateExchangeRatePrevote(ctx, {
      hash: voteHash('1', rates, operator(1)).toUpperCase(),
      feeder: from,
      validator: operator(1),
    })
  const reveal = (exchangeRates = rates, salt = '1', from = feeder) =>
    messages.aggregateExchangeRateVote(ctx, { salt, exchangeRates, feeder: from, validator: operator(1) })
  const codeOf = (run: () => unknown): string => {
    try {
      run()
      return 'ok'
    } catch (error) {
      return error instanceof ChainError ? `${error.codespace}/${error.code}` : String(error)
    }
  }

  beforeEach(() => start([100n, 100n], { votePeriod: 30n }))

  // A period has 30 blocks: a prevote at 59 can be revealed from 60 to 89.
  test('a vote is revealed once, in the period after its prevote', () => {
    for (const [promised, revealed, code] of [
      [59n, 60n, 'ok'],
      [59n, 89n, 'ok'],
      [30n, 59n, 'oracle/9'],
      [30n, 90n, 'oracle/9'],
    ] as const) {
      at(promised)
      prevote()
      at(revealed)
      expect([promised, revealed, codeOf(reveal)]).toEqual([promised, revealed, code])
    }
    at(120n)
    prevote()
    at(150n)
    reveal()
    expect(codeOf(reveal)).toBe('oracle/11')
    at(59n)
    prevote()
    endBlock(89n)
    at(90n)
    expect(codeOf(reveal)).toBe('oracle/11')
  })

  test('a vote that does not match its prevote is refused', () => {
    at(59n)
    prevote()
    at(60n)
    expect(codeOf(() => reveal('(aaa:uusd,101.0)|(bbb:uusd,50)'))).toBe('oracle/8')
    expect(codeOf(() => reveal(rates, '2'))).toBe('oracle/8')
    expect(codeOf(() => reveal(rates, '1', account(validatorOf(2))))).toBe('oracle/5')
    expect(codeOf(() => prevote(account(validatorOf(2))))).toBe('oracle/5')
    expect(codeOf(reveal)).toBe('ok')
  })

  test('a delegated feeder can vote, and so can the validator', () => {
    const delegate = account(validatorOf(77))
    expect(codeOf(() => messages.delegateFeedConsent(ctx, { operator: operator(9), delegate }))).toBe('staking/3')
    messages.delegateFeedConsent(ctx, { operator: operator(1), delegate })
    expect(queries.feederDelegation(ctx, { validatorAddr: operator(1) }).feederAddr).toBe(delegate)
    expect(codeOf(() => prevote(delegate))).toBe('ok')
    expect(codeOf(() => prevote())).toBe('ok')
  })

  test('a vote of a validator in upper case counts, also as an earlier build stored it', () => {
    const upper = operator(1).toUpperCase()
    at(59n)
    prevote()
    at(60n)
    messages.aggregateExchangeRateVote(ctx, { salt: '1', exchangeRates: rates, feeder, validator: upper })
    expect(state.votes.get(ctx, validatorOf(1))!.voter).toBe(operator(1))
    state.votes.set(ctx, validatorOf(1), { ...state.votes.get(ctx, validatorOf(1))!, voter: upper })
    ctx.branchStore.events.length = 0
    endBlock(89n)
    // Wins, abstentions and misses, as for a vote in lower case: two pairs, and validator 2 is silent.
    expect(performances()[0]).toEqual([2, 0, 0])
    expect(rate('aaa:uusd')).toBe(decimal.encode(decimal.parse('100')!))
  })

  test('a validator that is not bonded cannot vote', () => {
    setValidator(ctx, { ...staking.getValidator(ctx, validatorOf(1))!, status: BondStatus.UNBONDED })
    expect(codeOf(() => prevote())).toBe('staking/3')
  })

  test('pairs that are not vote targets are dropped, or refused under the profile', () => {
    at(59n)
    const more = '(aaa:uusd,100)|(zzz:uusd,1)'
    const hash = voteHash('1', more, operator(1))
    messages.aggregateExchangeRatePrevote(ctx, { hash, feeder, validator: operator(1) })
    at(60n)
    reveal(more)
    expect(queries.aggregateVote(ctx, { validatorAddr: operator(1) }).aggregateVote!.exchangeRateTuples.length).toBe(1)
  })

  test('invalid messages are refused without reading state', () => {
    const check = (index: number, message: object) => codeOf(() => validations[index]!.check(ctx, message as never))
    const good = { hash: 'ab'.repeat(20), feeder, validator: operator(1) }
    const vote = { salt: '1', exchangeRates: rates, feeder, validator: operator(1) }
    expect([
      check(0, good),
      check(0, { ...good, hash: 'xy' }),
      check(0, { ...good, hash: 'abcd' }),
      check(0, { ...good, feeder: 'x' }),
      check(0, { ...good, validator: feeder }),
      check(1, vote),
      check(1, { ...vote, exchangeRates: '' }),
      check(1, { ...vote, exchangeRates: '('.repeat(4097) }),
      check(1, { ...vote, exchangeRates: 'aaa:uusd,1' }),
      check(1, { ...vote, exchangeRates: `(aaa:uusd,1${'0'.repeat(77)})` }),
      check(1, { ...vote, salt: '' }),
      check(1, { ...vote, salt: '12345' }),
      check(3, { sender: feeder }),
    ]).toEqual([
      ...['ok', 'oracle/6', 'oracle/7', 'sdk/7', 'sdk/7', 'ok', 'sdk/6', 'sdk/18', 'sdk/10', 'oracle/2'],
      ...['oracle/10', 'oracle/10', 'sdk/18'],
    ])
  })

  test('invalid parameters are refused, and only governance edits them', () => {
    const sender = account(governance)
    const edit = (params: object, from = sender) =>
      codeOf(() => messages.editOracleParams(ctx, { sender: from, params }))
    const wire = (text: string) => decimal.encode(decimal.parse(text)!)
    expect(edit({ votePeriod: 5n }, feeder)).toBe('sudo/2')
    expect(edit({ voteThreshold: wire('0.33') })).toBe('sdk/18')
    expect(edit({ voteThreshold: wire('1.1') })).toBe('sdk/18')
    expect(edit({ rewardBand: wire('1.1') })).toBe('sdk/18')
    expect(edit({ slashFraction: wire('-0.1') })).toBe('sdk/18')
    expect(edit({ whitelist: ['aaa'] })).toBe('sdk/18')
    expect(edit({ whitelist: ['aaa:uusd', 'aaa:uusd'] })).toBe('sdk/18')
    expect(edit({ twapLookbackWindow: { seconds: 0n } })).toBe('sdk/18')
    expect(edit({ twapLookbackWindow: { seconds: 9_223_372_037n } })).toBe('sdk/18')
    expect(edit({ twapLookbackWindow: { seconds: 2n, nanos: -1_000_000_000 } })).toBe('sdk/18')
    expect(edit({ slashWindow: 1n << 62n })).toBe('sdk/18')
    expect(edit({ minVoters: 3n, expirationBlocks: 5n })).toBe('ok')
    start([100n], { votePeriod: 30n }, 'nibiru')
    const root = formatBech32('nibi', validatorOf(5))
    sudo.genesis!.init(ctx, { sudoers: { root, contracts: [] } })
    expect(codeOf(() => messages.editOracleParams(ctx, { sender: root, params: { slashWindow: 29n } }))).toBe('sdk/18')
  })

  test('no sequence of messages makes the end of a block throw', () => {
    let seed = 11
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
      return (seed >> 8) % below
    }
    const pick = <T>(list: readonly T[]): T => list[random(list.length)]!
    const texts = [
      '(aaa:uusd,1)',
      '(aaa:uusd,-1)|(bbb:uusd,99999999999999999999)',
      '(aaa:uusd,0.000000000000000001)',
      rates,
    ]
    start([100n, 50n, 1n, 0n, 7n], { votePeriod: 2n, slashWindow: 3n, minValidPerWindow: '0' })
    for (let height = 2n; height < 300n; height++) {
      at(height)
      for (let i = 0; i < 4; i++) {
        const n = 1 + random(6)
        const text = pick(texts)
        const common = { feeder: account(validatorOf(n)), validator: operator(n) }
        codeOf(() => messages.aggregateExchangeRateVote(ctx, { ...common, salt: '1', exchangeRates: text }))
        codeOf(() => messages.aggregateExchangeRatePrevote(ctx, { ...common, hash: voteHash('1', text, operator(n)) }))
        codeOf(() =>
          messages.editOracleParams(ctx, {
            sender: account(governance),
            params: { votePeriod: BigInt(random(4)), slashWindow: BigInt(random(5)), minVoters: BigInt(random(3)) },
          }),
        )
      }
      ctx.block.timeNs += 10n ** 9n
      endBlock(height)
    }
    for (const [, { exchangeRate }] of state.exchangeRates.iterate(ctx)) expect(BigInt(exchangeRate) > 0n).toBe(true)
  })
})

describe('queries', () => {
  // A price of block 1000 expires at 1900.
  test('a rate is vintage from its expiration height', () => {
    start([100n])
    vote(1, { 'aaa:uusd': '5' })
    endBlock(999n)
    const isVintage = (height: bigint) => {
      ctx.block.height = height
      return queries.exchangeRate(ctx, { pair: 'aaa:uusd' }).isVintage
    }
    expect([isVintage(1898n), isVintage(1899n)]).toEqual([false, true])
  })

  test('rates off the whitelist are not listed but stay active', () => {
    start([100n])
    vote(1, { 'aaa:uusd': '5', 'bbb:uusd': '6' })
    endBlock(9n)
    state.params.set(ctx, create(ParamsSchema, { ...state.params.get(ctx)!, whitelist: ['bbb:uusd'] }))
    expect(queries.exchangeRates(ctx, {}).exchangeRates.map(({ pair }) => pair)).toEqual(['bbb:uusd'])
    expect(queries.actives(ctx, {}).actives).toEqual(['aaa:uusd', 'bbb:uusd'])
    expect(queries.exchangeRateTwap(ctx, { pair: 'aaa:uusd' })).toMatchObject({ blockHeight: 9n, isVintage: false })
  })

  test('unknown records are not found, and invalid addresses are refused', () => {
    start([100n])
    const refused = (run: () => unknown) => {
      try {
        run()
      } catch (error) {
        return [(error as ChainError).status, (error as ChainError).message]
      }
      return undefined
    }
    expect(refused(() => queries.exchangeRate(ctx, { pair: '' }))).toEqual(['invalidArgument', 'empty pair'])
    expect(refused(() => queries.exchangeRate(ctx, { pair: 'no:such' }))).toEqual([
      ...['notFound', 'no price for pair no:such; see /pairs/actives'],
    ])
    expect(refused(() => queries.aggregateVote(ctx, { validatorAddr: operator(1) }))![0]).toBe('notFound')
    expect(refused(() => queries.missCounter(ctx, { validatorAddr: '' }))).toEqual([
      ...['invalidArgument', 'empty address string is not allowed'],
    ])
    expect(queries.missCounter(ctx, { validatorAddr: operator(9) }).missCounter).toBe(0n)
  })

  // Bytes recorded from the reference.
  test('messages have the bytes of the reference', () => {
    const bytes = (schema: Parameters<typeof create>[0], message: object) =>
      formatHex(toBinary(schema, complete(schema, create(schema, message as never))))
    expect(bytes(QueryExchangeRateRequestSchema, { pair: 'ubtc:uusd' })).toBe('0a09756274633a75757364')
    const answer = { exchangeRate: '64250500000000000000000', blockTimestampMs: 1_700_000_000_000n, blockHeight: 1234n }
    expect(bytes(QueryExchangeRateResponseSchema, answer)).toBe(
      '0a1736343235303530303030303030303030303030303030301080d095ffbc3118d209',
    )
    expect(bytes(QueryExchangeRateResponseSchema, { isVintage: true })).toBe('0a01302001')
    start([100n])
    expect(bytes(ParamsSchema, defaultParams(ctx))).toBe(
      '081e12123333333333333333333333333333333333331a1132303030303030303030303030303030302209756274633a757573642209756574683a75757364220a7561746f6d3a75757364220a75757364633a75757364220a75757364743a757573642a103530303030303030303030303030303030783a123639303030303030303030303030303030304203088407480152113530303030303030303030303030303030588407',
    )
  })
})

describe('genesis', () => {
  const data = () => ({
    params: (genesis.defaults(ctx) as { params: object }).params,
    feeder_delegations: [{ feeder_address: account(validatorOf(7)), validator_address: operator(1) }],
    exchange_rates: [{ pair: 'ubtc:uusd', exchange_rate: '64250.500000000000000000' }],
    miss_counters: [{ validator_address: operator(1), miss_counter: '3' }],
    aggregate_exchange_rate_prevotes: [],
    aggregate_exchange_rate_votes: [],
    pairs: ['ubtc:uusd'],
    rewards: [{ id: '4', vote_periods: '2', coins: [{ denom: DENOM, amount: '5' }] }],
  })
  beforeEach(() => start([100n], { whitelist: [] }))

  test('an exported document equals the imported one', () => {
    genesis.init(ctx, data() as never)
    expect(genesis.export(ctx)).toMatchObject(data())
    expect(state.rewardIds.peek(ctx)).toBe(5n)
    expect([...state.snapshots.keys(ctx, { prefix: 'ubtc:uusd' })].length).toBe(1)
  })

  const own = {
    rate_origins: [{ pair: 'ubtc:uusd', created_block: '77', block_timestamp_ms: '1700000000123' }],
    past_prices: [
      { pair: 'ubtc:uusd', price: '64000.000000000000000000', time: '2023-11-14T22:13:15Z' },
      { pair: 'ubtc:uusd', price: '64250.500000000000000000', time: '2023-11-14T22:13:20.123456789Z' },
      { pair: 'ueth:uusd', price: '3100.000000000000000000', time: '2023-11-14T22:13:20.123456789Z' },
    ],
    next_reward_id: '9',
  }

  test('keeps price origins, past prices and the next reward id', () => {
    genesis.init(ctx, { ...data(), ...own } as never)
    expect(genesis.export(ctx)).toEqual({ ...data(), ...own })
    expect(state.exchangeRates.get(ctx, 'ubtc:uusd')).toMatchObject({ createdBlock: 77n })
    const [, last] = [...state.snapshots.iterate(ctx, { prefix: 'ubtc:uusd' })]
    expect(last).toMatchObject([['ubtc:uusd', 1_700_000_000_123_456_789n], { timestampMs: 1_700_000_000_123n }])
    expect(ctx.events).toEqual([])
  })

  test('under the reference profile an export has only the fields of that chain', () => {
    start([100n], { whitelist: [] }, 'nibiru')
    const params = (genesis.defaults(ctx) as { params: object }).params
    genesis.init(ctx, { params, exchange_rates: data().exchange_rates, ...own } as never)
    expect(Object.keys(genesis.export(ctx) as object)).toEqual(Object.keys(data()))
  })

  test('an invalid document is refused', () => {
    const wrong = (part: object, message: string) => {
      expect(() => genesis.init(ctx, { ...data(), ...part } as never)).toThrow(message)
    }
    wrong({ exchange_rates: [{ pair: 'ubtc:uusd', exchange_rate: '0.000000000000000000' }] }, 'must be above 0')
    wrong({ exchange_rates: [{ pair: 'ubtc', exchange_rate: '1.000000000000000000' }] }, errors.invalidPair().message)
    wrong({ pairs: ['ubtc:uusd', 'ubtc:uusd'] }, 'pairs lists ubtc:uusd twice')
    wrong(
      { miss_counters: [data().miss_counters[0], data().miss_counters[0]] },
      `miss_counters lists ${operator(1)} twice`,
    )
    wrong({ params: { ...data().params, vote_period: '0' } }, 'vote_period must be > 0')
    wrong({ params: { ...data().params, slash_window: '0' } }, 'slash_window must be > 0')
    wrong({ params: { ...data().params, whitelist: ['ubtc:uusd', 'ubtc:uusd'] } }, 'contains a pair twice')
    wrong(
      { params: { ...data().params, twap_lookback_window: '9223372037s' } },
      'twap_lookback_window: a duration expected',
    )
    wrong(
      { exchange_rates: [data().exchange_rates[0], data().exchange_rates[0]] },
      'exchange_rates lists ubtc:uusd twice',
    )
    const twice = { feeder_address: account(validatorOf(8)), validator_address: operator(1) }
    wrong(
      { feeder_delegations: [data().feeder_delegations[0], twice] },
      `feeder_delegations lists ${operator(1)} twice`,
    )
    const prevote = { hash: 'ab'.repeat(20), voter: operator(1), submit_block: '1' }
    wrong(
      { aggregate_exchange_rate_prevotes: [prevote, prevote] },
      `aggregate_exchange_rate_prevotes lists ${operator(1)} twice`,
    )
    const vote = { exchange_rate_tuples: [], voter: operator(1) }
    wrong({ aggregate_exchange_rate_votes: [vote, vote] }, `aggregate_exchange_rate_votes lists ${operator(1)} twice`)
    wrong({ rewards: [data().rewards[0], data().rewards[0]] }, 'rewards lists 4 twice')
    const [origin] = own.rate_origins
    const [past] = own.past_prices
    wrong({ rate_origins: [origin, origin] }, 'rate_origins lists ubtc:uusd twice')
    wrong({ rate_origins: [{ ...origin, pair: 'ueth:uusd' }] }, 'rate_origins lists ueth:uusd, which has no rate')
    wrong({ past_prices: [past, past] }, 'past_prices lists ubtc:uusd of 2023-11-14T22:13:15Z twice')
    wrong({ past_prices: [{ ...past, price: '0.000000000000000000' }] }, 'past price of ubtc:uusd must be above 0')
    wrong(
      { past_prices: [{ ...past, time: '2999-01-01T00:00:00Z' }] },
      'past price of ubtc:uusd at 2999-01-01T00:00:00Z is later than the chain',
    )
    wrong({ next_reward_id: '4' }, 'next_reward_id 4 must be above the id of every reward')
    wrong(
      { feeder_delegations: [{ feeder_address: 'x', validator_address: operator(1) }] },
      'invalid bech32 string length 1',
    )
  })
})
