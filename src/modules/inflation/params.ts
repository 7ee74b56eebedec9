/** Parameters of inflation: defaults and validation (docs/modules/inflation.md#parameters). */
import { create } from '@bufbuild/protobuf'
import { type InflationDistribution, type Params, ParamsSchema } from '../../gen/chain/inflation/v1/inflation_pb.ts'
import * as decimal from '../../primitives/decimal.ts'
import { errors } from '../../sdk/errors.ts'

const raw = (text: string): string => decimal.encode(decimal.parse(text)!)

export function defaultParams(): Params {
  return create(ParamsSchema, {
    polynomialFactors: [
      raw('-0.000147085524'),
      raw('0.074291982762'),
      raw('-18.867415611180'),
      raw('3128.641926954698'),
      raw('-334834.740631598223'),
      raw('17827464.906540066004'),
    ],
    inflationDistribution: {
      stakingRewards: raw('0.281250'),
      communityPool: raw('0.354825'),
      strategicReserves: raw('0.363925'),
    },
    epochsPerPeriod: 30n,
    periodsPerYear: 12n,
    maxPeriod: 96n,
  })
}

/** Returns the sum of the three shares; undefined if one of them is not a decimal. */
function sumOf({ communityPool, stakingRewards, strategicReserves }: InflationDistribution): bigint | undefined {
  let sum = 0n
  for (const text of [communityPool, stakingRewards, strategicReserves]) {
    const ratio = decimal.decode(text)
    if (ratio === undefined) return undefined
    sum += ratio
  }
  return sum
}

/** Checks a distribution without reading state. Throws sdk 18. */
export function validateDistribution(distribution: InflationDistribution): void {
  for (const [name, text] of [
    ['community pool', distribution.communityPool],
    ['staking rewards', distribution.stakingRewards],
    ['strategic reserves', distribution.strategicReserves],
  ] as const) {
    if (text === '' || decimal.decode(text) === undefined) {
      throw errors.invalidRequest(`inflation distribution ${name} should not be nil`)
    }
  }
  const sum = sumOf(distribution)!
  if (sum !== decimal.one) {
    throw errors.invalidRequest(`inflation distribution sum should be 1, got ${decimal.format(decimal.fromRaw(sum))}`)
  }
}

/** Maximum number of polynomial factors; bounds the work of each epoch. */
const MAX_FACTORS = 20

/** Throws sdk 18 for invalid parameters. */
export function validateParams(params: Params): void {
  const { epochsPerPeriod, periodsPerYear, polynomialFactors, inflationDistribution } = params
  if (epochsPerPeriod === 0n) throw errors.invalidRequest('epochs per period must be positive: 0')
  if (periodsPerYear === 0n) throw errors.invalidRequest('periods per year must be positive: 0')
  if (polynomialFactors.length === 0) throw errors.invalidRequest('polynomial factors should not be empty')
  if (polynomialFactors.length > MAX_FACTORS) {
    throw errors.invalidRequest(
      `polynomial factors should have at most ${MAX_FACTORS} elements, got ${polynomialFactors.length}`,
    )
  }
  for (const factor of polynomialFactors) {
    if (decimal.decode(factor) === undefined)
      throw errors.invalidRequest(`polynomial factor ${factor} is not a decimal`)
  }
  if (!inflationDistribution) throw errors.invalidRequest('inflation_distribution must be set')
  const { communityPool, stakingRewards, strategicReserves } = inflationDistribution
  for (const [name, text] of [
    ['staking distribution ratio', stakingRewards],
    ['community pool distribution ratio', communityPool],
    ['pool incentives distribution ratio', strategicReserves],
  ] as const) {
    const ratio = decimal.decode(text)
    if (ratio === undefined || ratio < 0n) throw errors.invalidRequest(`${name} must not be negative`)
  }
  if (sumOf(inflationDistribution) !== decimal.one) {
    throw errors.invalidRequest('total distributions ratio should be 1')
  }
}
