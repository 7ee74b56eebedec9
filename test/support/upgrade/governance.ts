/** Governance over REST and JSON-RPC, as tools use it: proposes a plan, votes for it, waits. */
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { MsgSubmitProposalSchema, MsgVoteSchema } from '../../../src/gen/sdk/gov/v1/tx_pb.ts'
import { MsgCancelUpgradeSchema, MsgSoftwareUpgradeSchema } from '../../../src/gen/sdk/upgrade/v1beta1/tx_pb.ts'
import { complete } from '../../../src/identity/complete.ts'
import { almanac } from '../../../src/identity/profiles/almanac.ts'
import { formatBech32, ofModule } from '../../../src/primitives/address.ts'
import { formatBase64, hex } from '../../../src/primitives/bytes.ts'
import { publicKeyOf } from '../../../src/sdk/crypto.ts'
import { encodeSigned } from '../../../src/sdk/sign-tx.ts'
import { rpc } from '../rpc.ts'

/** Voting period in these tests: longer than any test takes, since they advance the clock. */
export const VOTING_SECONDS = 600

export interface Chain {
  readonly chain_id: string
  readonly accounts: readonly { readonly bech32: string; readonly private_key: `0x${string}` }[]
  readonly urls: { readonly rest: string; readonly jsonrpc: string }
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, never>
}

const authority = formatBech32('chain', ofModule('gov'))

export async function get(chain: Chain, path: string): Promise<Answer> {
  const response = await fetch(chain.urls.rest + path)
  return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, never> }
}

export const heightOf = async (chain: Chain): Promise<number> => Number(await rpc(chain, 'eth_blockNumber'))

/** Signs with the first account, which has all voting power. Resolves with the node's `tx_response`, or its error. */
async function send<Schema extends DescMessage>(
  chain: Chain,
  schema: Schema,
  fields: MessageInitShape<Schema>,
): Promise<{ readonly code: number; readonly raw_log: string }> {
  const [{ bech32, private_key: privateKey }] = chain.accounts as [Chain['accounts'][number]]
  const key = hex(privateKey)
  const info = (await get(chain, `/sdk/auth/v1beta1/account_info/${bech32}`)).body as unknown as {
    info: { account_number: string; sequence: string }
  }
  const plan = {
    identity: almanac,
    messages: [{ schema, message: create(schema, fields) }],
    key: { algorithm: 'eth_secp256k1' as const, publicKey: publicKeyOf(key) },
    memo: '',
    timeoutHeight: 0n,
    chainId: chain.chain_id,
    accountNumber: BigInt(info.info.account_number),
    sequence: BigInt(info.info.sequence),
  }
  const fee = { gasLimit: 500_000n, amount: [{ denom: 'unative', amount: 12_500n }] }
  const response = await fetch(`${chain.urls.rest}/sdk/tx/v1beta1/txs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tx_bytes: formatBase64(encodeSigned(plan, fee, key)), mode: 'BROADCAST_MODE_SYNC' }),
  })
  const answer = (await response.json()) as { tx_response?: { code: number; raw_log: string }; message?: string }
  if (!answer.tx_response) throw new Error(answer.message)
  return answer.tx_response
}

async function propose<Schema extends DescMessage>(chain: Chain, schema: Schema, fields: MessageInitShape<Schema>) {
  const proposer = chain.accounts[0]!.bech32
  const before = await lastProposal(chain)
  const value = toBinary(schema, complete(schema, create(schema, fields)))
  const sent = await send(chain, MsgSubmitProposalSchema, {
    messages: [{ typeUrl: `/${schema.typeName}`, value }],
    initialDeposit: [{ denom: 'unative', amount: '10000000' }],
    proposer,
    title: 'A proposal',
    summary: 'What it is about',
  })
  if (sent.code !== 0) throw new Error(sent.raw_log)
  // An engine answers before the block.
  let latest = await lastProposal(chain)
  while (!latest || latest.id === before?.id) latest = await lastProposal(chain)
  await voteFor(chain, latest.id)
}

/** Votes for a proposal with the first account. */
export async function voteFor(chain: Chain, id: string): Promise<void> {
  const voter = chain.accounts[0]!.bech32
  const { code, raw_log: log } = await send(chain, MsgVoteSchema, { proposalId: BigInt(id), voter, option: 1 })
  if (code !== 0) throw new Error(log)
}

interface LastProposal {
  readonly id: string
  readonly status: string
}

/** Returns the latest proposal; undefined before the first. */
export async function lastProposal(chain: Chain): Promise<LastProposal | undefined> {
  const { body } = await get(chain, '/sdk/gov/v1/proposals?pagination.reverse=true&pagination.limit=1')
  return (body['proposals'] as unknown as readonly LastProposal[])[0]
}

/** Proposes a plan and votes for it. The plan is in force once the voting period has ended. */
export const proposePlan = (chain: Chain, name: string, height: number, info = '') =>
  propose(chain, MsgSoftwareUpgradeSchema, { authority, plan: { name, height: BigInt(height), info } })

export const proposeCancel = (chain: Chain) => propose(chain, MsgCancelUpgradeSchema, { authority })

/** Advances the clock past the voting period and makes the block that ends the open votes. */
export async function endVoting(chain: Chain): Promise<void> {
  await rpc(chain, 'evm_increaseTime', [VOTING_SECONDS + 1])
  await rpc(chain, 'evm_mine')
}

/** Makes blocks up to a height. */
export async function mineTo(chain: Chain, height: number): Promise<void> {
  const missing = height - (await heightOf(chain))
  if (missing > 0) await rpc(chain, 'hardhat_mine', [`0x${missing.toString(16)}`])
}

export const planOf = async (chain: Chain): Promise<{ name: string; height: string } | null> =>
  (await get(chain, '/sdk/upgrade/v1beta1/current_plan')).body['plan']!

export const appliedAt = async (chain: Chain, name: string): Promise<string> =>
  (await get(chain, `/sdk/upgrade/v1beta1/applied_plan/${name}`)).body['height']!
