/** Arithmetic of one pair's ballot: median, deviation and band (docs/modules/oracle.md#formulas). Pure. */
import * as decimal from '../../primitives/decimal.ts'

export interface BallotVote {
  /** Key of the operator's bytes. */
  readonly voter: string
  /** A rate of 0 or less is an abstention. */
  readonly rate: decimal.Decimal
  /** 0 for an abstention. */
  readonly power: bigint
}

type Outcome = 'win' | 'abstain' | 'miss'

export interface Result {
  readonly median: decimal.Decimal
  readonly deviation: decimal.Decimal
  /** Maximum distance from the median that still wins. */
  readonly spread: decimal.Decimal
  /** One outcome for each vote, in the order given. */
  readonly outcomes: readonly Outcome[]
}

/** The largest raw value of a decimal; a deviation that exceeds it counts as 0. */
const MAX_RAW = 2n ** 256n * decimal.one - 1n

function powerOf(ballot: readonly BallotVote[]): bigint {
  return ballot.reduce((sum, { power }) => sum + power, 0n)
}

/** Returns the power that a ballot needs to pass: threshold × bonded power, rounded half to even. */
export function neededPower(threshold: decimal.Decimal, bondedPower: bigint): bigint {
  return decimal.round(decimal.fromRaw(threshold * bondedPower))
}

/** Whether a ballot has power, reaches the needed power, and has enough voters that do not abstain. */
export function passes(ballot: readonly BallotVote[], needed: bigint, minVoters: bigint): boolean {
  const power = powerOf(ballot)
  const voters = ballot.reduce((count, { rate }) => (rate > 0n ? count + 1 : count), 0)
  return power !== 0n && power >= needed && BigInt(voters) >= minVoters
}

/** Returns the largest integer whose square is at most `value`. */
export function integerRoot(value: bigint): bigint {
  if (value < 2n) return value
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (root + value / root) >> 1n
    if (next >= root) return root
    root = next
  }
}

/** Factor from the root of a raw value to a raw value. */
const ROOT_OF_ONE = integerRoot(decimal.one)

/** Returns the unweighted deviation around the median, with the root cut at nine places; 0 if the sum overflows. */
function deviationOf(rates: readonly decimal.Decimal[], median: decimal.Decimal): decimal.Decimal {
  let sum = 0n
  for (const rate of rates) {
    const distance = decimal.fromRaw(rate - median)
    const square = decimal.mul(distance, distance)
    sum += square
    if (square > MAX_RAW || sum > MAX_RAW) return decimal.zero
  }
  return decimal.fromRaw(integerRoot(sum / BigInt(rates.length)) * ROOT_OF_ONE)
}

/** Computes median, band and outcomes of a ballot that passed: at least one rate is above 0. */
export function tallyBallot(ballot: readonly BallotVote[], rewardBand: decimal.Decimal): Result {
  const valid = ballot.filter(({ rate }) => rate > 0n)
  const sorted = [...valid].sort((a, b) => (a.rate < b.rate ? -1 : a.rate > b.rate ? 1 : 0))
  const half = powerOf(sorted) / 2n
  let running = 0n
  const middle = sorted.find(({ power }) => {
    running += power
    return running >= half
  })!
  const median = middle.rate
  const deviation = deviationOf(
    sorted.map(({ rate }) => rate),
    median,
  )
  const halfBand = decimal.mul(median, decimal.fromRaw(rewardBand / 2n))
  const spread = halfBand > deviation ? halfBand : deviation
  const outcomes = ballot.map(({ rate }): Outcome => {
    if (rate >= median - spread && rate <= median + spread) return 'win'
    return rate <= 0n ? 'abstain' : 'miss'
  })
  return { median, deviation, spread, outcomes }
}
