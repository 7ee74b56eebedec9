/**
 * The expected state of a chain with a few validators, calculated from the documented rules of the oracle, epochs, inflation,
 * slashing and distribution, with plain values and integers. It uses none of the node's arithmetic.
 */

/** One, as a decimal: decimals are integers in units of 10^-18. */
export const ONE = 10n ** 18n
const MICRO = 1_000_000n
const NANO = 10n ** 9n
const MS = 1_000_000n

export interface Rules {
  readonly votePeriod: bigint
  /** In voting periods. */
  readonly slashWindow: bigint
  readonly threshold: bigint
  readonly band: bigint
  readonly slashFraction: bigint
  readonly leastValid: bigint
  readonly minVoters: number
  readonly lookbackNs: bigint
  readonly pairs: readonly string[]
  readonly communityTax: bigint
  readonly signedWindow: bigint
  readonly leastSigned: bigint
  readonly downtimeFraction: bigint
  readonly jailNs: bigint
  readonly factors: readonly bigint[]
  readonly epochsPerPeriod: bigint
  readonly maxPeriod: bigint
  readonly stakingShare: bigint
  readonly communityShare: bigint
}

/** Amounts by denom, as decimals. */
type Amounts = Record<string, bigint>

interface Member {
  readonly operator: string
  readonly operatorHex: string
  readonly commissionRate: bigint
  tokens: bigint
  bonded: boolean
  jailed: boolean
  /** Consensus power since the last update; 0 if it is not in the set. */
  enginePower: bigint
  misses: bigint
  slashes: number
  downtimes: number
  start: bigint
  offset: bigint
  missedPlaces: Set<bigint>
  jailedUntilNs: bigint
  readonly outstanding: Amounts
  readonly commission: Amounts
  prevote: { readonly height: bigint; readonly id: number } | undefined
  vote: readonly (readonly [pair: string, rate: bigint])[] | undefined
}

interface Epoch {
  readonly identifier: string
  readonly durationNs: bigint
  number: bigint
  /** Start of the current epoch, or of the first one before it begins. */
  startNs: bigint
  height: bigint
}

interface Reward {
  readonly coins: Readonly<Record<string, bigint>>
  periods: bigint
}

interface Performance {
  readonly power: bigint
  weight: bigint
  wins: number
  abstentions: number
  misses: number
}

interface Price {
  readonly timeNs: bigint
  readonly rate: bigint
}

export interface Model {
  readonly rules: Rules
  readonly members: readonly Member[]
  readonly epochs: readonly Epoch[]
  readonly rewards: Reward[]
  readonly prices: Map<string, Price[]>
  readonly communityPool: Amounts
  /** Balance of the oracle's account. */
  readonly rewardsHeld: Record<string, bigint>
  supply: bigint
  minted: bigint
  burned: bigint
  collector: bigint
  reserve: bigint
  period: bigint
  skipped: bigint
  mints: number
}

function half(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  const twice = (dividend % divisor) * 2n
  return twice > divisor || (twice === divisor && quotient % 2n === 1n) ? quotient + 1n : quotient
}

function root(value: bigint): bigint {
  let low = 0n
  let high = 1n << BigInt(value.toString(2).length)
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (middle * middle <= value) low = middle
    else high = middle
  }
  return low
}

const increase = (amounts: Record<string, bigint>, denom: string, by: bigint): void => {
  if (by !== 0n) amounts[denom] = (amounts[denom] ?? 0n) + by
}

const powerOf = ({ tokens }: Member): bigint => tokens / MICRO

function allocate(member: Member, denom: string, reward: bigint): void {
  increase(member.outstanding, denom, reward)
  increase(member.commission, denom, half(reward * member.commissionRate, ONE))
}

/** Charges a transaction's fee, whether it succeeds or not. */
export function payFee(model: Model, fee: bigint): void {
  model.collector += fee
}

/** Distributes fees to validators (docs/modules/distribution.md#formulas). */
function shareFees(model: Model, votes: readonly CommitVote[]): void {
  const fees = model.collector * ONE
  model.collector = 0n
  const total = votes.reduce((sum, { power }) => sum + power, 0n)
  let rest = fees
  for (const { member, power } of votes) {
    const untaxed = (fees * (ONE - model.rules.communityTax)) / ONE
    const reward = (untaxed * ((power * ONE) / total)) / ONE
    allocate(model.members[member]!, 'unative', reward)
    rest -= reward
  }
  increase(model.communityPool, 'unative', rest)
}

function slash(model: Model, member: Member, power: bigint, fraction: bigint): void {
  const amount = (power * MICRO * fraction) / ONE
  const burned = amount < member.tokens ? amount : member.tokens
  member.tokens -= burned
  model.supply -= burned
  model.burned += burned
  member.jailed = true
}

export interface CommitVote {
  readonly member: number
  readonly power: bigint
  readonly signed: boolean
}

/** Counts missed blocks, and slashes and jails for them (docs/modules/slashing.md#formulas). */
function countSignature(model: Model, { member: index, power, signed }: CommitVote, height: bigint, timeNs: bigint) {
  const member = model.members[index]!
  if (member.jailed) return
  const { signedWindow, leastSigned, downtimeFraction, jailNs } = model.rules
  if (member.start < 0n) member.start = height
  const place = member.offset % signedWindow
  member.offset += 1n
  if (signed) member.missedPlaces.delete(place)
  else member.missedPlaces.add(place)
  const allowed = signedWindow - half(leastSigned * signedWindow, ONE)
  if (height <= member.start + signedWindow || BigInt(member.missedPlaces.size) <= allowed) return
  slash(model, member, power, downtimeFraction)
  member.downtimes++
  member.jailedUntilNs = timeNs + jailNs
  member.missedPlaces.clear()
  member.offset = 0n
}

/** Returns the mint of one epoch in a period (docs/modules/inflation.md#formulas). */
function provisionOf({ factors, epochsPerPeriod, maxPeriod }: Rules, period: bigint): bigint {
  if (period >= maxPeriod) return 0n
  const last = factors.length - 1
  const sum = factors.reduce((all, factor, i) => all + factor * period ** BigInt(last - i), 0n)
  if (sum < 0n) return 0n
  return half((sum * MICRO * 10n ** 36n) / (epochsPerPeriod * ONE), ONE)
}

/** Mints and distributes at the end of a day (docs/modules/inflation.md#formulas). */
function mint(model: Model, ended: bigint): void {
  const { rules } = model
  const amount = provisionOf(rules, model.period) / ONE
  if (amount === 0n) {
    model.skipped += 1n
    return
  }
  const staking = (amount * rules.stakingShare) / ONE
  const community = (amount * rules.communityShare) / ONE
  model.supply += amount
  model.minted += amount
  model.mints++
  model.collector += staking
  increase(model.communityPool, 'unative', community * ONE)
  model.reserve += amount - staking - community
  if (ended - rules.epochsPerPeriod * model.period - model.skipped >= rules.epochsPerPeriod) model.period += 1n
}

/** Starts and ends epochs (docs/modules/epochs.md#formulas). */
function turn(model: Model, epoch: Epoch, height: bigint, timeNs: bigint): void {
  const next = epoch.number === 0n ? epoch.startNs : epoch.startNs + epoch.durationNs
  if (timeNs < next) return
  if (epoch.number > 0n && epoch.identifier === 'day') mint(model, epoch.number)
  epoch.number += 1n
  epoch.startNs = next
  epoch.height = height
}

export function beginBlock(model: Model, height: bigint, timeNs: bigint, votes: readonly CommitVote[]): void {
  if (height > 1n) shareFees(model, votes)
  for (const vote of votes) countSignature(model, vote, height, timeNs)
  for (const epoch of model.epochs) turn(model, epoch, height, timeNs)
}

/** Computes the validator set and its new powers at the end of a block. */
function settleSet(model: Model, height: bigint): { member: number; power: bigint }[] {
  const updates: { member: number; power: bigint }[] = []
  const isFit = (member: Member) => !member.jailed && powerOf(member) > 0n
  // D25: if no validator qualifies, the one with the highest address in the set stays.
  const inSet = model.members.filter(({ enginePower }) => enginePower > 0n)
  const stays = model.members.some(isFit)
    ? undefined
    : inSet.reduce((last, one) => (one.operatorHex > last.operatorHex ? one : last))
  model.members.forEach((member, i) => {
    if (member === stays) return
    const power = isFit(member) ? powerOf(member) : 0n
    if (power > 0n && !member.bonded) member.start = height
    member.bonded = power > 0n
    if (power !== member.enginePower) updates.push({ member: i, power })
    member.enginePower = power
  })
  return updates
}

interface Cast {
  readonly member: Member
  readonly rate: bigint
  readonly power: bigint
}

/** Returns the median of a ballot, and the outcome of its votes (docs/modules/oracle.md#formulas). */
function count(model: Model, ballot: readonly Cast[], performances: Map<Member, Performance>): bigint {
  const valid = ballot.filter(({ rate }) => rate > 0n).sort((a, b) => (a.rate < b.rate ? -1 : a.rate > b.rate ? 1 : 0))
  const middle = valid.reduce((sum, { power }) => sum + power, 0n) / 2n
  let passed = 0n
  let median = 0n
  for (const { rate, power } of valid) {
    passed += power
    if (passed < middle) continue
    median = rate
    break
  }
  const squares = valid.reduce((sum, { rate }) => sum + half((rate - median) ** 2n, ONE), 0n)
  const deviation = root(squares / BigInt(valid.length)) * NANO
  const band = half(median * (model.rules.band / 2n), ONE)
  const spread = band > deviation ? band : deviation
  for (const { member, rate, power } of ballot) {
    const performance = performances.get(member)!
    if (rate >= median - spread && rate <= median + spread) {
      performance.wins++
      performance.weight += power
    } else if (rate <= 0n) performance.abstentions++
    else performance.misses++
  }
  return median
}

/** Ends a voting period (docs/modules/oracle.md#formulas). */
function tally(model: Model, height: bigint, timeNs: bigint): Map<Member, Performance> {
  const { rules } = model
  const all = model.members.filter((member) => member.bonded)
  const bonded = all.filter(({ jailed }) => !jailed)
  const performances = new Map<Member, Performance>(
    bonded.map((member) => [member, { power: powerOf(member), weight: 0n, wins: 0, abstentions: 0, misses: 0 }]),
  )
  const needed = half(rules.threshold * (all.reduce((sum, { tokens }) => sum + tokens, 0n) / MICRO), ONE)
  let targets = rules.pairs.length
  for (const pair of rules.pairs.toSorted()) {
    const ballot = bonded.flatMap((member): Cast[] => {
      const [, rate] = member.vote?.find(([name]) => name === pair) ?? []
      return rate === undefined ? [] : [{ member, rate, power: rate > 0n ? powerOf(member) : 0n }]
    })
    if (ballot.length === 0) continue
    const power = ballot.reduce((sum, cast) => sum + cast.power, 0n)
    if (power === 0n || power < needed || ballot.filter(({ rate }) => rate > 0n).length < rules.minVoters) {
      targets--
      continue
    }
    const rate = count(model, ballot, performances)
    model.prices.set(pair, [...(model.prices.get(pair) ?? []).slice(-400), { timeNs, rate }])
  }
  for (const [member, performance] of performances) {
    if (!member.vote) performance.misses = rules.pairs.length
    if (performance.misses > 0) member.misses += 1n
    const left = targets - performance.wins - performance.abstentions - performance.misses
    if (left > 0) performance.abstentions += left
  }
  reward(model, performances)
  for (const member of model.members) {
    member.vote = undefined
    if (member.prevote && height >= member.prevote.height + rules.votePeriod) member.prevote = undefined
  }
  return performances
}

/** Distributes rewards for votes (docs/modules/oracle.md#formulas). */
function reward(model: Model, performances: ReadonlyMap<Member, Performance>): void {
  const total = [...performances.values()].reduce((sum, { weight }) => sum + weight, 0n)
  if (total === 0n) return
  const coins: Record<string, bigint> = {}
  for (const record of model.rewards) {
    for (const [denom, amount] of Object.entries(record.coins)) increase(coins, denom, amount)
    record.periods -= 1n
  }
  model.rewards.splice(0, model.rewards.length, ...model.rewards.filter(({ periods }) => periods > 0n))
  for (const [member, { weight }] of performances) {
    const share = half((weight * 10n ** 36n) / total, ONE)
    for (const [denom, amount] of Object.entries(coins)) {
      const portion = (amount * share) / ONE
      allocate(member, denom, portion * ONE)
      increase(model.rewardsHeld, denom, -portion)
    }
  }
}

/** Ends a slash window (docs/modules/oracle.md#formulas). */
function endWindow(model: Model): void {
  const { slashWindow: periods, leastValid, slashFraction } = model.rules
  for (const member of model.members) {
    const isLate = ((periods - member.misses) * ONE) / periods < leastValid
    member.misses = 0n
    if (!isLate || !member.bonded || member.jailed) continue
    slash(model, member, powerOf(member), slashFraction)
    member.slashes++
  }
}

export interface BlockEnd {
  /** Changed powers by member, in any order. */
  readonly updates: readonly { readonly member: number; readonly power: bigint }[]
  /** Performances of bonded members, in blocks that end a voting period. */
  readonly performances: ReadonlyMap<Member, Performance> | undefined
}

export function endBlock(model: Model, height: bigint, timeNs: bigint): BlockEnd {
  const { votePeriod, slashWindow } = model.rules
  const updates = settleSet(model, height)
  const performances = (height + 1n) % votePeriod === 0n ? tally(model, height, timeNs) : undefined
  if ((height + 1n) % (votePeriod * slashWindow) === 0n) endWindow(model)
  return { updates, performances }
}

/** Returns the average price of a pair at a time; undefined without a price (docs/modules/oracle.md#formulas). */
export function averageOf({ rules, prices }: Model, pair: string, nowNs: bigint): bigint | undefined {
  const all = prices.get(pair) ?? []
  const startNs = nowNs - rules.lookbackNs
  const points = all.filter(({ timeNs }) => timeNs >= startNs).map(({ timeNs, rate }) => ({ ms: timeNs / MS, rate }))
  const before = all.findLast(({ timeNs }) => timeNs < startNs)
  if (before) points.unshift({ ms: startNs / MS, rate: before.rate })
  const [first] = points
  const now = nowNs / MS
  if (!first || points.length === 1 || first.ms === now) return first?.rate
  const sum = points.reduce((all, { ms, rate }, i) => all + rate * ((points[i + 1]?.ms ?? now) - ms), 0n)
  return sum / (now - first.ms)
}
