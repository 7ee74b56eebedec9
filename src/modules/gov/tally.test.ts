import { create } from '@bufbuild/protobuf'
import { beforeEach, expect, test } from 'vitest'
import { bond, delegate, govContext, person, validate } from '../../../test/support/governance-world.ts'
import { type Params, VoteOption, WeightedVoteOptionSchema } from '../../gen/sdk/gov/v1/gov_pb.ts'
import * as decimal from '../../primitives/decimal.ts'
import type { BranchedContext } from '../../sdk/context.ts'
import * as staking from '../staking/keeper.ts'
import { validators } from '../staking/state.ts'
import { setValidator } from '../staking/validators.ts'
import { defaultParams } from './params.ts'
import * as state from './state.ts'
import { type Count, countVotes, outcomeOf, resultOf } from './tally.ts'
import { singleVote, vote } from './votes.ts'

const whole = decimal.fromInteger
const params: Params = defaultParams({ baseDenom: 'unative' })

function counted(part: { yes?: bigint; no?: bigint; abstain?: bigint; veto?: bigint }): Count {
  const { yes = 0n, no = 0n, abstain = 0n, veto = 0n } = part
  return {
    yes: whole(yes),
    no: whole(no),
    abstain: whole(abstain),
    veto: whole(veto),
    total: whole(yes + no + abstain + veto),
  }
}

const PASSED = { passes: true, burns: false }
const REJECTED = { passes: false, burns: false }
const BURNED = { passes: false, burns: true }

test.each([
  // Quorum, abstention, veto and threshold: docs/modules/gov.md#formulas.
  ['a turnout of 0.333 is below a quorum of 0.334', { yes: 200n, no: 133n }, REJECTED],
  ['a turnout of exactly the quorum is enough', { yes: 200n, no: 134n }, PASSED],
  ['exactly half, abstentions excluded, does not pass', { yes: 100n, no: 100n, abstain: 300n }, REJECTED],
  ['a veto of 301 in 901 is above 0.334', { yes: 600n, veto: 301n }, BURNED],
  ['all abstain', { abstain: 400n }, REJECTED],
  // By hand: 334 / 1000 equals the veto threshold and does not exceed it; 666 / 1000 is above one half.
  ['a veto of exactly 0.334 does not stop a majority', { yes: 666n, veto: 334n }, PASSED],
  ['a veto of one third is below 0.334', { yes: 600n, veto: 300n }, PASSED],
  ['one vote more than half, abstentions excluded', { yes: 101n, no: 100n, abstain: 700n }, PASSED],
  ['vetoes below the threshold count as no', { yes: 300n, no: 200n, veto: 200n }, REJECTED],
  ['no votes', {}, REJECTED],
])('%s', (_what, votes, outcome) => {
  expect(outcomeOf(counted(votes), 1000n, params)).toEqual(outcome)
})

test('a veto of one third does not exceed a threshold of 0.333333333333333333, and 0.334 does', () => {
  const third = { ...params, vetoThreshold: '0.333333333333333333' }
  // 1/3 rounds to 0.333333333333333333, which equals the threshold; 334/1000 exceeds it.
  expect(outcomeOf(counted({ yes: 600n, veto: 300n }), 1000n, third)).toEqual(PASSED)
  expect(outcomeOf(counted({ yes: 666n, veto: 334n }), 1000n, third)).toEqual(BURNED)
})

test('deposits burn for a missed quorum or a veto only if the parameters say so', () => {
  expect(outcomeOf(counted({ yes: 1n }), 1000n, { ...params, burnVoteQuorum: true })).toEqual(BURNED)
  expect(outcomeOf(counted({ veto: 900n }), 1000n, { ...params, burnVoteVeto: false })).toEqual(REJECTED)
})

test('no proposal passes without bonded tokens, or without quorum and votes', () => {
  expect(outcomeOf(counted({ yes: 5n }), 0n, params)).toEqual(REJECTED)
  expect(outcomeOf(counted({}), 1000n, { ...params, quorum: '0' })).toEqual(REJECTED)
})

const [ann, ben, cat, dan] = ['ann', 'ben', 'cat', 'dan'].map(person) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const ONE = 1_000_000n

let ctx: BranchedContext
beforeEach(() => {
  ctx = govContext()
  state.voting.set(ctx, 1n, Uint8Array.of(1))
})

const cast = (who: Uint8Array, option: VoteOption) => vote(ctx, 1n, who, singleVote(option), '')
const result = () => {
  const { yesCount, noCount, abstainCount, noWithVetoCount } = resultOf(countVotes(ctx, 1n))
  return [yesCount, noCount, abstainCount, noWithVetoCount].map(BigInt)
}

test("a delegator's vote deducts its shares from the validator's", () => {
  validate(ctx, ann, 60n * ONE)
  delegate(ctx, cat, ann, 40n * ONE)
  bond(ctx)
  cast(ann, VoteOption.YES)
  expect(result()).toEqual([100n * ONE, 0n, 0n, 0n])
  cast(cat, VoteOption.NO)
  expect(result()).toEqual([60n * ONE, 40n * ONE, 0n, 0n])
})

test('delegators without a vote count with their validator, whose address an earlier build stored in upper case', () => {
  validate(ctx, ann, 60n * ONE)
  delegate(ctx, ben, ann, 30n * ONE)
  delegate(ctx, cat, ann, 10n * ONE)
  bond(ctx)
  const { operatorAddress, ...stored } = staking.getValidator(ctx, ann)!
  validators.set(ctx, ann, { ...stored, operatorAddress: operatorAddress.toUpperCase() })
  cast(ann, VoteOption.YES)
  cast(cat, VoteOption.NO)
  expect(result()).toEqual([90n * ONE, 10n * ONE, 0n, 0n])
})

test('a validator without a vote has no power, but its voting delegators do', () => {
  validate(ctx, ann, 60n * ONE)
  validate(ctx, ben, 50n * ONE)
  delegate(ctx, cat, ann, 40n * ONE)
  delegate(ctx, cat, ben, 5n * ONE)
  bond(ctx)
  cast(cat, VoteOption.ABSTAIN)
  expect(result()).toEqual([0n, 0n, 45n * ONE, 0n])
})

test('a weighted vote splits each delegation, and the last vote of a voter counts', () => {
  validate(ctx, ann, 60n * ONE)
  delegate(ctx, cat, ann, 10n * ONE)
  bond(ctx)
  cast(cat, VoteOption.NO_WITH_VETO)
  const part = (option: VoteOption, weight: string) => create(WeightedVoteOptionSchema, { option, weight })
  vote(ctx, 1n, cat, [part(VoteOption.YES, '0.7'), part(VoteOption.NO, '0.3')], '')
  expect(result()).toEqual([7n * ONE, 3n * ONE, 0n, 0n])
})

test('after a slash shares are worth fewer tokens', () => {
  validate(ctx, ann, 60n * ONE)
  delegate(ctx, cat, ann, 40n * ONE)
  bond(ctx)
  // 100 shares are now worth 90 tokens: cat's 40 are worth 36, ann's 60 are worth 54.
  setValidator(ctx, { ...staking.getValidator(ctx, ann)!, tokens: (90n * ONE).toString() })
  cast(ann, VoteOption.YES)
  cast(cat, VoteOption.NO)
  expect(result()).toEqual([54n * ONE, 36n * ONE, 0n, 0n])
})

test('delegations to unbonded validators and votes without a delegation have no power', () => {
  validate(ctx, ann, 60n * ONE)
  bond(ctx)
  validate(ctx, ben, 50n * ONE)
  delegate(ctx, cat, ben, 5n * ONE)
  cast(cat, VoteOption.YES)
  cast(ben, VoteOption.YES)
  cast(dan, VoteOption.YES)
  expect(result()).toEqual([0n, 0n, 0n, 0n])
})
