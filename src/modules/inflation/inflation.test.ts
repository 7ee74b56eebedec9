import { beforeEach, describe, expect, test } from 'vitest'
import type { Params } from '../../gen/chain/inflation/v1/inflation_pb.ts'
import { identityOf } from '../../identity/profiles.ts'
import { formatBech32, ofModule } from '../../primitives/address.ts'
import * as decimal from '../../primitives/decimal.ts'
import { NS_PER_SECOND, parseRfc3339 } from '../../primitives/time.ts'
import { governance } from '../../sdk/authority.ts'
import type { BranchedContext } from '../../sdk/context.ts'
import { testContext } from '../../sdk/testing.ts'
import { auth as authModule } from '../auth/index.ts'
import * as auth from '../auth/keeper.ts'
import { bank as bankModule } from '../bank/index.ts'
import * as bank from '../bank/keeper.ts'
import { distribution as distributionModule } from '../distribution/index.ts'
import * as distribution from '../distribution/keeper.ts'
import { genesis as epochsGenesis } from '../epochs/genesis.ts'
import { epochs } from '../epochs/index.ts'
import { genesis as sudoGenesis } from '../sudo/genesis.ts'
import { sudo } from '../sudo/index.ts'
import { genesis } from './genesis.ts'
import { inflation as module } from './index.ts'
import * as inflation from './keeper.ts'
import { messages } from './messages.ts'
import { mintEpoch } from './mint.ts'
import { defaultParams } from './params.ts'
import { queries } from './queries.ts'
import * as state from './state.ts'

const T0 = parseRfc3339('2024-01-01T00:00:00Z')!
const FIRST = 594_248_830_218n
const rootBytes = new Uint8Array(20).fill(1)
const strangerBytes = new Uint8Array(20).fill(2)

let ctx: BranchedContext
let root: string

function begin(options: { readonly profile?: string; readonly root?: boolean } = {}): void {
  const identity = identityOf(options.profile ?? 'almanac')
  ctx = testContext({
    identity,
    modules: [authModule, bankModule, distributionModule, epochs, module, sudo],
    block: { height: 0n, timeNs: T0 },
  })
  root = formatBech32(identity.bech32.account, rootBytes)
  for (const { genesis: handlers } of [authModule, bankModule, distributionModule]) {
    handlers!.init(ctx, handlers!.defaults(ctx))
  }
  sudoGenesis.init(ctx, { sudoers: { root: options.root === false ? '' : root, contracts: [] } })
  genesis.init(ctx, genesis.defaults(ctx))
}
beforeEach(() => begin())

const set = (part: Partial<Params>) => state.params.set(ctx, { ...inflation.params(ctx), ...part })
const supply = () => bank.supply(ctx, ctx.identity.baseDenom)
const held = (name: string) => bank.balance(ctx, ofModule(name), ctx.identity.baseDenom)
const day = (number: bigint) => mintEpoch(ctx, { identifier: 'day', number })
const counters = () => [inflation.period(ctx), inflation.skippedEpochs(ctx)]

describe('the end of an epoch', () => {
  const started = { hasInflationStarted: true }
  const on = { inflationEnabled: true, ...started }
  test.each([
    [29, {}, [0n, 0n], 7n, [0n, 7n], 0n],
    [30, started, [0n, 19n], 20n, [0n, 20n], 0n],
    [32, on, [0n, 0n], 29n, [0n, 0n], FIRST],
    [33, on, [0n, 0n], 30n, [1n, 0n], FIRST],
    [34, on, [0n, 1n], 30n, [0n, 1n], FIRST],
    [35, on, [1n, 0n], 59n, [1n, 0n], 583_191_333_818n],
    [35, on, [1n, 0n], 60n, [2n, 0n], 583_191_333_818n],
    [36, on, [1n, 10n], 69n, [1n, 10n], 583_191_333_818n],
    [36, on, [1n, 10n], 70n, [2n, 10n], 583_191_333_818n],
    [37, on, [0n, 42_069n], 42_099n, [1n, 42_069n], FIRST],
  ] as const)('vector %s', (_, params, [period, skipped], number, after, minted) => {
    set(params)
    state.period.set(ctx, period)
    state.skippedEpochs.set(ctx, skipped)
    day(number)
    expect([counters(), supply()]).toEqual([[...after], minted])
  })

  test('epochs of other records have no effect', () => {
    state.skippedEpochs.set(ctx, 19n)
    mintEpoch(ctx, { identifier: 'week', number: 20n })
    expect(counters()).toEqual([0n, 19n])
  })

  test('after the last period no coins are minted, and the day counts as skipped except in the reference (D43)', () => {
    const past = () => {
      set({ ...on })
      state.period.set(ctx, 96n)
      day(3_000n)
      return [supply(), ...counters()]
    }
    expect(past()).toEqual([0n, 96n, 1n])
    begin({ profile: 'nibiru' })
    expect(past()).toEqual([0n, 96n, 0n])
  })

  test('a provision below one unit mints nothing and counts as skipped', () => {
    set({ ...on, polynomialFactors: [decimal.encode(decimal.parse('0.00000001')!)] })
    day(1n)
    expect([supply(), ...counters()]).toEqual([0n, 0n, 1n])
  })

  test('periods advance after thirty minting days, not counting days while inflation is off', () => {
    const numbers: string[] = []
    const days = (from: bigint, to: bigint) => {
      for (let number = from; number <= to; number++) day(number)
      for (const { type, attributes } of ctx.branchStore.events.splice(0)) {
        if (type === 'inflation') numbers.push(attributes[0]!.value)
      }
    }
    days(1n, 10n)
    messages.toggleInflation(ctx, { sender: root, enable: true })
    days(11n, 40n)
    expect([supply(), ...counters()]).toEqual([17_827_464_906_540n, 1n, 10n])
    expect([numbers[0], numbers.at(-1)]).toEqual(['1', '30'])
    messages.toggleInflation(ctx, { sender: root, enable: false })
    days(41n, 45n)
    expect(counters()).toEqual([1n, 15n])
    messages.toggleInflation(ctx, { sender: root, enable: true })
    days(46n, 75n)
    expect([supply(), ...counters()]).toEqual([17_827_464_906_540n + 17_495_740_014_540n, 2n, 15n])
  })

  test('a late chain mints one day in each block until it has caught up', () => {
    set(on)
    epochsGenesis.init(ctx, epochsGenesis.defaults(ctx))
    const block = (height: bigint, offset: bigint) => {
      ctx.block.height = height
      ctx.block.timeNs = T0 + offset * NS_PER_SECOND
      epochs.beginBlock!(ctx)
    }
    const late = 3n * 86_400n + 300n
    block(1n, 0n)
    block(2n, 1800n)
    const sums = [late, late + 6n, late + 12n, late + 18n, late + 1800n, 4n * 86_400n + 240n].map((offset, i) => {
      block(BigInt(3 + i), offset)
      return supply()
    })
    expect(sums).toEqual([FIRST, 2n * FIRST, 3n * FIRST, 3n * FIRST, 3n * FIRST, 2_376_995_320_872n])
  })
})

describe('distribution', () => {
  const on = { inflationEnabled: true, hasInflationStarted: true }

  test('pays stakers, the community pool and the root to the last unit, with the events of the reference', () => {
    set(on)
    day(1n)
    const shares = [
      held('fee_collector'),
      held('distribution'),
      bank.balance(ctx, rootBytes, 'unative'),
      held('inflation'),
    ]
    expect(shares).toEqual([167_132_483_498n, 210_854_341_182n, 216_262_005_538n, 0n])
    expect(decimal.format(distribution.communityPool(ctx)[0]!.amount as decimal.Decimal)).toBe(
      `210854341182.${'0'.repeat(18)}`,
    )
    const types = ctx.events.map(({ type }) => type)
    expect(types.slice(-2)).toEqual(['chain.inflation.v1.EventInflationDistribution', 'inflation'])
    expect(ctx.events.at(-1)!.attributes).toEqual([
      { key: 'epoch_number', value: '1' },
      { key: 'epoch_provisions', value: '594248830218.002200133333333333' },
      { key: 'amount', value: '594248830218' },
    ])
    expect(ctx.events.at(-2)!.attributes).toEqual([
      { key: 'community_pool', value: '{"denom":"unative","amount":"210854341182"}' },
      { key: 'staking_rewards', value: '{"denom":"unative","amount":"167132483498"}' },
      { key: 'strategic_reserve', value: '{"denom":"unative","amount":"216262005538"}' },
    ])
  })

  test('keeps the reserve without a root and pays it in the next epoch with one (D27)', () => {
    begin({ root: false })
    set(on)
    day(1n)
    expect(held('inflation')).toBe(216_262_005_538n)
    sudoGenesis.init(ctx, { sudoers: { root, contracts: [] } })
    day(2n)
    expect([held('inflation'), bank.balance(ctx, rootBytes, 'unative')]).toEqual([0n, 2n * 216_262_005_538n])
    expect(counters()).toEqual([0n, 0n])
  })

  test('pays stray coins of the module account to the root', () => {
    set({ ...on, polynomialFactors: [decimal.encode(decimal.parse('30')!)] })
    bank.mint(ctx, state.account, [{ denom: 'unative', amount: 500n }])
    day(1n)
    expect(bank.balance(ctx, rootBytes, 'unative')).toBe(364_425n)
  })

  test('refuses a mint that makes the supply too large', () => {
    set({ ...on, polynomialFactors: [decimal.encode(decimal.fromRaw(10n ** 75n))] })
    expect(() => day(1n)).toThrow('the supply would be too large')
    expect(supply()).toBe(0n)
  })
})

describe('messages', () => {
  const unauthorized = expect.objectContaining({ codespace: 'sudo', code: 2 })
  const stranger = () => formatBech32(ctx.identity.bech32.account, strangerBytes)
  const gov = () => formatBech32(ctx.identity.bech32.account, governance)

  test('governance and the root toggle inflation, and has_inflation_started stays true', () => {
    expect(() => messages.toggleInflation(ctx, { sender: stranger(), enable: true })).toThrow(unauthorized)
    messages.toggleInflation(ctx, { sender: gov(), enable: true })
    messages.toggleInflation(ctx, { sender: root, enable: false })
    expect(inflation.params(ctx)).toMatchObject({ inflationEnabled: false, hasInflationStarted: true })
  })

  test('under the reference profile sudoers can edit and governance cannot', () => {
    begin({ profile: 'nibiru' })
    sudoGenesis.init(ctx, { sudoers: { root, contracts: [stranger()] } })
    messages.toggleInflation(ctx, { sender: stranger(), enable: true })
    // The reference did not register this failure of its module.
    const unregistered = expect.objectContaining({ codespace: 'undefined', code: 1 })
    expect(() => messages.toggleInflation(ctx, { sender: gov(), enable: false })).toThrow(unregistered)
  })

  test('an edit replaces the fields that are set and keeps the rest', () => {
    messages.editInflationParams(ctx, { sender: root, inflationEnabled: true, epochsPerPeriod: '4', maxPeriod: '7' })
    expect(inflation.params(ctx)).toEqual({ ...defaultParams(), epochsPerPeriod: 4n, maxPeriod: 7n })
  })

  const factor = decimal.encode(decimal.one)
  const ratios = (...texts: string[]) => {
    const [stakingRewards, communityPool, strategicReserves] = texts.map((text) =>
      text === '' ? '' : decimal.encode(decimal.parse(text)!),
    )
    return {
      inflationDistribution: {
        stakingRewards: stakingRewards!,
        communityPool: communityPool!,
        strategicReserves: strategicReserves!,
      },
    }
  }
  test.each([
    [{ polynomialFactors: [factor] }, 'polynomial factors should have 6 elements, got 1'],
    [ratios('0.5', '', '0.5'), 'inflation distribution community pool should not be nil'],
    [ratios('0.5', '0.5', '0.1'), 'inflation distribution sum should be 1, got 1.100000000000000000'],
    [ratios('1.5', '-0.5', '0'), 'community pool distribution ratio must not be negative'],
    [{ epochsPerPeriod: '0' }, 'epochs per period must be positive'],
    [{ periodsPerYear: '0' }, 'periods per year must be positive'],
    [{ maxPeriod: '18446744073709551616' }, 'max period must be an unsigned 64-bit integer, got 18446744073709551616'],
    [{ epochsPerPeriod: '-1' }, 'must be an unsigned 64-bit integer'],
    [{ epochsPerPeriod: '' }, 'must be an unsigned 64-bit integer'],
  ])('an invalid edit is refused: %o', (part, message) => {
    expect(() => messages.editInflationParams(ctx, { sender: root, ...part } as never)).toThrow(message)
    expect(inflation.params(ctx)).toEqual(defaultParams())
  })
})

test('locked coins of vesting accounts do not circulate, delegated or not, except in the reference (D8)', () => {
  const account = {
    ...auth.newAccount(ctx, strangerBytes),
    kind: 'vesting' as const,
    vesting: {
      schedule: { kind: 'continuous' as const, startTime: 1000n },
      original: [{ denom: 'unative', amount: 300_000n }],
      delegatedFree: [],
      delegatedVesting: [{ denom: 'unative', amount: 100n }],
      endTime: 2000n,
    },
  }
  auth.setAccount(ctx, account)
  bank.mint(ctx, state.account, [{ denom: 'unative', amount: 1_000_000n }])
  const at = (seconds: bigint) => {
    ctx.block.timeNs = seconds * NS_PER_SECOND
    return decimal.format(decimal.decode(queries.circulatingSupply(ctx, {}).circulatingSupply!.amount)!)
  }
  expect([at(1250n), at(2000n)]).toEqual([`775000.${'0'.repeat(18)}`, `1000000.${'0'.repeat(18)}`])
  const reference = {
    ...ctx,
    identity: { ...ctx.identity, behaviours: { ...ctx.identity.behaviours, unvestedCirculates: true } },
  }
  ctx.block.timeNs = 1250n * NS_PER_SECOND
  expect(inflation.circulatingSupply(reference)).toBe(1_000_000n)
})

test('an exported genesis equals the imported one, and an invalid one is refused', () => {
  const given = { ...(genesis.defaults(ctx) as { params: object }), period: '3', skipped_epochs: '9' }
  genesis.init(ctx, given as never)
  expect(genesis.export(ctx)).toEqual(given)
  const { params } = given
  expect(() => genesis.init(ctx, { params: { ...params, epochs_per_period: '0' } } as never)).toThrow(
    'must be positive',
  )
  expect(() => genesis.init(ctx, { params: { ...params, polynomial_factors: [] } } as never)).toThrow(
    'should not be empty',
  )
})

test('under random parameters every minted unit reaches stakers, the community pool or the root', () => {
  let seed = 11n
  const random = (below: bigint) => {
    seed = (seed * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & ((1n << 64n) - 1n)
    return (seed >> 11n) % below
  }
  const raw = (value: bigint) => decimal.encode(decimal.fromRaw(value))
  for (let number = 1n; number <= 300n; number++) {
    const staking = random(10n ** 18n + 1n)
    const community = random(10n ** 18n - staking + 1n)
    set({
      inflationEnabled: random(8n) > 0n,
      hasInflationStarted: true,
      epochsPerPeriod: 1n + random(40n),
      polynomialFactors: [raw(random(10n ** 22n) - 10n ** 21n), raw(random(10n ** 25n))],
      inflationDistribution: {
        ...defaultParams().inflationDistribution!,
        stakingRewards: raw(staking),
        communityPool: raw(community),
        strategicReserves: raw(10n ** 18n - staking - community),
      },
    })
    day(number)
    const all =
      held('fee_collector') + held('distribution') + bank.balance(ctx, rootBytes, 'unative') + held('inflation')
    expect(all).toBe(supply())
    expect(held('inflation')).toBe(0n)
  }
  expect(supply()).toBeGreaterThan(0n)
})
