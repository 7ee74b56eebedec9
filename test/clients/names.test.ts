/** One family of names in a conversation: type URLs in answers have the family in which the client asked (D18). */

import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { makeCosmoshubPath } from '@cosmjs/amino'
import { DirectSecp256k1HdWallet, decodeTxRaw, Registry } from '@cosmjs/proto-signing'
import { accountFromAny, defaultRegistryTypes, GasPrice, SigningStargateClient } from '@cosmjs/stargate'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { keyOfMnemonic } from '../../src/cli/keys/mnemonic.ts'
import { QueryAccountRequestSchema, QueryAccountResponseSchema } from '../../src/gen/sdk/auth/v1beta1/query_pb.ts'
import { GenericAuthorizationSchema, GrantSchema } from '../../src/gen/sdk/authz/v1beta1/authz_pb.ts'
import { QueryGranterGrantsRequestSchema } from '../../src/gen/sdk/authz/v1beta1/query_pb.ts'
import { MsgExecSchema, MsgGrantSchema } from '../../src/gen/sdk/authz/v1beta1/tx_pb.ts'
import { MsgSendSchema } from '../../src/gen/sdk/bank/v1beta1/tx_pb.ts'
import { AllowedMsgAllowanceSchema, BasicAllowanceSchema } from '../../src/gen/sdk/feegrant/v1beta1/feegrant_pb.ts'
import { MsgGrantAllowanceSchema } from '../../src/gen/sdk/feegrant/v1beta1/tx_pb.ts'
import { QueryProposalsRequestSchema } from '../../src/gen/sdk/gov/v1/query_pb.ts'
import { MsgSubmitProposalSchema } from '../../src/gen/sdk/gov/v1/tx_pb.ts'
import { QueryValidatorsRequestSchema } from '../../src/gen/sdk/staking/v1beta1/query_pb.ts'
import { GetTxRequestSchema, GetTxResponseSchema } from '../../src/gen/sdk/tx/v1beta1/service_pb.ts'
import { TxSchema } from '../../src/gen/sdk/tx/v1beta1/tx_pb.ts'
import { createIdentity } from '../../src/identity/identity.ts'
import { profile as almanac } from '../../src/identity/profiles/almanac.ts'
import { nibiru } from '../../src/identity/profiles/nibiru.ts'
import type { Profile } from '../../src/identity/profiles/profile.ts'
import { type Node, startNode } from '../../src/index.ts'
import { formatBech32, ofModule } from '../../src/primitives/address.ts'
import { sha256 } from '../../src/primitives/hash.ts'
import { publicKeyOf } from '../../src/sdk/crypto.ts'
import { encodeSigned } from '../../src/sdk/sign-tx.ts'

const MNEMONIC = 'test test test test test test test test test test test junk'
const MSG_SEND = '/cosmos.bank.v1beta1.MsgSend'
const FAMILIES = ['cosmos', 'sdk'] as const
type Family = (typeof FAMILIES)[number]

interface Chain {
  readonly node: Node
  readonly profile: Profile
  readonly granter: string
  /** Hashes of transactions by the family of names in which they were signed. */
  readonly hashes: Readonly<Record<Family, readonly string[]>>
}

type Packed = { readonly schema: DescMessage; readonly message: never }

function packed<Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): Packed {
  return { schema, message: create(schema, init) as never }
}

/** Makes transactions with packed messages, in names of one family each, and records that contain them. */
async function startChain(profile: Profile): Promise<Chain> {
  const node = await startNode({ chain: { profile: profile.name } })
  const [one, two, three] = node.accounts
    .filter(({ path }) => path.startsWith("m/44'/118'"))
    .map(({ bech32 }) => bech32) as [string, string, string]
  const privateKey = keyOfMnemonic(node.mnemonic, "m/44'/118'/0'/0/0")
  const account = await rest(node, `/sdk/auth/v1beta1/account_info/${one}`)
  const { account_number: number } = account['info'] as { account_number: string }
  const coins = (amount: string) => [{ denom: profile.baseDenom, amount }]
  const gov = formatBech32(profile.bech32.account, ofModule('gov'))
  const hashes: Record<Family, string[]> = { cosmos: [], sdk: [] }
  let sequence = 0n
  for (const family of FAMILIES) {
    const packages = family === 'sdk' ? {} : almanac.names.packages
    const identity = createIdentity({ ...profile, names: { ...profile.names, packages } })
    const any = ({ schema, message }: Packed) =>
      create(AnySchema, { typeUrl: `/${identity.toProfileName(schema.typeName)}`, value: toBinary(schema, message) })
    const send = (from: string) =>
      any(packed(MsgSendSchema, { fromAddress: from, toAddress: three, amount: coins('5') }))
    const msg = `/${family}.bank.v1beta1.MsgSend`
    const grantee = family === 'sdk' ? three : two
    const messages = [
      packed(MsgSendSchema, { fromAddress: one, toAddress: two, amount: coins('5') }),
      packed(MsgGrantSchema, {
        granter: one,
        grantee,
        grant: create(GrantSchema, { authorization: any(packed(GenericAuthorizationSchema, { msg })) }),
      }),
      packed(MsgGrantAllowanceSchema, {
        granter: one,
        grantee,
        allowance: any(
          packed(AllowedMsgAllowanceSchema, {
            allowance: any(packed(BasicAllowanceSchema, {})),
            allowedMessages: [msg],
          }),
        ),
      }),
      packed(MsgExecSchema, { grantee: one, msgs: [send(one)] }),
      packed(MsgSubmitProposalSchema, {
        messages: [send(gov)],
        initialDeposit: coins('1'),
        proposer: one,
        title: 'a send',
        summary: 'a send',
      }),
    ]
    const tx = encodeSigned(
      {
        identity,
        messages,
        memo: '',
        timeoutHeight: 0n,
        key: { algorithm: 'secp256k1', publicKey: publicKeyOf(privateKey) },
        chainId: node.chainId,
        accountNumber: BigInt(number),
        sequence: sequence++,
      },
      { gasLimit: 900_000n, amount: [{ denom: profile.baseDenom, amount: 22_500n }] },
      privateKey,
    )
    const hash = Buffer.from(sha256(tx)).toString('hex').toUpperCase()
    const { result } = await comet(node, 'broadcast_tx_commit', { tx: Buffer.from(tx).toString('base64') })
    expect([result?.check_tx, result?.tx_result]).toMatchObject([{ code: 0 }, { code: 0 }])
    hashes[family].push(hash)
  }
  return { node, profile, granter: one, hashes }
}

async function rest(node: Node, path: string): Promise<Record<string, unknown>> {
  const response = await fetch(node.urls.rest! + path)
  return (await response.json()) as Record<string, unknown>
}

type CometResult = { readonly [name: string]: never } & {
  readonly check_tx: unknown
  readonly tx_result: unknown
  readonly response: { readonly value: string }
  readonly txs: readonly { readonly hash: string }[]
}

async function comet(node: Node, method: string, params: unknown): Promise<{ readonly result?: CometResult }> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(node.urls.comet!, { method: 'POST', body })
  return (await response.json()) as { result?: CometResult }
}

const same = (bytes: Buffer) => bytes

function callGrpc(node: Node, path: string, request: Uint8Array): Promise<Uint8Array> {
  const client = new Client(node.urls.grpc!, credentials.createInsecure())
  return new Promise<Buffer>((resolve, reject) => {
    client.makeUnaryRequest(path, same, same, Buffer.from(request), new Metadata(), (error, response) =>
      error ? reject(error) : resolve(response!),
    )
  }).finally(() => client.close())
}

async function callAbci(node: Node, path: string, request: Uint8Array): Promise<Uint8Array> {
  const { result } = await comet(node, 'abci_query', { path, data: Buffer.from(request).toString('hex') })
  return Buffer.from(result!.response.value, 'base64')
}

/** Returns the families of all type URLs of the SDK in a JSON value, without those of events and logs. */
function familiesIn(value: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof value === 'string') {
    const family = /^\/(sdk|cosmos)\./.exec(value)?.[1]
    if (family) found.add(family)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value)) {
      if (!['events', 'logs', 'raw_log', 'failed_reason'].includes(name)) familiesIn(one, found)
    }
  }
  return found
}

/** Returns the families of all type URLs of the SDK in encoded messages. */
function familiesInBytes(bytes: Uint8Array): ReadonlySet<string> {
  const text = Buffer.from(bytes).toString('latin1')
  return new Set([...text.matchAll(/\/(sdk|cosmos)\.[a-z]+\./g)].map(([, family]) => family!))
}

const PATHS: readonly ((chain: Chain) => string)[] = [
  ({ granter }) => `/auth/v1beta1/accounts/${granter}`,
  () => '/auth/v1beta1/accounts',
  ({ granter }) => `/authz/v1beta1/grants/granter/${granter}`,
  ({ granter }) => `/feegrant/v1beta1/issued/${granter}`,
  () => '/gov/v1/proposals',
  () => '/staking/v1beta1/validators',
  ({ hashes }) => `/tx/v1beta1/txs/${hashes.sdk[0]}`,
  ({ hashes }) => `/tx/v1beta1/txs/${hashes.cosmos[0]}`,
  () => `/tx/v1beta1/txs?query=${encodeURIComponent(`message.action='${MSG_SEND}'`)}`,
]

const METHODS: readonly (readonly [string, (chain: Chain) => Uint8Array])[] = [
  ['auth.v1beta1.Query/Account', ({ granter: address }) => encode(QueryAccountRequestSchema, { address })],
  ['authz.v1beta1.Query/GranterGrants', ({ granter }) => encode(QueryGranterGrantsRequestSchema, { granter })],
  ['gov.v1.Query/Proposals', () => encode(QueryProposalsRequestSchema, {})],
  ['staking.v1beta1.Query/Validators', () => encode(QueryValidatorsRequestSchema, {})],
]

function encode<Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): Uint8Array {
  return toBinary(schema, create(schema, init))
}

describe.each([almanac, nibiru])('profile $name', (profile) => {
  let chain: Chain
  beforeAll(async () => {
    chain = await startChain(profile)
  })
  afterAll(() => chain?.node.stop())

  test.each(FAMILIES)('REST answers a path of /%s in its names, also from the cache', async (family) => {
    for (const path of PATHS.map((of) => of(chain))) {
      for (let i = 0; i < 2; i++) {
        expect([...familiesIn(await rest(chain.node, `/${family}${path}`))], path).toEqual([family])
      }
    }
  })

  test.each(FAMILIES)('gRPC and abci_query answer a method of %s in its names, byte for byte', async (family) => {
    for (const [method, request] of METHODS) {
      const path = `/${family}.${method}`
      for (const call of [callGrpc, callAbci]) {
        expect([...familiesInBytes(await call(chain.node, path, request(chain)))], path).toEqual([family])
      }
    }
    for (const hash of [...chain.hashes.sdk, ...chain.hashes.cosmos]) {
      for (const call of [callGrpc, callAbci]) {
        const request = encode(GetTxRequestSchema, { hash })
        const bytes = await call(chain.node, `/${family}.tx.v1beta1.Service/GetTx`, request)
        const { tx, txResponse } = fromBinary(GetTxResponseSchema, bytes)
        expect([...familiesInBytes(toBinary(TxSchema, tx!))]).toEqual([family])
        expect([...familiesInBytes(toBinary(AnySchema, txResponse!.tx!))]).toEqual([family])
      }
    }
  })

  test('a transaction signed in the names of the question keeps its bytes', async () => {
    const [hash] = chain.hashes.cosmos
    const bytes = await callGrpc(
      chain.node,
      '/cosmos.tx.v1beta1.Service/GetTx',
      encode(GetTxRequestSchema, { hash: hash! }),
    )
    const { txResponse } = fromBinary(GetTxResponseSchema, bytes)
    expect(Buffer.from(sha256(txResponse!.tx!.value)).toString('hex').toUpperCase()).toBe(hash)
  })

  test('CosmJS unpacks the account, and decodes the messages of every transaction it fetches', async () => {
    const request = encode(QueryAccountRequestSchema, { address: chain.granter })
    const bytes = await callGrpc(chain.node, '/cosmos.auth.v1beta1.Query/Account', request)
    const { account } = fromBinary(QueryAccountResponseSchema, bytes)
    if (profile === almanac) expect(accountFromAny(account!).address).toBe(chain.granter)
    const hdPaths = [0, 1].map(makeCosmoshubPath)
    const prefix = profile.bech32.account
    const wallet = await DirectSecp256k1HdWallet.fromMnemonic(MNEMONIC, { prefix, hdPaths })
    const [, from] = await wallet.getAccounts()
    const client = await SigningStargateClient.connectWithSigner(chain.node.urls.comet!, wallet, {
      gasPrice: GasPrice.fromString(`0.025${profile.baseDenom}`),
      broadcastPollIntervalMs: 20,
    })
    const amount = [{ denom: profile.baseDenom, amount: '7' }]
    const sent = await client.sendTokens(from!.address, chain.granter, amount, 'auto')
    const registry = new Registry(defaultRegistryTypes)
    const found = await client.searchTx([{ key: 'message.action', value: MSG_SEND }])
    expect(found.map(({ hash }) => hash)).toEqual([...chain.hashes.cosmos, ...chain.hashes.sdk, sent.transactionHash])
    for (const { hash, tx } of found) {
      const { messages } = decodeTxRaw(tx).body
      if (!chain.hashes.sdk.includes(hash)) for (const message of messages) registry.decode(message)
    }
    for (const response of sent.msgResponses) expect(response.typeUrl).toBe(`${MSG_SEND}Response`)
    client.disconnect()
  })

  test('searches and subscriptions match an action under either name', async () => {
    const names = FAMILIES.map((family) => `message.action = '/${family}.authz.v1beta1.MsgExec'`)
    for (const query of names) {
      const { result } = await comet(chain.node, 'tx_search', { query })
      expect(result!.txs.map(({ hash }) => hash)).toEqual([...chain.hashes.cosmos, ...chain.hashes.sdk])
    }
    const socket = new WebSocket(`${chain.node.urls.comet!.replace('http', 'ws')}/websocket`)
    const seen: string[] = []
    await new Promise((resolve) => socket.once('open', resolve))
    const sends = FAMILIES.map((family) => `tm.event = 'Tx' AND message.action = '/${family}.bank.v1beta1.MsgSend'`)
    const all = new Promise<void>((resolve) => {
      socket.on('message', (data) => {
        const { result } = JSON.parse(String(data)) as { result: { query?: string } }
        if (result.query && seen.push(result.query) === sends.length) resolve()
      })
    })
    for (const [id, query] of sends.entries()) {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'subscribe', params: { query } }))
    }
    const wallet = await DirectSecp256k1HdWallet.fromMnemonic(MNEMONIC, {
      prefix: profile.bech32.account,
      hdPaths: [makeCosmoshubPath(1)],
    })
    const [from] = await wallet.getAccounts()
    const signer = await SigningStargateClient.connectWithSigner(chain.node.urls.comet!, wallet, {
      gasPrice: GasPrice.fromString(`0.025${profile.baseDenom}`),
      broadcastPollIntervalMs: 20,
    })
    await signer.sendTokens(from!.address, chain.granter, [{ denom: profile.baseDenom, amount: '7' }], 'auto')
    await all
    expect(seen.sort()).toEqual(sends.sort())
    signer.disconnect()
    socket.close()
  })
})
