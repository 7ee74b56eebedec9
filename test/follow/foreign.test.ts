/** A replica of a chain with modules that this build does not have: it verifies all of their state, and serves it raw. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { encodeFunctionData, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { storesOf } from '../../src/app/stores.ts'
import { BaseAccountSchema } from '../../src/gen/sdk/auth/v1beta1/auth_pb.ts'
import { GrantSchema } from '../../src/gen/sdk/authz/v1beta1/authz_pb.ts'
import { TxMsgDataSchema } from '../../src/gen/sdk/base/abci/v1beta1/abci_pb.ts'
import { GrantSchema as FeeGrantSchema } from '../../src/gen/sdk/feegrant/v1beta1/feegrant_pb.ts'
import { ProposalSchema } from '../../src/gen/sdk/gov/v1/gov_pb.ts'
import { AuthInfoSchema, TxBodySchema, TxRawSchema } from '../../src/gen/sdk/tx/v1beta1/tx_pb.ts'
import { format } from '../../src/identity/address.ts'
import { identityOf } from '../../src/identity/profiles.ts'
import { type AssembledNode, assembleNode } from '../../src/node/assembly.ts'
import { resolveConfig } from '../../src/node/config.ts'
import { concat, formatHex, hex, utf8 } from '../../src/primitives/bytes.ts'
import { sha256 } from '../../src/primitives/hash.ts'
import { type FakeNode, startFakeNode } from '../support/follow/fake-node.ts'
import { type ForeignBlock, foreignChain } from '../support/follow/foreign-chain.ts'
import type { NodeHistory } from '../support/follow/node-history.ts'
import { ownChain } from '../support/follow/own-chain.ts'

const LAST = 14
/** Heights with foreign content, at which our own chain has an EVM transaction too. */
const [RELAYED, EXECUTED, ADDED] = [4, 6, 8]
/** The height at which a store is deleted. */
const DELETED = 11

const identity = identityOf('nibiru')
const PAYLOAD = hex('0a0301ff0212027b7d')
const PAYLOAD_BASE64 = 'CgMB/wISAnt9'
const CONTRACT = '11'.repeat(32)
const INTERCHAIN = '55'.repeat(32)
const CLAWED = '66'.repeat(20)
const BARE = '33'.repeat(20)
const GRANTER = '44'.repeat(20)

const bech32 = (address: string): string => format({ identity }, hex(address))
const any = (typeUrl: string, value = PAYLOAD) => ({ typeUrl, value })
const stored = (typeUrl: string, value = PAYLOAD): Uint8Array =>
  toBinary(AnySchema, create(AnySchema, any(typeUrl, value)))
/** Field 1 of a message, of less than 128 bytes. */
const first = (bytes: Uint8Array): Uint8Array => concat(Uint8Array.of(0x0a, bytes.length), bytes)
const set = (store: string, key: string | Uint8Array, value: string | Uint8Array) => ({
  store,
  key: typeof key === 'string' ? hex(key) : key,
  value: typeof value === 'string' ? hex(value) : value,
})

function baseAccount(address: string, sequence: bigint): Uint8Array {
  const init = { address: bech32(address), accountNumber: 900n, sequence }
  return toBinary(BaseAccountSchema, create(BaseAccountSchema, init))
}

/** A transaction whose messages, extensions, key and fee are of other modules. */
function foreignTx(urls: readonly string[], memo: string): Uint8Array {
  const messages = urls.map((url) => any(url))
  const body = create(TxBodySchema, { messages, memo, extensionOptions: [any('/foreign.v1.Option')] })
  const authInfo = create(AuthInfoSchema, {
    signerInfos: [{ publicKey: any('/foreign.crypto.v9.PubKey'), sequence: 7n }],
    fee: { amount: [{ denom: 'ibc/ABC', amount: '12' }], gasLimit: 200_000n },
  })
  const bodyBytes = toBinary(TxBodySchema, body)
  const authInfoBytes = toBinary(AuthInfoSchema, authInfo)
  return toBinary(TxRawSchema, create(TxRawSchema, { bodyBytes, authInfoBytes, signatures: [new Uint8Array(64)] }))
}

const succeeded = (urls: readonly string[]) => ({
  data: toBinary(TxMsgDataSchema, create(TxMsgDataSchema, { msgResponses: urls.map((url) => any(`${url}Response`)) })),
  gasWanted: 200_000n,
  gasUsed: 123_456n,
  events: [
    {
      type: 'wasm',
      attributes: [
        { key: '_contract_address', value: bech32(CONTRACT) },
        { key: 'action', value: 'swap' },
      ],
    },
    { type: 'wasm-own_event', attributes: [{ key: '', value: '' }] },
  ],
})

const IBC = ['/ibc.core.client.v1.MsgUpdateClient', '/ibc.core.channel.v1.MsgRecvPacket']
const WASM = ['/cosmwasm.wasm.v1.MsgExecuteContract']
const relay = foreignTx(IBC, 'relayed')
const execution = foreignTx(WASM, 'swap')
const hashOf = (tx: Uint8Array): string => formatHex(sha256(tx)).toUpperCase()
const CONSENSUS_STATE = utf8('clients/07-tendermint-0/consensusStates/1-7')
const upgraded = { store: 'upgrade', key: hex('00'), value: undefined }

const grant = create(GrantSchema, { authorization: any('/cosmwasm.wasm.v1.ContractExecutionAuthorization') })
const allowance = create(FeeGrantSchema, {
  ...{ granter: bech32(GRANTER), grantee: bech32(BARE), allowance: any('/foreign.v1.Allowance') },
})
const proposal = create(ProposalSchema, { id: 7n, messages: [any('/cosmwasm.wasm.v1.MsgMigrateContract')], status: 3 })

const blocks = new Map<number, ForeignBlock>([
  [
    RELAYED,
    {
      before: [
        [relay, succeeded(IBC)],
        [hex('ff00ff'), { code: 2, codespace: 'sdk', log: 'tx parse error' }],
      ],
      changes: [
        set('ibc', CONSENSUS_STATE, utf8('not \u0000 text')),
        set('capability', 'ff00', ''),
        set('authz', 'ff', 'ff'),
        set(
          'authz',
          concat(hex(`0114${GRANTER}14${BARE}`), utf8('/cosmwasm.wasm.v1.MsgExecuteContract')),
          toBinary(GrantSchema, grant),
        ),
        set('feegrant', `0014${BARE}14${GRANTER}`, toBinary(FeeGrantSchema, allowance)),
        set('gov', '000000000000000007', toBinary(ProposalSchema, proposal)),
        set('evidence', `00${'ab'.repeat(32)}`, stored('/foreign.v1.Evidence')),
        set('acc', `01${BARE}`, stored('/foreign.v1.Account')),
        set(
          'acc',
          `01${INTERCHAIN}`,
          stored('/ibc.applications.interchain_accounts.v1.InterchainAccount', first(baseAccount(INTERCHAIN, 6n))),
        ),
        set(
          'acc',
          `01${CLAWED}`,
          stored('/cosmos.vesting.v1beta1.ClawbackVestingAccount', first(first(baseAccount(CLAWED, 9n)))),
        ),
        // A contract of code 2, created by "c" with label "l" at height 7 as transaction 1, and its state.
        set('wasm', `02${CONTRACT}`, '080212016322016c2a0408071001'),
        set('wasm', `03${CONTRACT}636f6e666967`, '7b7d'),
        set('wasm', 'f0', '00'),
      ],
    },
  ],
  [
    EXECUTED,
    {
      after: [[execution, succeeded(WASM)]],
      changes: [set('wasm', `03${CONTRACT}636f6e666967`, utf8('{"a":1}'))],
    },
  ],
  [
    ADDED,
    {
      before: [[foreignTx(WASM, 'again'), succeeded(WASM)]],
      changes: [upgraded, set('nftfactory', utf8('class/1'), utf8('x'))],
      stores: { added: ['nftfactory'] },
    },
  ],
  [DELETED, { changes: [upgraded], stores: { deleted: ['nftfactory'] } }],
])

let folder: string
let chain: NodeHistory
let node: FakeNode
let replica: AssembledNode
const failures: string[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'almanac-foreign-'))
  const base = await ownChain(LAST, Number.POSITIVE_INFINITY, 'nibiru')
  chain = await foreignChain({ base, stores: storesOf(identity), appVersion: 3n, blocks })
  node = await startFakeNode(chain, join(folder, 'stream'))
  node.advance(LAST)
  replica = await assembleNode({
    resolved: resolveConfig({
      flags: { consensus: 'follow', stream: node.stream, rpc: node.url, profile: 'nibiru' },
      caller: { api: { workers: 0 }, compute: { workers: 0 } },
    }),
    home: join(folder, 'home'),
    freePorts: true,
    log: (level, message) => {
      if (level === 'error') failures.push(message)
    },
  })
  await vi.waitUntil(() => failures.length > 0 || Number(replica.height) === LAST, { timeout: 60_000 })
}, 60_000)

afterAll(async () => {
  await replica?.stop()
  await node?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function get(path: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(`${replica.urls.rest}${path}`)
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

async function rpc(method: string, ...params: readonly unknown[]): Promise<unknown> {
  const answer = await fetch(replica.urls.jsonrpc!, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await answer.json()) as { result?: unknown; error?: unknown }
  return result ?? { error }
}

async function abciQuery(store: string, key: Uint8Array, height: number) {
  const params = `path="/store/${store}/key"&data=0x${formatHex(key)}&height=${height}&prove=true`
  const answer = await fetch(`${replica.urls.comet}/abci_query?${params}`)
  const { result } = (await answer.json()) as {
    result: { response: { code: number; value: string | null; log: string; proofOps: { ops: unknown[] } | null } }
  }
  return result.response
}

const raw = (typeUrl: string) => ({ '@type': typeUrl, value: PAYLOAD_BASE64 })

test('every block is verified, with the stores of modules that this build does not have', async () => {
  expect(failures).toEqual([])
  for (let height = 1; height <= LAST; height++) {
    const ours = replica.gateway.blocks.block(BigInt(height))!
    expect(formatHex(ours.nextAppHash)).toBe(chain.blocks.get(height)!.appHashAfter)
    expect(ours.header.appVersion).toBe(3n)
  }
  const { body } = await get(`/cosmos/base/tendermint/v1beta1/blocks/${RELAYED}`)
  expect(body).toMatchObject({ block: { header: { version: { block: '11', app: '3' } } } })
})

test('any key of any store is read with its proof, at heights before and after the store existed', async () => {
  const found = await abciQuery('ibc', CONSENSUS_STATE, ADDED)
  expect([found.code, found.value]).toEqual([0, Buffer.from('not \u0000 text').toString('base64')])
  expect(found.proofOps!.ops).toHaveLength(2)
  expect(await abciQuery('capability', hex('ff00'), LAST - 1)).toMatchObject({ code: 0, proofOps: { ops: [{}, {}] } })
  expect(await abciQuery('nftfactory', utf8('class/1'), DELETED - 1)).toMatchObject({ code: 0, value: 'eA==' })
  expect((await abciQuery('nftfactory', utf8('class/1'), DELETED)).log).toContain('there is no store nftfactory')
})

test('transactions and their results are shown with unknown messages as they are encoded', async () => {
  const { status, body } = await get(`/cosmos/tx/v1beta1/txs/${hashOf(relay)}`)
  expect(status).toBe(200)
  expect(body['tx']).toMatchObject({
    body: { messages: IBC.map(raw), memo: 'relayed', extension_options: [raw('/foreign.v1.Option')] },
    auth_info: { signer_infos: [{ public_key: raw('/foreign.crypto.v9.PubKey'), sequence: '7' }] },
  })
  expect(body['tx_response']).toMatchObject({ height: String(RELAYED), code: 0, gas_used: '123456' })
  const block = await get(`/cosmos/tx/v1beta1/txs/block/${EXECUTED}`)
  expect(block).toMatchObject({ status: 200, body: { pagination: { total: '2' } } })
  expect((block.body['txs'] as unknown[]).at(-1)).toMatchObject({ body: { messages: WASM.map(raw) } })
})

test('transactions are found by the events of contracts', async () => {
  const search = async (query: string) =>
    (
      (await get(`/cosmos/tx/v1beta1/txs?events=${encodeURIComponent(query)}`)).body['tx_responses'] as {
        height: string
      }[]
    ).map(({ height }) => Number(height))
  expect(await search("wasm.action='swap'")).toEqual([RELAYED, EXECUTED, ADDED])
  expect(await search(`wasm._contract_address='${bech32(CONTRACT)}'`)).toHaveLength(3)
})

test('an account of an unknown kind is shown as it is stored, and its base account gives its nonce', async () => {
  const account = async (address: string) =>
    (await get(`/cosmos/auth/v1beta1/accounts/${bech32(address)}`)).body['account']
  expect(await account(BARE)).toEqual(raw('/foreign.v1.Account'))
  expect(await account(INTERCHAIN)).toEqual({
    '@type': '/ibc.applications.interchain_accounts.v1.InterchainAccount',
    value: Buffer.from(first(baseAccount(INTERCHAIN, 6n))).toString('base64'),
  })
  const { body } = await get('/cosmos/auth/v1beta1/accounts?pagination.limit=1000')
  const types = (body['accounts'] as { '@type': string }[]).map(({ '@type': type }) => type)
  for (const type of ['/foreign.v1.Account', '/cosmos.vesting.v1beta1.ClawbackVestingAccount'])
    expect(types).toContain(type)
  expect((await get(`/cosmos/auth/v1beta1/account_info/${bech32(INTERCHAIN)}`)).body).toMatchObject({
    info: { account_number: '900', sequence: '6' },
  })
  expect(await rpc('eth_getTransactionCount', `0x${CLAWED}`, 'latest')).toBe('0x9')
  expect(await rpc('eth_getCode', `0x${CLAWED}`, 'latest')).toBe('0x')
  expect(await rpc('eth_getTransactionCount', `0x${BARE}`, 'latest')).toMatchObject({
    error: { message: expect.stringContaining('account type /foreign.v1.Account') },
  })
  expect((await get('/nibiru/inflation/v1/circulating_supply')).status).toBe(200)
  expect((await get(`/cosmos/bank/v1beta1/spendable_balances/${bech32(CLAWED)}`)).status).toBe(200)
})

test('grants, allowances and proposals are shown with unknown types as they are stored', async () => {
  const grants = await get(`/cosmos/authz/v1beta1/grants/granter/${bech32(GRANTER)}`)
  expect(grants.body).toMatchObject({
    grants: [{ authorization: raw('/cosmwasm.wasm.v1.ContractExecutionAuthorization') }],
  })
  const allowances = await get(`/cosmos/feegrant/v1beta1/allowances/${bech32(BARE)}`)
  expect(allowances.body).toMatchObject({ allowances: [{ allowance: raw('/foreign.v1.Allowance') }] })
  const message = raw('/cosmwasm.wasm.v1.MsgMigrateContract')
  expect((await get('/cosmos/gov/v1/proposals')).body).toMatchObject({ proposals: [{ id: '7', messages: [message] }] })
  expect((await get('/cosmos/gov/v1beta1/proposals')).body).toMatchObject({ proposals: [{ content: message }] })
})

test('the state of a contract is served raw, and a smart query is refused with the reason', async () => {
  const path = `/cosmwasm/wasm/v1/contract/${bech32(CONTRACT)}`
  const models = [{ key: 'Y29uZmln', value: Buffer.from('{"a":1}').toString('base64') }]
  expect((await get(`${path}/state`)).body).toMatchObject({ models })
  expect((await get(`${path}/raw/Y29uZmln`)).body).toEqual({ data: models[0]!.value })
  expect(await get(`${path}/smart/e30=`)).toMatchObject({
    status: 501,
    body: { code: 12, message: expect.stringMatching(/Wasm code computes, which this node does not run.*\/state$/) },
  })
})

test('a call into a contract of the other machine is refused, and says which call', async () => {
  const data = encodeFunctionData({
    abi: parseAbi(['function query(string contractAddr, bytes req) view returns (bytes)']),
    args: [bech32(CONTRACT), '0x7b7d'],
  })
  const call = { to: '0x0000000000000000000000000000000000000802', data }
  for (const [method, ...more] of [['eth_call'], ['eth_estimateGas'], ['debug_traceCall', {}]]) {
    const answer = (await rpc(String(method), call, 'latest', ...more)) as { error: { message: string } }
    expect(answer.error.message).toContain(bech32(CONTRACT))
  }
})

test('an EVM transaction is traced in a block with transactions that only the chain can run', async () => {
  for (const height of [RELAYED, EXECUTED, ADDED]) {
    const block = (await rpc('eth_getBlockByNumber', `0x${height.toString(16)}`, false)) as { transactions: string[] }
    const traces = (await rpc('debug_traceBlockByNumber', `0x${height.toString(16)}`, { tracer: 'callTracer' })) as {
      txHash: string
      result: { gasUsed: string; type: string }
    }[]
    expect(traces.map(({ txHash }) => txHash)).toEqual(block.transactions)
    expect(traces[0]!.result).toMatchObject({ type: 'CALL', gasUsed: '0x5208' })
  }
})
