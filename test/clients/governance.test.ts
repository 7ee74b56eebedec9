import { create, toBinary } from '@bufbuild/protobuf'
import { makeCosmoshubPath, Secp256k1HdWallet } from '@cosmjs/amino'
import { DirectSecp256k1HdWallet, type EncodeObject } from '@cosmjs/proto-signing'
import { BroadcastTxError, GasPrice, QueryClient, SigningStargateClient, setupGovExtension } from '@cosmjs/stargate'
import { connectComet } from '@cosmjs/tendermint-rpc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashConsensusParams } from '../../src/consensus/comet/hashes.ts'
import { MsgUpdateParamsSchema } from '../../src/gen/sdk/consensus/v1/tx_pb.ts'
import { TextProposalSchema } from '../../src/gen/sdk/gov/v1beta1/gov_pb.ts'
import { startNode } from '../../src/index.ts'

const mnemonic = 'test test test test test test test test test test test junk'
const options = { prefix: 'chain', hdPaths: [makeCosmoshubPath(0), makeCosmoshubPath(1)] }
const gasPrice = GasPrice.fromString('0.025unative')
const AUTHORITY = 'chain10d07y265gmmuvt4z0w9aw880jnsr700j0q8wax'
const coins = (amount: number, denom = 'unative') => [{ denom, amount: `${amount}000000` }]

let node: Awaited<ReturnType<typeof startNode>>
let client: SigningStargateClient
let amino: SigningStargateClient
let alice: string
let bob: string

beforeAll(async () => {
  node = await startNode({ chain: { votingPeriod: '30000s' } })
  const wallet = await DirectSecp256k1HdWallet.fromMnemonic(mnemonic, options)
  ;[alice, bob] = (await wallet.getAccounts()).map(({ address }) => address) as [string, string]
  const settings = { gasPrice, broadcastPollIntervalMs: 20 }
  client = await SigningStargateClient.connectWithSigner(node.urls.comet, wallet, settings)
  const ledger = await Secp256k1HdWallet.fromMnemonic(mnemonic, options)
  amino = await SigningStargateClient.connectWithSigner(node.urls.comet, ledger, settings)
  // Two thirds of the bonded tokens; the validator itself has a third.
  const [validator] = (await rest('/cosmos/staking/v1beta1/validators')).validators
  expect((await client.delegateTokens(alice, validator.operator_address, coins(2000)[0]!, 'auto')).code).toBe(0)
})
afterAll(async () => {
  client?.disconnect()
  amino?.disconnect()
  await node?.stop()
})

// biome-ignore lint/suspicious/noExplicitAny: a test reads answers as JSON
const rest = async (path: string): Promise<any> => (await fetch(node.urls.rest + path)).json()

const gov = (name: string, value: object, version = 'v1'): EncodeObject => ({
  typeUrl: `/cosmos.gov.${version}.Msg${name}`,
  value,
})

const FEE = { amount: [{ denom: 'unative', amount: '25000' }], gas: '1000000' }

/** Sends with a fixed fee. Returns code and log, of a refusal by the mempool or by the block. */
async function send(message: EncodeObject, from = alice, by = client): Promise<[number, string]> {
  try {
    const { code, rawLog = '' } = await by.signAndBroadcast(from, [message], FEE)
    return [code, code === 0 ? '' : rawLog.replace('failed to execute message; message index: 0: ', '')]
  } catch (error) {
    if (error instanceof BroadcastTxError) return [error.code, error.log ?? '']
    throw error
  }
}

const OK = [0, '']

const submission = (messages: object[], initialDeposit = coins(10)) =>
  gov('SubmitProposal', {
    messages,
    initialDeposit,
    proposer: alice,
    metadata: 'ipfs://CID',
    title: 'A title',
    summary: 'A summary',
  })

const update = (maxGas: bigint, maxBytes = 22_020_096n) => ({
  typeUrl: '/cosmos.consensus.v1.MsgUpdateParams',
  value: toBinary(
    MsgUpdateParamsSchema,
    create(MsgUpdateParamsSchema, {
      authority: AUTHORITY,
      block: { maxBytes, maxGas },
      evidence: { maxAgeNumBlocks: 100_000n, maxAgeDuration: { seconds: 172_800n }, maxBytes: 1_048_576n },
      validator: { pubKeyTypes: ['ed25519'] },
    }),
  ),
})

const vote = (proposalId: bigint, voter: string, option: number) =>
  gov('Vote', { proposalId, voter, option, metadata: '' })

test('CosmJS proposes other block limits, pays, votes, and they apply from the next block', async () => {
  expect(await send(submission([update(30_000_000n, 2_000_000n)], coins(4)))).toEqual(OK)
  expect(await send(gov('Deposit', { proposalId: 1n, depositor: bob, amount: coins(6) }), bob)).toEqual(OK)
  expect(await send(vote(1n, alice, 1))).toEqual(OK)
  const comet = await connectComet(node.urls.comet)
  const { gov: questions } = QueryClient.withExtensions(comet, setupGovExtension)
  const { proposal } = await questions.proposal(1)
  expect([proposal.status, proposal.content?.typeUrl]).toEqual([2, '/cosmos.consensus.v1.MsgUpdateParams'])
  expect((await questions.tally(1)).tally).toMatchObject({ yes: '2000000000', no: '0' })
  expect((await questions.deposits(1)).deposits).toHaveLength(2)

  await node.advance(31_000)
  expect((await questions.proposal(1)).proposal.status).toBe(3)
  expect((await rest('/cosmos/gov/v1/proposals/1')).proposal).toMatchObject({
    status: 'PROPOSAL_STATUS_PASSED',
    final_tally_result: { yes_count: '2000000000' },
    messages: [{ '@type': '/cosmos.consensus.v1.MsgUpdateParams', block: { max_gas: '30000000' } }],
  })
  const rpc = async (path: string) => {
    const response = await fetch(`${node.urls.comet}/${path}`)
    return ((await response.json()) as { result: Awaited<ReturnType<typeof rest>> }).result
  }
  const found = await rpc('block_search?query="active_proposal.proposal_id=1"')
  expect(found.total_count).toBe('1')
  const decided = Number(found.blocks[0].block.header.height)
  const results = await rpc(`block_results?height=${decided}`)
  expect(results.consensus_param_updates.block).toEqual({ max_bytes: '2000000', max_gas: '30000000' })
  await node.nextBlock()
  const hash = (maxGas: bigint, maxBytes: bigint) =>
    Buffer.from(hashConsensusParams({ maxBytes, maxGas })).toString('hex').toUpperCase()
  const header = async (height: number) => (await rpc(`block?height=${height}`)).block.header.consensus_hash
  expect(await header(decided)).toBe(hash(60_000_000n, 22_020_096n))
  expect(await header(decided + 1)).toBe(hash(30_000_000n, 2_000_000n))
  // A transaction above the new block gas limit is refused.
  const greedy = { amount: [{ denom: 'unative', amount: '800000' }], gas: '31000000' }
  const tooMuch = client.signAndBroadcast(alice, [vote(1n, alice, 1)], greedy)
  await expect(tooMuch).rejects.toThrow(/31000000/)
})

test('a text proposal in the old form, signed in amino, passes with weighted votes', async () => {
  const content = {
    typeUrl: '/cosmos.gov.v1beta1.TextProposal',
    value: toBinary(TextProposalSchema, create(TextProposalSchema, { title: 'Words', description: 'nothing more' })),
  }
  const propose = gov('SubmitProposal', { content, initialDeposit: coins(10), proposer: alice }, 'v1beta1')
  expect(await send(propose, alice, amino)).toEqual(OK)
  const parts = [
    { option: 1, weight: '700000000000000000' },
    { option: 2, weight: '300000000000000000' },
  ]
  const weighted = gov('VoteWeighted', { proposalId: 2n, voter: alice, options: parts }, 'v1beta1')
  expect(await send(weighted, alice, amino)).toEqual(OK)
  expect((await rest('/cosmos/gov/v1beta1/proposals/2/votes')).votes).toEqual([
    {
      proposal_id: '2',
      voter: alice,
      option: 'VOTE_OPTION_UNSPECIFIED',
      options: [
        { option: 'VOTE_OPTION_YES', weight: '0.700000000000000000' },
        { option: 'VOTE_OPTION_ABSTAIN', weight: '0.300000000000000000' },
      ],
    },
  ])
  await node.advance(31_000)
  expect((await rest('/cosmos/gov/v1beta1/proposals/2')).proposal).toMatchObject({
    content: { '@type': '/cosmos.gov.v1beta1.TextProposal', title: 'Words' },
    status: 'PROPOSAL_STATUS_PASSED',
  })
})

test('a proposal whose message fails has the status failed, with the reason', async () => {
  // More evidence than a block can hold.
  expect(await send(submission([update(30_000_000n, 2_000n)]))).toEqual(OK)
  expect(await send(vote(3n, alice, 1))).toEqual(OK)
  await node.advance(31_000)
  expect((await rest('/cosmos/gov/v1/proposals/3')).proposal.status).toBe('PROPOSAL_STATUS_FAILED')
  expect((await rest('/cosmos/consensus/v1/params')).params.block.max_bytes).toBe('2000000')
})

test('wrong messages are refused with the codes of the SDK, and the chain goes on', async () => {
  const height = node.height
  expect(await send(vote(1n, alice, 1))).toEqual([3, '1: inactive proposal'])
  expect(await send(vote(99n, alice, 1))).toEqual([3, '99: inactive proposal'])
  expect(await send(vote(1n, alice, 0))).toEqual([7, 'VOTE_OPTION_UNSPECIFIED: invalid vote option'])
  const deposit = (proposalId: bigint, amount: object[]) => gov('Deposit', { proposalId, depositor: alice, amount })
  expect(await send(deposit(99n, coins(1)))).toEqual([2, '99: unknown proposal'])
  expect(await send(deposit(1n, coins(1)))).toEqual([3, '1: inactive proposal'])
  expect(await send(submission([update(1n)], coins(1, 'ufoo')))).toEqual([
    10,
    'invalid gov deposit denom "ufoo"; expected one of the MinDeposit denoms (10000000unative): invalid coins',
  ])
  const half = [{ option: 1, weight: '0.5' }]
  const weighted = gov('VoteWeighted', { proposalId: 1n, voter: alice, options: half, metadata: '' })
  expect(await send(weighted)).toEqual([7, 'weights must add up to 1, got 0.500000000000000000: invalid vote option'])
  const theft = {
    typeUrl: '/cosmos.bank.v1beta1.MsgSend',
    value: client.registry.encode({
      typeUrl: '/cosmos.bank.v1beta1.MsgSend',
      value: { fromAddress: bob, toAddress: alice, amount: coins(1) },
    }),
  }
  expect(await send(submission([theft]))).toEqual([
    13,
    `${bob}: expected gov account as only signer for proposal message`,
  ])
  const usurper = gov('UpdateParams', { authority: alice, params: undefined })
  expect((await send(usurper))[0]).not.toBe(0)
  expect(node.height).toBeGreaterThan(height)
  expect(await send(vote(1n, alice, 1))).toEqual([3, '1: inactive proposal'])
})
