import { create, fromBinary, type JsonObject, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  AUTHORITY,
  ann,
  ben,
  cat,
  coins,
  DENOM,
  fund,
  type GovWorld,
  govContext,
  govWorld,
  ONE,
  pass,
  TWO_DAYS,
  text,
} from '../../../test/support/governance-world.ts'
import { MsgSendSchema } from '../../gen/sdk/bank/v1beta1/tx_pb.ts'
import { Msg as ConsensusMsg } from '../../gen/sdk/consensus/v1/tx_pb.ts'
import { MsgCommunityPoolSpendSchema } from '../../gen/sdk/distribution/v1beta1/tx_pb.ts'
import { ProposalSchema, ProposalStatus, VoteOption } from '../../gen/sdk/gov/v1/gov_pb.ts'
import { MsgSoftwareUpgradeSchema } from '../../gen/sdk/upgrade/v1beta1/tx_pb.ts'
import { formatHex } from '../../primitives/bytes.ts'
import type { BranchedContext } from '../../sdk/context.ts'
import { defineMessages } from '../../sdk/module.ts'
import { pack } from '../../sdk/packed.ts'
import * as bank from '../bank/keeper.ts'
import * as consensus from '../consensus/keeper.ts'
import { communityPool, distributionAccount } from '../distribution/keeper.ts'
import { gov } from './index.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'
import * as state from './state.ts'

let world: GovWorld
beforeEach(() => {
  world = govWorld()
})

describe('the life of a proposal', () => {
  test('after deposit and vote its messages run with the authority of governance', () => {
    expect(world.submit({ initialDeposit: coins(4n * ONE) })).toBe(1n)
    expect(world.proposal().status).toBe(ProposalStatus.DEPOSIT_PERIOD)
    expect(world.events('submit_proposal')).toEqual([
      { proposal_id: '1', proposal_messages: ',/cosmos.consensus.v1.MsgUpdateParams' },
    ])
    world.deposit(ben, 6n * ONE)
    expect(world.proposal().status).toBe(ProposalStatus.VOTING_PERIOD)
    expect(world.events('proposal_deposit')).toEqual([
      { amount: '4000000unative', proposal_id: '1' },
      { amount: '6000000unative', proposal_id: '1' },
      { voting_period_start: '1' },
    ])
    expect(world.held(state.account.address)).toBe(10n * ONE)
    world.vote(ann, VoteOption.YES)
    expect(world.events('proposal_vote')).toEqual([
      { voter: text(ann), option: 'option:VOTE_OPTION_YES weight:"1.000000000000000000"', proposal_id: '1' },
    ])
    pass(world.ctx, TWO_DAYS - 1n)
    expect(world.proposal().status).toBe(ProposalStatus.VOTING_PERIOD)
    pass(world.ctx, 1n)
    expect(world.proposal()).toMatchObject({
      status: ProposalStatus.PASSED,
      finalTallyResult: { yesCount: '100000000', noCount: '0' },
    })
    expect(consensus.params(world.ctx).block!.maxGas).toBe(7_000_000n)
    expect([world.held(cat), world.held(ben), world.held(state.account.address)]).toEqual([100n * ONE, 100n * ONE, 0n])
    expect(world.events('active_proposal')).toEqual([{ proposal_id: '1', proposal_result: 'proposal_passed' }])
    expect([...state.votes.keys(world.ctx)]).toEqual([])
    expect([...state.activeQueue.keys(world.ctx)]).toEqual([])
  })

  test('a proposal without the minimum deposit in time is dropped and deposits are refunded', () => {
    world.submit({ initialDeposit: coins(4n * ONE) })
    pass(world.ctx, TWO_DAYS - 1n)
    expect(state.proposals.has(world.ctx, 1n)).toBe(true)
    pass(world.ctx, 1n)
    expect(state.proposals.has(world.ctx, 1n)).toBe(false)
    expect(world.held(cat)).toBe(100n * ONE)
    expect(world.events('inactive_proposal')).toEqual([{ proposal_id: '1', proposal_result: 'proposal_dropped' }])
    expect(world.submit()).toBe(2n)
  })

  test('a veto burns the deposits and lowers the supply', () => {
    world.submit()
    const supply = bank.supply(world.ctx, DENOM)
    world.vote(ann, VoteOption.NO_WITH_VETO)
    pass(world.ctx, TWO_DAYS)
    expect(world.proposal().status).toBe(ProposalStatus.REJECTED)
    expect([world.held(cat), world.held(state.account.address)]).toEqual([90n * ONE, 0n])
    expect(bank.supply(world.ctx, DENOM)).toBe(supply - 10n * ONE)
  })

  test('a failing message rolls back the proposal, reports the reason and refunds the deposit', () => {
    const spend = create(MsgCommunityPoolSpendSchema, {
      authority: AUTHORITY,
      recipient: text(ann),
      amount: coins(10n ** 15n),
    })
    world.submit({ messages: [world.consensusUpdate(), pack(world.ctx, MsgCommunityPoolSpendSchema, spend)] })
    world.vote(ann, VoteOption.YES)
    pass(world.ctx, TWO_DAYS)
    expect(world.proposal().status).toBe(ProposalStatus.FAILED)
    expect(consensus.params(world.ctx).block!.maxGas).toBe(-1n)
    expect(world.held(cat)).toBe(100n * ONE)
    expect(world.events('active_proposal')).toEqual([
      {
        proposal_id: '1',
        proposal_result: 'proposal_failed',
        proposal_log:
          'msg 1 (/cosmos.distribution.v1beta1.MsgCommunityPoolSpend) failed on execution: ' +
          'community pool does not have sufficient coins to distribute',
      },
    ])
    expect(queries.tallyResult(world.ctx, { proposalId: 1n }).tally).toMatchObject({ yesCount: '100000000' })
  })

  test('a bug in a message of a proposal ends the block and is no outcome of the vote', () => {
    const bug = new TypeError('this is undefined')
    const broken = defineMessages(ConsensusMsg, {
      updateParams() {
        throw bug
      },
    })
    world = govWorld({ handlerOf: () => broken.handlers.routes[0] })
    world.submit()
    world.vote(ann, VoteOption.YES)
    expect(() => pass(world.ctx, TWO_DAYS)).toThrow(bug)
  })

  test('a proposal can be text only, and proposals with the same end are decided by id', () => {
    world.submit({ messages: [], metadata: 'ipfs://text' })
    world.submit({ messages: [], metadata: 'ipfs://text' })
    world.vote(ann, VoteOption.YES, 2n)
    pass(world.ctx, TWO_DAYS)
    expect(world.events('active_proposal').map((event) => event['proposal_result'])).toEqual([
      'proposal_rejected',
      'proposal_passed',
    ])
  })

  test('the deposit of a blocked account goes to the community pool', () => {
    world.submit()
    const blocked = distributionAccount.address
    fund(world.ctx, blocked, 3n * ONE)
    messages.deposit(world.ctx, { proposalId: 1n, depositor: text(blocked), amount: coins(3n * ONE) })
    pass(world.ctx, TWO_DAYS)
    expect(communityPool(world.ctx)).toEqual([{ denom: DENOM, amount: 3n * ONE * 10n ** 18n }])
    expect(world.held(state.account.address)).toBe(0n)
  })

  test('a proposal that spends open deposits does not stop the chain, and refunds share the rest', () => {
    const send = create(MsgSendSchema, { fromAddress: AUTHORITY, toAddress: text(ann), amount: coins(15n * ONE) })
    world.submit({ messages: [pack(world.ctx, MsgSendSchema, send)] })
    world.vote(ann, VoteOption.YES)
    world.ctx.block.timeNs += 1n
    world.submit({ proposer: text(ben), initialDeposit: coins(20n * ONE) })
    pass(world.ctx, TWO_DAYS)
    expect(world.proposal(1n).status).toBe(ProposalStatus.PASSED)
    expect(world.proposal(2n).status).toBe(ProposalStatus.REJECTED)
    expect([world.held(cat), world.held(ben)]).toEqual([100n * ONE, 85n * ONE])
  })
})

test('keys and values match byte for byte', () => {
  const plan = { name: 'v2.0.0', height: 123456n, info: '' }
  const packed = pack(
    world.ctx,
    MsgSoftwareUpgradeSchema,
    create(MsgSoftwareUpgradeSchema, { authority: AUTHORITY, plan }),
  )
  world.ctx.block.timeNs = 1_704_164_645_000_000_006n - TWO_DAYS * 1_000_000_000n
  world.submit({ messages: [packed] })
  world.vote(ann, VoteOption.YES)
  const keys = world.ctx.branchStore.changes().flatMap(({ store, key }) => (store === 'gov' ? [formatHex(key)] : []))
  expect(keys).toContain('01323032342d30312d30325430333a30343a30352e3030303030303030360000000000000001')
  expect(keys).toContain('000000000000000001')
  expect(keys).toContain(`20000000000000000114${formatHex(ann)}`)
  expect(formatHex(toBinary(AnySchema, packed))).toBe(
    '0a2a2f636f736d6f732e757067726164652e763162657461312e4d7367536f6674776172655570677261646512490a2c636861696e313064303779323635676d6d757674347a30773961773838306a6e73723730306a30713877617812190a0676322e302e30120b088092b8c398feffffff0118c0c407',
  )
})

test('state survives export and import key for key, and an inconsistent document is refused', () => {
  world.submit()
  world.submit({ initialDeposit: coins(ONE) })
  world.vote(ann, VoteOption.YES)
  world.vote(ben, VoteOption.ABSTAIN)
  const govKeys = (from: BranchedContext) =>
    from.branchStore
      .changes()
      .flatMap(({ store, key, value }) => (store === 'gov' && value ? [[formatHex(key), formatHex(value)]] : []))
  const json = gov.genesis!.export(world.ctx) as Record<string, never>
  const fresh = govContext()
  fund(fresh, state.account.address, 11n * ONE)
  gov.genesis!.init(fresh, json)
  expect(govKeys(fresh)).toEqual(govKeys(world.ctx))
  expect(fromBinary(ProposalSchema, toBinary(ProposalSchema, state.proposals.get(fresh, 1n)!))).toEqual(
    world.proposal(),
  )
  const poor = govContext()
  expect(() => gov.genesis!.init(poor, json)).toThrow('deposits of 11000000unative are open')
  expect(() => gov.genesis!.init(poor, { ...json, starting_proposal_id: '2' })).toThrow(
    'proposals[1]: id 2 must be below starting_proposal_id 2',
  )
  expect(() => gov.genesis!.init(poor, { ...json, starting_proposal_id: '0' })).toThrow("hasn't been set")
})

test.each([
  ['proposals', 'proposals[2]: proposal 1 is listed twice'],
  ['deposits', 'deposits[2]: a deposit of CAT on proposal 1 is listed twice'],
  ['votes', 'votes[1]: a vote of ANN on proposal 1 is listed twice'],
])('a genesis document with repeated %s is refused', (part, message) => {
  world.submit()
  world.submit({ initialDeposit: coins(ONE) })
  world.vote(ann, VoteOption.YES)
  const json = gov.genesis!.export(world.ctx) as Record<string, JsonObject[]>
  const fresh = govContext()
  fund(fresh, state.account.address, 100n * ONE)
  const twice = { ...json, [part]: [...json[part]!, json[part]![0]!] }
  const told = message.replace('CAT', text(cat)).replace('ANN', text(ann))
  expect(() => gov.genesis!.init(fresh, twice)).toThrow(told)
})

test.each(['deposits', 'votes'])('a genesis document with %s on an unknown proposal is refused', (part) => {
  world.submit()
  world.vote(ann, VoteOption.YES)
  const json = gov.genesis!.export(world.ctx) as Record<string, JsonObject[]>
  const fresh = govContext()
  fund(fresh, state.account.address, 100n * ONE)
  const orphans = { ...json, [part]: json[part]!.map((one) => ({ ...one, proposal_id: '7' })) }
  expect(() => gov.genesis!.init(fresh, orphans)).toThrow(`${part}[0]: there is no proposal 7`)
})
