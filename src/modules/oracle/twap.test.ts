import { expect, test } from 'vitest'
import { identityOf } from '../../identity/profiles.ts'
import * as decimal from '../../primitives/decimal.ts'
import { NS_PER_MS } from '../../primitives/time.ts'
import { testContext } from '../../sdk/testing.ts'
import { defaultParams } from './params.ts'
import * as state from './state.ts'
import { averagePrice, setPrice } from './twap.ts'

const T = 1_700_000_000_000n
const PAIR = 'ubtc:uusd'
const dec = (text: string) => decimal.parse(text)!

/** Starts a chain with prices at these offsets from T, in ms; `profile` selects the averaging. */
function chain(
  prices: readonly (readonly [bigint, string])[],
  { start = T, lookbackMs = 900_000n, profile = 'almanac' } = {},
) {
  const ctx = testContext({ identity: identityOf(profile) })
  const lookbackNs = lookbackMs * NS_PER_MS
  const window = { seconds: lookbackNs / 10n ** 9n, nanos: Number(lookbackNs % 10n ** 9n) }
  state.params.set(ctx, {
    ...defaultParams(ctx),
    twapLookbackWindow: { $typeName: 'google.protobuf.Duration', ...window },
  })
  for (const [offset, price] of prices) {
    ctx.block.timeNs = (start + offset) * NS_PER_MS
    setPrice(ctx, PAIR, dec(price), lookbackNs)
  }
  return {
    ctx,
    averageAt(offset: bigint): string {
      ctx.block.timeNs = (start + offset) * NS_PER_MS
      return decimal.format(averagePrice(ctx, PAIR))
    },
  }
}

const shown = (text: string) => decimal.format(dec(text))
type Prices = readonly (readonly [bigint, string])[]

// Worked numbers: docs/modules/oracle.md#formulas.
test('an average includes the price in force at the start of its window', () => {
  const early = chain(
    [
      [1n, '90000'],
      [10n, '9'],
      [20n, '8.5'],
      [30n, '9.5'],
    ],
    { start: 0n, lookbackMs: 30n },
  )
  expect(early.averageAt(35n)).toBe('15007.416666666666666666')
  const three: Prices = [
    [0n, '100'],
    [60_000n, '110'],
    [120_000n, '90'],
  ]
  expect(chain(three).averageAt(180_000n)).toBe(shown('100'))
  expect(chain(three).averageAt(120_000n)).toBe(shown('105'))
  expect(chain([[0n, '100']]).averageAt(900_000n)).toBe(shown('100'))
  expect(chain([[0n, '100']]).averageAt(900_001n)).toBe(shown('100'))
  const two: Prices = [
    [0n, '100'],
    [600_000n, '200'],
  ]
  expect(chain(two).averageAt(900_000n)).toBe('133.333333333333333333')
  expect(chain(two).averageAt(900_001n)).toBe('133.333444444444444444')
  expect(
    chain([
      [0n, '1'],
      [1n, '2'],
      [2n, '2'],
    ]).averageAt(3n),
  ).toBe('1.666666666666666666')
  const thirds: Prices = [
    [0n, '0.333333333333333333'],
    [7n, '0.666666666666666667'],
    [10n, '1'],
  ]
  expect(chain(thirds).averageAt(13n)).toBe('0.564102564102564102')
  const bitcoin: Prices = [
    [0n, '64000.5'],
    [61_234n, '64100.25'],
    [120_987n, '63999.999999999999999999'],
  ]
  expect(chain(bitcoin).averageAt(181_003n)).toBe('64033.263842312005878355')
  expect(
    chain([
      [0n, '100'],
      [300_000n, '110'],
      [1_500_000n, '200'],
    ]).averageAt(2_000_000n),
  ).toBe(shown('160'))
  expect(
    chain([
      [0n, '100'],
      [300_000n, '110'],
    ]).averageAt(5_000_000n),
  ).toBe(shown('110'))
  expect(
    chain([
      [0n, '100'],
      [100_000n, '120'],
    ]).averageAt(1_000_000n),
  ).toBe(shown('120'))
  expect(() => chain([]).averageAt(0n)).toThrow('TWA price not found')
})

// Results of the reference.
test('under the profile an average includes only prices set in its window', () => {
  const profile = 'nibiru'
  const early: Prices = [
    [1n, '90000'],
    [10n, '9'],
    [20n, '8.5'],
    [30n, '9.5'],
  ]
  expect(chain(early, { start: 0n, lookbackMs: 30n, profile }).averageAt(35n)).toBe(shown('8.9'))
  expect(
    chain(
      [
        [0n, '100'],
        [600_000n, '200'],
      ],
      { profile },
    ).averageAt(900_001n),
  ).toBe(shown('200'))
  expect(() => chain([[0n, '100']], { profile }).averageAt(900_001n)).toThrow('TWA price not found')
})

test('old snapshots are pruned except the one in force at the start of the window', () => {
  const prices = Array.from({ length: 50 }, (_, i) => [BigInt(i) * 60_000n, `${i + 1}`] as const)
  const { ctx } = chain(prices)
  const kept = [...state.snapshots.keys(ctx, { prefix: PAIR })].map(([, timeNs]) => timeNs / NS_PER_MS - T)
  expect(kept.length).toBe(17)
  expect(kept[0]).toBe(33n * 60_000n)
  const { ctx: real } = chain(prices, { profile: 'nibiru' })
  expect([...state.snapshots.keys(real, { prefix: PAIR })].length).toBe(50)
})

test('an average is between the lowest and the highest price of its window', () => {
  let seed = 3n
  const random = (below: bigint) => {
    seed = (seed * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n
    return (seed >> 33n) % below
  }
  for (let round = 0; round < 100; round++) {
    let offset = 0n
    const prices = Array.from({ length: 1 + Number(random(20n)) }, () => {
      offset += random(200_000n)
      return [offset, `${1n + random(1000n)}.${random(1000n)}`] as const
    })
    const end = offset + random(400_000n)
    const average = dec(chain(prices).averageAt(end))
    const start = end - 900_000n
    const before = prices.filter(([at]) => at < start).at(-1)
    const counted = [...(before ? [before] : []), ...prices.filter(([at]) => at >= start)].map(([, price]) =>
      dec(price),
    )
    const [least, greatest] = [counted.reduce((a, b) => (a < b ? a : b)), counted.reduce((a, b) => (a > b ? a : b))]
    // Truncation can lower the last digit by one.
    expect(average >= least - 1n && average <= greatest).toBe(true)
  }
})
