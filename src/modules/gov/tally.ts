/** Tally: votes weighted by bonded tokens (docs/modules/gov.md#formulas). */
import { create } from '@bufbuild/protobuf'
import {
  type Params,
  type TallyResult,
  TallyResultSchema,
  VoteOption,
  type WeightedVoteOption,
} from '../../gen/sdk/gov/v1/gov_pb.ts'
import * as address from '../../identity/address.ts'
import { toKey } from '../../primitives/bytes.ts'
import * as decimal from '../../primitives/decimal.ts'
import type { ReadContext } from '../../sdk/context.ts'
import * as staking from '../staking/keeper.ts'
import { decimalOf } from './params.ts'
import * as state from './state.ts'

/** Voting power by option, not rounded. */
export interface Count {
  readonly yes: decimal.Decimal
  readonly abstain: decimal.Decimal
  readonly no: decimal.Decimal
  readonly veto: decimal.Decimal
  /** Power of all votes. */
  readonly total: decimal.Decimal
}

interface Ballot {
  readonly tokens: bigint
  readonly shares: decimal.Decimal
  /** Shares of delegators with a vote of their own. */
  deducted: bigint
  options: readonly WeightedVoteOption[]
}

interface Sum {
  readonly byOption: Map<VoteOption, bigint>
  total: bigint
}

/** Adds the voting power of a part of a validator's shares to the given options. */
function addPower(sum: Sum, { tokens, shares }: Ballot, part: bigint, options: readonly WeightedVoteOption[]): void {
  if (shares === 0n) return
  const power = decimal.quo(decimal.fromRaw(part * tokens), shares)
  for (const { option, weight } of options) {
    const weighted = decimal.mul(power, decimalOf(weight))
    sum.byOption.set(option, (sum.byOption.get(option) ?? 0n) + weighted)
  }
  sum.total += power
}

/** Counts the current votes: each delegator's own, and the validator's for delegators without one. */
export function countVotes(ctx: ReadContext, id: bigint): Count {
  /** Ballots by the bytes of the operator. */
  const ballots = new Map<string, Ballot>()
  for (const validator of staking.bondedByPower(ctx)) {
    ballots.set(toKey(staking.operatorBytes(ctx, validator)), {
      tokens: staking.tokensOf(validator),
      shares: staking.sharesOf(validator),
      deducted: 0n,
      options: [],
    })
  }
  const sum: Sum = { byOption: new Map(), total: 0n }
  for (const [[, voter], { options }] of state.votes.iterate(ctx, { prefix: id })) {
    const own = ballots.get(toKey(voter))
    if (own) own.options = options
    for (const delegation of staking.delegationsOf(ctx, voter)) {
      const ballot = ballots.get(toKey(address.parseValidator(ctx, delegation.validatorAddress)))
      if (!ballot) continue
      const shares = decimal.decode(delegation.shares) ?? decimal.zero
      ballot.deducted += shares
      addPower(sum, ballot, shares, options)
    }
  }
  for (const ballot of ballots.values()) {
    if (ballot.options.length > 0) addPower(sum, ballot, ballot.shares - ballot.deducted, ballot.options)
  }
  const of = (option: VoteOption) => decimal.fromRaw(sum.byOption.get(option) ?? 0n)
  return {
    yes: of(VoteOption.YES),
    abstain: of(VoteOption.ABSTAIN),
    no: of(VoteOption.NO),
    veto: of(VoteOption.NO_WITH_VETO),
    total: decimal.fromRaw(sum.total),
  }
}

/** Converts a count to the result that a proposal stores: whole units of the bonded denom. */
export function resultOf({ yes, abstain, no, veto }: Count): TallyResult {
  const text = (value: decimal.Decimal) => decimal.truncate(value).toString()
  return create(TallyResultSchema, {
    yesCount: text(yes),
    abstainCount: text(abstain),
    noCount: text(no),
    noWithVetoCount: text(veto),
  })
}

export interface Outcome {
  readonly passes: boolean
  /** Whether the deposits burn. */
  readonly burns: boolean
}

const REJECTED: Outcome = { passes: false, burns: false }

/** Decides a vote, given all bonded tokens. */
export function outcomeOf(count: Count, bondedTokens: bigint, params: Params): Outcome {
  const { yes, abstain, veto, total } = count
  if (bondedTokens === 0n) return REJECTED
  const turnout = decimal.quo(total, decimal.fromInteger(bondedTokens))
  if (turnout < decimalOf(params.quorum)) return { passes: false, burns: params.burnVoteQuorum }
  const decided = decimal.fromRaw(total - abstain)
  if (decided === 0n) return REJECTED
  if (decimal.quo(veto, total) > decimalOf(params.vetoThreshold)) return { passes: false, burns: params.burnVoteVeto }
  return { passes: decimal.quo(yes, decided) > decimalOf(params.threshold), burns: false }
}
