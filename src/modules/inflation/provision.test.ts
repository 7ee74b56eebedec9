import { create, toBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { type Params, ParamsSchema } from '../../gen/chain/inflation/v1/inflation_pb.ts'
import { QueryEpochMintProvisionResponseSchema } from '../../gen/chain/inflation/v1/query_pb.ts'
import { DecCoinSchema } from '../../gen/sdk/base/v1beta1/coin_pb.ts'
import { complete } from '../../identity/complete.ts'
import { formatHex } from '../../primitives/bytes.ts'
import * as decimal from '../../primitives/decimal.ts'
import { defaultParams } from './params.ts'
import { inflationRate, provision, split } from './provision.ts'

const enabled = (part: Partial<Params> = {}): Params => ({ ...defaultParams(), inflationEnabled: true, ...part })
const factors = (...texts: string[]) => texts.map((text) => decimal.encode(decimal.parse(text)!))
const shares = (minted: bigint, left = 0n) => {
  const { staking, community } = split(minted, defaultParams().inflationDistribution!)
  return [staking, community, minted + left - staking - community].map(Number)
}

// Period, polynomial, provision, mint and its parts: docs/modules/inflation.md#formulas.
test.each([
  [0n, '594248830218.002200133333333333', 167132483498, 210854341182, 216262005538],
  [1n, '583191333818.823617900000000000', 164022562636, 206930865021, 212237906161],
  [2n, '572338674587.492877800000000000', 160970252227, 203080070210, 208288352150],
  [3n, '561687167455.839438233333333333', 157974515846, 199300649192, 204412002417],
  [6n, '530903578300.715194733333333333', 149316631396, 188377862170, 193209084734],
  [12n, '474295782707.856322133333333333', 133395688886, 168292001099, 172608092722],
  [24n, '378539427934.935090533333333333', 106464214106, 134315252516, 137759961312],
  [36n, '302124811403.938255733333333333', 84972603207, 107201436206, 109950771990],
  [48n, '241136596782.344089733333333333', 67819667844, 85561292953, 87755635985],
  [60n, '192452667559.977514133333333333', 54127312750, 68287017766, 70038337043],
  [72n, '153597728708.578228133333333333', 43199361199, 54500314088, 55898053421],
  [84n, '122596908341.368836533333333333', 34480380470, 43500448002, 44616079869],
  [95n, '99690538652.969017300000000000', 28037963995, 35372695377, 36279879280],
] as const)('an epoch of period %s mints %s', (period, expected, ...split) => {
  const perEpoch = provision(enabled(), period)
  expect(decimal.format(perEpoch)).toBe(expected)
  expect(shares(decimal.truncate(perEpoch))).toEqual(split)
})

test('the provision is 0 from max_period, while inflation is off, and for a negative polynomial', () => {
  expect(provision(enabled(), 96n)).toBe(0n)
  expect(provision(defaultParams(), 0n)).toBe(0n)
  expect(provision(enabled({ epochsPerPeriod: 0n }), 0n)).toBe(0n)
  expect(provision(enabled({ polynomialFactors: factors('-1') }), 0n)).toBe(0n)
})

test('eight years mint 800 million native and 40,210 unative', () => {
  const years = Array.from({ length: 8 }, (_, year) => {
    let sum = 0n
    for (let period = BigInt(year) * 12n; period < BigInt(year) * 12n + 12n; period++) {
      sum += 30n * decimal.truncate(provision(enabled(), period))
    }
    return sum
  })
  expect(years.map(Number)).toEqual([
    193334305928550, 154303677329250, 123152617107360, 98292740091810, 78449767924230, 62610825655950, 49971738345810,
    39884327657250,
  ])
  expect(years.reduce((a, b) => a + b)).toBe(800_000_000_040_210n)
})

describe('rounding', () => {
  test('the provision rounds half to even at 18 places', () => {
    const line = enabled({ polynomialFactors: factors('3', '3') })
    expect([0n, 1n, 2n].map((period) => decimal.truncate(provision(line, period)))).toEqual([
      100_000n,
      200_000n,
      300_000n,
    ])
    const tenth = enabled({ polynomialFactors: factors('0', '0', '0', '0', '0', '0.1'), epochsPerPeriod: 7n })
    expect(decimal.format(provision(tenth, 5n))).toBe('14285.714285714285714286')
    const third = enabled({ polynomialFactors: factors('0.2'), epochsPerPeriod: 3n })
    expect(decimal.format(provision(third, 0n))).toBe('66666.666666666666666667')
  })

  test('the reserve receives the remainder of a split', () => {
    expect(shares(1_000_000n)).toEqual([281_250, 354_825, 363_925])
    expect([1n, 2n, 3n, 7n, 10n].map((minted) => shares(minted))).toEqual([
      [0, 0, 1],
      [0, 0, 2],
      [0, 1, 2],
      [1, 2, 4],
      [2, 3, 5],
    ])
    expect(shares(1_000_000n, 500n)).toEqual([281_250, 354_825, 364_425])
  })
})

// Period, supply and rate in percent.
test.each([
  [0n, 800_000_000_000_000n, '26.741197359810099000'],
  [0n, 400_000_000_000_000n, '53.482394719620198000'],
  [0n, 1_500_000_000_000_000n, '14.261971925232052800'],
  [12n, 1_693_333_719_000_000n, '10.083451351554186800'],
  [95n, 2_299_000_000_000_000n, '1.561052366901646200'],
  [96n, 2_299_000_000_000_000n, '0.000000000000000000'],
  [0n, 0n, '0.000000000000000000'],
] as const)('the rate of period %s with a supply of %s', (period, supply, expected) => {
  const params = enabled()
  expect(decimal.format(inflationRate(params, provision(params, period), supply))).toBe(expected)
})

test('messages have the bytes of the reference', () => {
  const amount = decimal.encode(provision(enabled(), 0n))
  const coin = '0a07756e6174697665121e353934323438383330323138303032323030313333333333333333333333'
  expect(formatHex(toBinary(DecCoinSchema, create(DecCoinSchema, { denom: 'unative', amount })))).toBe(coin)
  const answer = create(QueryEpochMintProvisionResponseSchema, { epochMintProvision: { denom: 'unative', amount } })
  expect(formatHex(toBinary(QueryEpochMintProvisionResponseSchema, answer))).toBe(`0a29${coin}`)
  expect(formatHex(toBinary(ParamsSchema, complete(ParamsSchema, defaultParams())))).toBe(
    '12102d3134373038353532343030303030301211373432393139383237363230303030303012152d313838363734313536313131383030303030303012163331323836343139323639353436393830303030303012192d333334383334373430363331353938323233303030303030121a31373832373436343930363534303036363030343030303030301a3c0a1232383132353030303030303030303030303012123335343832353030303030303030303030301a12333633393235303030303030303030303030201e280c3060',
  )
})

test('every minted unit is distributed', () => {
  let seed = 7n
  for (let i = 0; i < 2_000; i++) {
    seed = (seed * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & ((1n << 64n) - 1n)
    const minted = seed >> (seed & 63n)
    const cut = (seed % 1_000_000_000_000_000_001n) as bigint
    const community = ((seed >> 7n) % (1_000_000_000_000_000_001n - cut + 1n)) as bigint
    const ratio = (raw: bigint) => decimal.encode(decimal.fromRaw(raw))
    const { staking, community: pool } = split(minted, {
      ...defaultParams().inflationDistribution!,
      stakingRewards: ratio(cut),
      communityPool: ratio(community > 10n ** 18n - cut ? 0n : community),
    })
    expect(staking >= 0n && pool >= 0n && staking + pool <= minted).toBe(true)
  }
})
