import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { AnySchema, DurationSchema } from '@bufbuild/protobuf/wkt'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  AUTHORITY,
  ann,
  ben,
  cat,
  coins,
  fund,
  type GovWorld,
  govWorld,
  ONE,
  pass,
  TWO_DAYS,
  text,
} from '../../../test/support/governance-world.ts'
import { MsgSendSchema } from '../../gen/sdk/bank/v1beta1/tx_pb.ts'
import { type Params, VoteOption } from '../../gen/sdk/gov/v1/gov_pb.ts'
import {
  MsgDepositSchema,
  MsgSubmitProposalSchema,
  MsgUpdateParamsSchema,
  MsgVoteSchema,
  MsgVoteWeightedSchema,
} from '../../gen/sdk/gov/v1/tx_pb.ts'
import { pack } from '../../sdk/packed.ts'
import { messages } from './messages.ts'
import { params } from './params.ts'
import * as state from './state.ts'

let world: GovWorld
beforeEach(() => {
  world = govWorld()
})

describe('refusals', () => {
  const third = (weight: string, option: VoteOption) => ({ option, weight })

  test.each<[string, MessageInitShape<typeof MsgSubmitProposalSchema>, string]>([
    ['no title', { title: '' }, 'proposal title cannot be empty: invalid request'],
    ['no summary', { summary: '' }, 'proposal summary cannot be empty: invalid request'],
    ['nothing proposed', { messages: [] }, 'either metadata or messages must be set: no messages proposed'],
    ['a long title', { title: 'x'.repeat(256) }, 'title has 256 bytes, at most 255 are allowed: metadata too long'],
    [
      'a long summary',
      { summary: 'ä'.repeat(128) },
      'summary has 256 bytes, at most 255 are allowed: metadata too long',
    ],
    [
      'long metadata',
      { metadata: 'x'.repeat(256) },
      'metadata has 256 bytes, at most 255 are allowed: metadata too long',
    ],
    ['coins twice', { initialDeposit: [...coins(1n), ...coins(2n)] }, '1unative,2unative: invalid coins'],
    ['no address', { proposer: 'nobody' }, 'invalid address'],
    [
      'another coin',
      { initialDeposit: coins(1n, 'ufoo') },
      'invalid gov deposit denom "ufoo"; expected one of the MinDeposit denoms (10000000unative): invalid coins',
    ],
    [
      'an unknown message',
      { messages: [create(AnySchema, { typeUrl: '/foo.Bar' })] },
      'no concrete type registered for type URL /foo.Bar: failed unpacking protobuf message from Any',
    ],
  ])('a proposal with %s', (_what, part, message) => {
    expect(() => world.submit(part)).toThrow(message)
  })

  test('a message with another signer, without a handler, or with invalid fields', () => {
    const send = (from: string, amount: bigint) =>
      pack(
        world.ctx,
        MsgSendSchema,
        create(MsgSendSchema, { fromAddress: from, toAddress: text(ann), amount: amount ? coins(amount) : [] }),
      )
    expect(() => world.submit({ messages: [send(text(cat), 1n)] })).toThrow(
      `${text(cat)}: expected gov account as only signer for proposal message`,
    )
    expect(() => world.submit({ messages: [send(AUTHORITY, 0n)] })).toThrow(
      'msg: 0, err: : invalid coins: invalid proposal message',
    )
    const handlerOf = world.ctx.app.handlerOf
    const deaf = {
      ...world.ctx.app,
      handlerOf: (name: string) => (name.includes('bank') ? undefined : handlerOf(name)),
    }
    const message = create(MsgSubmitProposalSchema, {
      messages: [send(AUTHORITY, 1n)],
      proposer: text(cat),
      title: 't',
      summary: 's',
    })
    expect(() => messages.submitProposal({ ...world.ctx, app: deaf }, message)).toThrow(
      '/cosmos.bank.v1beta1.MsgSend: proposal message not recognized by router',
    )
  })

  test('a first deposit below the required ratio', () => {
    state.params.set(world.ctx, { ...params(world.ctx), minInitialDepositRatio: '0.25' })
    expect(() => world.submit({ initialDeposit: coins(2_499_999n) })).toThrow(
      'was (2499999unative), need (2500000unative): minimum deposit is too small',
    )
    expect(world.submit({ initialDeposit: coins(2_500_000n) })).toBe(1n)
  })

  test('a vote before or after the voting period, or on an unknown proposal: gov 3', () => {
    world.submit({ initialDeposit: [] })
    expect(() => world.vote(ann, VoteOption.YES)).toThrow('1: inactive proposal')
    expect(() => world.vote(ann, VoteOption.YES, 7n)).toThrow('7: inactive proposal')
    world.deposit(ben, 10n * ONE)
    world.vote(ann, VoteOption.YES)
    pass(world.ctx, TWO_DAYS)
    expect(() => world.vote(ann, VoteOption.YES)).toThrow(expect.objectContaining({ codespace: 'gov', code: 3 }))
  })

  test('a deposit on an unknown proposal (gov 2), after the vote (gov 3), in another coin (sdk 10) or above the balance (sdk 5)', () => {
    const code = (codespace: string, number: number) => expect.objectContaining({ codespace, code: number })
    expect(() => world.deposit(ann, ONE)).toThrow(code('gov', 2))
    world.submit()
    fund(world.ctx, ann, ONE, 'ufoo')
    expect(() => world.deposit(ann, ONE, 'ufoo')).toThrow(code('sdk', 10))
    expect(() => world.deposit(ann, 101n * ONE)).toThrow(code('sdk', 5))
    pass(world.ctx, TWO_DAYS)
    expect(() => world.deposit(ann, ONE)).toThrow(code('gov', 3))
  })

  test.each([
    ['an unknown option', [third('1', 9 as VoteOption)], '9: invalid vote option'],
    ['no option', [], 'no options: invalid request'],
    ['weights above 1', [third('0.7', 1), third('0.4', 3)], 'weights must add up to 1, got 1.100000000000000000'],
    ['weights below 1', [third('0.333333333333333333', 1)], 'weights must add up to 1, got 0.333333333333333333'],
    ['an option twice', [third('0.5', 1), third('0.5', 1)], 'VOTE_OPTION_YES is listed twice'],
    ['a negative weight', [third('-0.5', 1)], 'weight -0.5 of VOTE_OPTION_YES must be above 0 and at most 1'],
    ['no number', [third('half', 1)], 'weight "half" is not a decimal'],
  ])('a vote with %s', (_what, options, message) => {
    world.submit()
    const weighted = create(MsgVoteWeightedSchema, { proposalId: 1n, voter: text(ann), options })
    expect(() => world.ctx.app.validate(world.ctx, MsgVoteWeightedSchema, weighted)).toThrow(message)
    expect(() => messages.voteWeighted(world.ctx, weighted)).toThrow(message)
  })

  test('unknown options, long metadata and invalid coins, before any fee is deducted', () => {
    const unknown = create(MsgVoteSchema, { proposalId: 1n, voter: text(ann) })
    expect(() => world.ctx.app.validate(world.ctx, MsgVoteSchema, unknown)).toThrow(
      'VOTE_OPTION_UNSPECIFIED: invalid vote option',
    )
    const bad = create(MsgDepositSchema, { proposalId: 1n, depositor: text(ann), amount: coins(0n) })
    expect(() => world.ctx.app.validate(world.ctx, MsgDepositSchema, bad)).toThrow('0unative: invalid coins')
    world.submit()
    expect(() =>
      messages.vote(world.ctx, { proposalId: 1n, voter: text(ann), option: VoteOption.YES, metadata: 'x'.repeat(256) }),
    ).toThrow('metadata has 256 bytes')
  })

  test('messages of governance from another sender: gov 13', () => {
    const wrong = expect.objectContaining({ codespace: 'gov', code: 13 })
    expect(() => messages.updateParams(world.ctx, { authority: text(ann), params: params(world.ctx) })).toThrow(wrong)
    expect(() => messages.execLegacyContent(world.ctx, { authority: text(ann) })).toThrow(wrong)
  })

  test.each<[Partial<Params>, string]>([
    [{ minDeposit: [] }, 'invalid minimum deposit'],
    [{ votingPeriod: create(DurationSchema) }, 'voting period must be positive'],
    [{ maxDepositPeriod: create(DurationSchema, { seconds: -1n }) }, 'maximum deposit period must be positive'],
    [{ quorum: '1.1' }, 'quorum must be at most 1'],
    [{ quorum: 'most' }, 'quorum must be a decimal'],
    [{ threshold: '0' }, 'vote threshold must be positive'],
    [{ vetoThreshold: '-0.1' }, 'veto threshold must be positive'],
    [{ minInitialDepositRatio: '1.000000000000000001' }, 'minimum initial deposit ratio must be at most 1'],
  ])('invalid parameters: %o', (part, message) => {
    const update = create(MsgUpdateParamsSchema, { authority: AUTHORITY, params: { ...params(world.ctx), ...part } })
    expect(() => world.ctx.app.validate(world.ctx, MsgUpdateParamsSchema, update)).toThrow(message)
    expect(() => messages.updateParams(world.ctx, update)).toThrow(message)
  })
})
