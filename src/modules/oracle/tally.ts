/** End of a voting period: counts ballots, sets prices and judges validators (docs/modules/oracle.md#block-hooks). */
import { EventValidatorPerformanceSchema } from '../../gen/chain/oracle/v1beta1/event_pb.ts'
import type { Params } from '../../gen/chain/oracle/v1beta1/oracle_pb.ts'
import * as address from '../../identity/address.ts'
import { toKey } from '../../primitives/bytes.ts'
import * as decimal from '../../primitives/decimal.ts'
import type { Context } from '../../sdk/context.ts'
import * as staking from '../staking/keeper.ts'
import { type BallotVote, neededPower, passes, tallyBallot } from './ballot.ts'
import { applyPendingParams, lookbackNs } from './params.ts'
import { payRewards } from './rewards.ts'
import * as state from './state.ts'
import { setPrice } from './twap.ts'

/** Result of one bonded validator in a voting period. */
interface Performance {
  readonly operator: Uint8Array
  readonly operatorText: string
  readonly power: bigint
  readonly hasVoted: boolean
  rewardWeight: bigint
  wins: number
  abstentions: number
  misses: number
}

/** Returns an entry for each bonded validator by its operator's bytes, in ascending order of operator text. */
function startPerformances(ctx: Context): Map<string, Performance> {
  const entries = staking.bondedByPower(ctx).map((validator): Performance => {
    const operator = staking.operatorBytes(ctx, validator)
    return {
      operator,
      operatorText: address.formatValidator(ctx, operator),
      power: staking.powerOf(validator),
      hasVoted: state.votes.has(ctx, operator),
      rewardWeight: 0n,
      wins: 0,
      abstentions: 0,
      misses: 0,
    }
  })
  const sorted = entries.sort((a, b) => address.compareValidators(ctx, a.operator, b.operator))
  return new Map(sorted.map((entry) => [toKey(entry.operator), entry]))
}

/** Groups the stored votes of bonded validators by pair. */
function collectBallots(ctx: Context, performances: ReadonlyMap<string, Performance>): Map<string, BallotVote[]> {
  const ballots = new Map<string, BallotVote[]>()
  for (const [operator, { exchangeRateTuples }] of state.votes.iterate(ctx)) {
    const key = toKey(operator)
    const entry = performances.get(key)
    if (!entry) continue
    for (const { pair, exchangeRate } of exchangeRateTuples) {
      const rate = decimal.decode(exchangeRate) ?? decimal.zero
      const ballot = ballots.get(pair) ?? []
      ballot.push({ voter: key, rate, power: rate > 0n ? entry.power : 0n })
      ballots.set(pair, ballot)
    }
  }
  return ballots
}

/** Sets the prices of pairs whose ballots pass, and removes pairs whose ballots fail from `targets`. */
function countBallots(
  ctx: Context,
  params: Params,
  performances: ReadonlyMap<string, Performance>,
  targets: Set<string>,
): void {
  const ballots = collectBallots(ctx, performances)
  const threshold = decimal.decode(params.voteThreshold) ?? decimal.zero
  const rewardBand = decimal.decode(params.rewardBand) ?? decimal.zero
  const needed = neededPower(threshold, staking.bondedPower(ctx))
  const pairs = [...ballots.keys()].filter((pair) => targets.has(pair)).sort((a, b) => (a < b ? -1 : 1))
  for (const pair of pairs) {
    const ballot = ballots.get(pair)!
    if (!passes(ballot, needed, params.minVoters)) {
      targets.delete(pair)
      continue
    }
    const { median, outcomes } = tallyBallot(ballot, rewardBand)
    outcomes.forEach((outcome, i) => {
      const { voter: key, power } = ballot[i]!
      const entry = performances.get(key)!
      if (outcome === 'abstain') entry.abstentions++
      else if (outcome === 'miss') entry.misses++
      else {
        entry.wins++
        entry.rewardWeight += power
      }
    })
    setPrice(ctx, pair, median, lookbackNs(params))
  }
}

/** Adds at most one miss for each validator; behaviour `missesByPair` adds one for each pair and none for silence. */
function countMisses(ctx: Context, performances: Iterable<Performance>, targetCount: number): void {
  const byPair = ctx.identity.behaviours.missesByPair
  for (const entry of performances) {
    if (!entry.hasVoted && !byPair) entry.misses = targetCount
    if (entry.misses === 0) continue
    const growth = byPair ? BigInt(entry.misses) : 1n
    state.missCounters.set(ctx, entry.operator, (state.missCounters.get(ctx, entry.operator) ?? 0n) + growth)
  }
}

/** Removes all votes, and prevotes that can no longer be revealed. */
function clearVotes(ctx: Context, votePeriod: bigint): void {
  for (const [operator, { submitBlock }] of [...state.prevotes.iterate(ctx)]) {
    if (ctx.block.height >= submitBlock + votePeriod) state.prevotes.remove(ctx, operator)
  }
  for (const operator of [...state.votes.keys(ctx)]) state.votes.remove(ctx, operator)
}

/** Replaces the vote targets if they differ from the whitelist. A profile compares the targets left by the tally. */
function refreshTargets(ctx: Context, whitelist: readonly string[], counted: ReadonlySet<string>): void {
  const stored = [...state.voteTargets.iterate(ctx)]
  const compared = ctx.identity.behaviours.voteTargetsAfterTally ? counted : new Set(stored)
  if (compared.size === whitelist.length && whitelist.every((pair) => compared.has(pair))) return
  for (const pair of stored) state.voteTargets.remove(ctx, pair)
  for (const pair of whitelist) state.voteTargets.add(ctx, pair)
}

/** Runs the tally of a voting period. */
export function tally(ctx: Context, params: Params): void {
  const performances = startPerformances(ctx)
  const targets = new Set(state.voteTargets.iterate(ctx))
  const targetCount = targets.size
  countBallots(ctx, params, performances, targets)
  countMisses(ctx, performances.values(), targetCount)
  for (const entry of performances.values()) {
    const omitted = targets.size - (entry.wins + entry.abstentions + entry.misses)
    if (omitted > 0) entry.abstentions += omitted
  }
  payRewards(ctx, [...performances.values()])
  clearVotes(ctx, params.votePeriod)
  applyPendingParams(ctx)
  refreshTargets(ctx, (state.params.get(ctx) ?? params).whitelist, targets)
  for (const entry of performances.values()) {
    ctx.emit(EventValidatorPerformanceSchema, {
      validator: entry.operatorText,
      votingPower: entry.power,
      rewardWeight: entry.rewardWeight,
      winCount: BigInt(entry.wins),
      abstainCount: BigInt(entry.abstentions),
      missCount: BigInt(entry.misses),
    })
  }
}
