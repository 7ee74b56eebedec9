/** Arithmetic of inflation (docs/modules/inflation.md#formulas). Pure. */
import type { InflationDistribution, Params } from '../../gen/chain/inflation/v1/inflation_pb.ts'
import * as decimal from '../../primitives/decimal.ts'

/** Base units of one native coin, the unit of the factors. */
const UNITS = 1_000_000n
const PERCENT = 100n

const decode = (text: string): decimal.Decimal => decimal.decode(text) ?? decimal.zero

/** Returns the provision of one epoch of a period, at least 0. Unit: base denom, as a decimal. */
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

/** Splits a mint: truncated shares for stakers and the community pool. The reserve receives the remainder. */
export function split(minted: bigint, { stakingRewards, communityPool }: InflationDistribution): Shares {
  const share = (ratio: string) => decimal.truncate(decimal.mul(decimal.fromInteger(minted), decode(ratio)))
  return { staking: share(stakingRewards), community: share(communityPool) }
}

/** Returns the yearly inflation in percent, 0 without a supply. `perEpoch` is a provision, `supply` is in base units. */
export function inflationRate(params: Params, perEpoch: decimal.Decimal, supply: bigint): decimal.Decimal {
  if (perEpoch === 0n || supply === 0n) return decimal.zero
  const yearly = decimal.fromRaw(perEpoch * params.epochsPerPeriod * params.periodsPerYear)
  return decimal.fromRaw(decimal.quo(yearly, decimal.fromInteger(supply)) * PERCENT)
}
