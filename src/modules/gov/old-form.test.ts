import { create, fromBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  AUTHORITY,
  ann,
  ben,
  cat,
  coins,
  type GovWorld,
  govWorld,
  ONE,
  pass,
  TWO_DAYS,
  text,
} from '../../../test/support/governance-world.ts'
import { MsgSendSchema } from '../../gen/sdk/bank/v1beta1/tx_pb.ts'
import { ProposalStatus, VoteOption } from '../../gen/sdk/gov/v1/gov_pb.ts'
import { MsgExecLegacyContentSchema } from '../../gen/sdk/gov/v1/tx_pb.ts'
import { TextProposalSchema } from '../../gen/sdk/gov/v1beta1/gov_pb.ts'
import { MsgSubmitProposalSchema } from '../../gen/sdk/gov/v1beta1/tx_pb.ts'
import { SoftwareUpgradeProposalSchema } from '../../gen/sdk/upgrade/v1beta1/upgrade_pb.ts'
import { formatHex } from '../../primitives/bytes.ts'
import { pack } from '../../sdk/packed.ts'
import * as upgrade from '../upgrade/keeper.ts'
import { legacyMessages, legacyValidations } from './messages.v1beta1.ts'
import { queries } from './queries.ts'
import { legacyQueries } from './queries.v1beta1.ts'

let world: GovWorld
beforeEach(() => {
  world = govWorld()
})

describe('legacy proposals', () => {
  const content = (title: string) =>
    pack(world.ctx, TextProposalSchema, create(TextProposalSchema, { title, description: 'why' }))
  const upgradeTo = (name: string) =>
    pack(
      world.ctx,
      SoftwareUpgradeProposalSchema,
      create(SoftwareUpgradeProposalSchema, { title: 't', description: 'd', plan: { name, height: 99n } }),
    )
  const propose = (packed: ReturnType<typeof content>) =>
    legacyMessages.submitProposal(world.ctx, { content: packed, initialDeposit: coins(10n * ONE), proposer: text(cat) })

  test('become a message of governance and are readable in both forms', () => {
    expect(propose(content('words')).proposalId).toBe(1n)
    const [packed] = world.proposal().messages
    expect(packed!.typeUrl).toBe('/cosmos.gov.v1.MsgExecLegacyContent')
    expect(fromBinary(MsgExecLegacyContentSchema, packed!.value).authority).toBe(AUTHORITY)
    expect(world.proposal()).toMatchObject({ title: 'words', summary: 'why' })
    expect(legacyQueries.proposal(world.ctx, { proposalId: 1n }).proposal).toMatchObject({
      proposalId: 1n,
      content: { typeUrl: '/cosmos.gov.v1beta1.TextProposal' },
      finalTallyResult: { yes: '0' },
    })
    legacyMessages.voteWeighted(world.ctx, {
      proposalId: 1n,
      voter: text(ann),
      options: [{ option: VoteOption.YES, weight: '1000000000000000000' }],
    })
    expect(legacyQueries.vote(world.ctx, { proposalId: 1n, voter: text(ann) }).vote!.options).toMatchObject([
      { option: VoteOption.YES, weight: '1000000000000000000' },
    ])
    legacyMessages.deposit(world.ctx, { proposalId: 1n, depositor: text(ann), amount: coins(ONE) })
    expect(legacyQueries.deposits(world.ctx, { proposalId: 1n }).deposits).toHaveLength(2)
    expect(legacyQueries.tallyResult(world.ctx, { proposalId: 1n }).tally).toMatchObject({ yes: '100000000' })
    legacyMessages.vote(world.ctx, { proposalId: 1n, voter: text(ann), option: VoteOption.NO })
    pass(world.ctx, TWO_DAYS)
    expect(world.proposal().status).toBe(ProposalStatus.REJECTED)
  })

  test('schedule and cancel an upgrade', () => {
    propose(upgradeTo('v2'))
    world.vote(ann, VoteOption.YES)
    pass(world.ctx, TWO_DAYS)
    expect(upgrade.plan(world.ctx)).toMatchObject({ name: 'v2', height: 99n })
  })

  test('a content that cannot execute is gov 5, a content without a handler gov 9', () => {
    world.ctx.block.height = 100n
    expect(() => propose(upgradeTo('v2'))).toThrow(expect.objectContaining({ codespace: 'gov', code: 5 }))
    const other = pack(world.ctx, MsgSendSchema, create(MsgSendSchema))
    expect(() => propose(other)).toThrow('/cosmos.bank.v1beta1.MsgSend: no handler exists for proposal type')
    expect(upgrade.plan(world.ctx)).toBeUndefined()
  })

  test('an invalid plan is sdk 18 before any fee is deducted', () => {
    const check = legacyValidations.find(({ schema }) => schema === MsgSubmitProposalSchema)!
    const proposal = { content: upgradeTo(''), initialDeposit: coins(ONE), proposer: text(cat) }
    const validate = () => check.check(world.ctx, create(MsgSubmitProposalSchema, proposal))
    expect(validate).toThrow('name cannot be empty: invalid request')
  })

  test('a legacy title has 1 to 140 bytes and a description is not empty; v1 messages have no such limits', () => {
    const proposeText = (title: string, description = 'why') =>
      propose(pack(world.ctx, TextProposalSchema, create(TextProposalSchema, { title, description })))
    expect(() => proposeText(' ')).toThrow('proposal title cannot be blank: invalid proposal content')
    expect(() => proposeText('ä'.repeat(71))).toThrow('proposal title is longer than max length of 140')
    expect(() => proposeText('t', '')).toThrow('proposal description cannot be blank')
    expect(proposeText('ä'.repeat(70), ' ').proposalId).toBe(1n)
    const execution = create(MsgExecLegacyContentSchema, { authority: AUTHORITY, content: content(' ') })
    expect(world.submit({ messages: [pack(world.ctx, MsgExecLegacyContentSchema, execution)] })).toBe(2n)
  })

  test('a single message appears as the content, and several messages have no legacy form', () => {
    world.submit()
    expect(legacyQueries.proposal(world.ctx, { proposalId: 1n }).proposal!.content!.typeUrl).toBe(
      '/cosmos.consensus.v1.MsgUpdateParams',
    )
    world.submit({ messages: [world.consensusUpdate(), world.consensusUpdate()] })
    expect(() => legacyQueries.proposals(world.ctx, {})).toThrow('amount of proposal messages not exactly one')
  })
})

test.each([
  ['/cosmos.params.v1beta1.ParameterChangeProposal', 'propose MsgUpdateParams of the module'],
  ['/cosmos.distribution.v1beta1.CommunityPoolSpendProposal', 'propose MsgCommunityPoolSpend'],
])('a content %s is refused with its replacement', (typeUrl, message) => {
  const content = create(AnySchema, { typeUrl })
  const proposal = { content, initialDeposit: coins(10n * ONE), proposer: text(cat) }
  const submit = () => legacyMessages.submitProposal(world.ctx, proposal)
  expect(submit).toThrow(message)
  expect(submit).toThrow(expect.objectContaining({ codespace: 'gov', code: 9 }))
})

describe('queries', () => {
  test('find proposals by status, voter and depositor, page by page', () => {
    for (let i = 0; i < 3; i++) world.submit({ initialDeposit: coins(i === 1 ? ONE : 10n * ONE) })
    world.vote(ann, VoteOption.YES, 3n)
    const ids = (request: Parameters<typeof queries.proposals>[1]) =>
      queries.proposals(world.ctx, request).proposals.map(({ id }) => id)
    expect(ids({})).toEqual([1n, 2n, 3n])
    expect(ids({ proposalStatus: ProposalStatus.DEPOSIT_PERIOD })).toEqual([2n])
    expect(ids({ voter: text(ann) })).toEqual([3n])
    expect(ids({ depositor: text(cat), proposalStatus: ProposalStatus.VOTING_PERIOD })).toEqual([1n, 3n])
    expect(ids({ depositor: text(ben) })).toEqual([])
    const page = queries.proposals(world.ctx, { pagination: { limit: 2n } })
    expect([page.proposals.length, formatHex(page.pagination!.nextKey)]).toEqual([2, '0000000000000003'])
    expect(() => ids({ voter: 'nobody' })).toThrow('decoding bech32 failed')
  })

  test('report unknown proposals, votes and deposits', () => {
    expect(() => queries.proposal(world.ctx, { proposalId: 0n })).toThrow('proposal id can not be 0')
    expect(() => queries.proposal(world.ctx, { proposalId: 9n })).toThrow("proposal 9 doesn't exist")
    expect(() => queries.vote(world.ctx, { proposalId: 9n, voter: text(ann) })).toThrow(
      `voter: ${text(ann)} not found for proposal: 9`,
    )
    expect(() => queries.deposit(world.ctx, { proposalId: 9n, depositor: '' })).toThrow('empty depositor address')
    expect(() => queries.params(world.ctx, { paramsType: 'all' })).toThrow('all is not a valid parameter type')
  })

  test('return parameters by kind in both forms', () => {
    expect(queries.params(world.ctx, { paramsType: 'voting' })).toMatchObject({
      votingParams: { votingPeriod: { seconds: TWO_DAYS } },
      params: { quorum: '0.334000000000000000' },
    })
    expect(queries.params(world.ctx, { paramsType: 'deposit' }).tallyParams).toBeUndefined()
    const { tallyParams } = legacyQueries.params(world.ctx, { paramsType: 'tallying' })
    expect(new TextDecoder().decode(tallyParams!.quorum)).toBe('334000000000000000')
  })
})
