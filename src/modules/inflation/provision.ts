/** Arithmetic of inflation (inflation.md §2). Nothing here reads or writes state. */
import type { InflationDistribution, Params } from '../../gen/chain/inflation/v1/inflation_pb.ts'
import * as decimal from '../../primitives/decimal.ts'

/** Base units of one whole native coin, which the factors count in. */
const UNITS = 1_000_000n
const PERCENT = 100n

const decode = (text: string): decimal.Decimal => decimal.decode(text) ?? decimal.zero

/** What one epoch of a period mints, at least 0. Unit: base denom, as a decimal. */
export function provision(params: Params, period: bigint): decimal.Decimal {
  const { inflationEnabled, epochsPerPeriod, maxPeriod, polynomialFactors } = params
  if (!inflationEnabled || epochsPerPeriod === 0n || period >= maxPeriod) return decimal.zero
  let sum = 0n
  for (const factor of polynomialFactors) sum = sum * period + decode(factor)
  if (sum <= 0n) return decimal.zero
  return decimal.quo(decimal.fromRaw(sum * UNITS), decimal.fromInteger(epochsPerPeriod))
}

export interface Shares {
  readonly staking: bigint
  readonly community: bigint
}

/** What of a mint goes to stakers and to the community, truncated; the reserves get whatever is left. */
export function split(minted: bigint, { stakingRewards, communityPool }: InflationDistribution): Shares {
  const share = (ratio: string) => decimal.truncate(decimal.mul(decimal.fromInteger(minted), decode(ratio)))
  return { staking: share(stakingRewards), community: share(communityPool) }
}

/** Percent a year; 0 without a supply. `perEpoch` as `provision` gives it, `supply` in base units. */
export function inflationRate(params: Params, perEpoch: decimal.Decimal, supply: bigint): decimal.Decimal {
  if (perEpoch === 0n || supply === 0n) return decimal.zero
  const yearly = decimal.fromRaw(perEpoch * params.epochsPerPeriod * params.periodsPerYear)
  return decimal.fromRaw(decimal.quo(yearly, decimal.fromInteger(supply)) * PERCENT)
}
