/** Random proposals, deposits and votes: every deposited coin is open, refunded or burned. */
import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import {
  bond,
  coins,
  DENOM,
  delegate,
  fund,
  govContext,
  ONE,
  pass,
  person,
  text,
  validate,
} from '../../../test/support/governance-world.ts'
import { ProposalStatus, type VoteOption } from '../../gen/sdk/gov/v1/gov_pb.ts'
import { MsgSubmitProposalSchema } from '../../gen/sdk/gov/v1/tx_pb.ts'
import { ChainError } from '../../primitives/errors.ts'
import { seeded } from '../../store/testing/backend-contract.ts'
import * as bank from '../bank/keeper.ts'
import { messages } from './messages.ts'
import { params } from './params.ts'
import * as state from './state.ts'

/** Runs a step and ignores an expected error; any other error is thrown on. */
function attempt(run: () => unknown): boolean {
  try {
    run()
    return true
  } catch (error) {
    if (error instanceof ChainError) return false
    throw error
  }
}

function walk(seed: number, steps: number) {
  const below = seeded(seed)
  const ctx = govContext()
  const people = ['ann', 'ben', 'cat', 'dan'].map(person)
  const pick = () => people[below(people.length)]!
  for (const who of people.slice(0, 2)) validate(ctx, who, BigInt(1 + below(60)) * ONE)
  delegate(ctx, people[2]!, people[0]!, BigInt(1 + below(60)) * ONE)
  bond(ctx)
  for (const who of people) fund(ctx, who, 1000n * ONE)
  const chosen = { burnVoteQuorum: below(2) === 1, burnProposalDepositPrevote: below(2) === 1 }
  state.params.set(ctx, { ...params(ctx), ...chosen })
  const supply = bank.supply(ctx, DENOM)
  const wealth = () => people.reduce((sum, who) => sum + bank.balance(ctx, who, DENOM), 0n)
  const begun = wealth()
  const open = () =>
    [...state.deposits.iterate(ctx)].reduce((sum, [, { amount }]) => sum + BigInt(amount[0]?.amount ?? 0), 0n)
  const tally = { submitted: 0, decided: 0, burned: 0n, refused: 0 }
  const proposalId = () => BigInt(1 + below(tally.submitted + 2))
  const amount = () => coins(BigInt(1 + below(20_000_000)))

  for (let step = 0; step < steps; step++) {
    const actions: readonly (() => boolean)[] = [
      () =>
        attempt(() => {
          const initialDeposit = below(3) === 0 ? [] : amount()
          const parts = { initialDeposit, proposer: text(pick()), metadata: 'm', title: 't', summary: 's' }
          messages.submitProposal(ctx, create(MsgSubmitProposalSchema, parts))
          tally.submitted++
        }),
      () =>
        attempt(() => messages.deposit(ctx, { proposalId: proposalId(), depositor: text(pick()), amount: amount() })),
      () =>
        attempt(() => {
          const option = (1 + below(4)) as VoteOption
          messages.vote(ctx, { proposalId: proposalId(), voter: text(pick()), option })
        }),
      () => {
        pass(ctx, BigInt(below(100_000)))
        return true
      },
    ]
    if (!actions[below(actions.length)]!()) tally.refused++
    // The account has exactly the open deposits; the missing supply was burned.
    expect(bank.balance(ctx, state.account.address, DENOM)).toBe(open())
    expect(begun - wealth() - open()).toBe(supply - bank.supply(ctx, DENOM))
  }
  pass(ctx, 1_000_000n)
  expect(open()).toBe(0n)
  for (const [, { status }] of state.proposals.iterate(ctx)) {
    expect([ProposalStatus.PASSED, ProposalStatus.REJECTED]).toContain(status)
    tally.decided++
  }
  expect([...state.activeQueue.keys(ctx), ...state.inactiveQueue.keys(ctx), ...state.votes.keys(ctx)]).toEqual([])
  tally.burned = supply - bank.supply(ctx, DENOM)
  return tally
}

test('over random messages every deposit is open, refunded or burned', () => {
  const walks = Array.from({ length: 12 }, (_, seed) => walk(seed + 1, 150))
  const total = (of: (one: (typeof walks)[number]) => number) => walks.reduce((sum, one) => sum + of(one), 0)
  // The random steps reached votes, burned deposits and refused messages.
  expect(total(({ submitted }) => submitted)).toBeGreaterThan(300)
  expect(total(({ decided }) => decided)).toBeGreaterThan(100)
  expect(total(({ refused }) => refused)).toBeGreaterThan(100)
  expect(walks.filter(({ burned }) => burned > 0n).length).toBeGreaterThan(4)
})
