/** Kinds of work of ordinary transactions, for `bench/disk.ts`. */
import { create, type DescMessage, type Message, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { MsgCreateDenomSchema, MsgSetDenomMetadataSchema } from '../../src/gen/chain/tokenfactory/v1/tx_pb.ts'
import { GenericAuthorizationSchema } from '../../src/gen/sdk/authz/v1beta1/authz_pb.ts'
import { MsgExecSchema, MsgGrantSchema } from '../../src/gen/sdk/authz/v1beta1/tx_pb.ts'
import { MsgMultiSendSchema, MsgSendSchema } from '../../src/gen/sdk/bank/v1beta1/tx_pb.ts'
import { AllowedMsgAllowanceSchema, BasicAllowanceSchema } from '../../src/gen/sdk/feegrant/v1beta1/feegrant_pb.ts'
import { MsgGrantAllowanceSchema } from '../../src/gen/sdk/feegrant/v1beta1/tx_pb.ts'
import { MsgSubmitProposalSchema } from '../../src/gen/sdk/gov/v1/tx_pb.ts'
import { complete } from '../../src/identity/complete.ts'
import { identityOf } from '../../src/identity/profiles.ts'
import type { Node } from '../../src/index.ts'
import type { DevAccount } from '../../src/node/accounts.ts'
import { formatBase64, hex } from '../../src/primitives/bytes.ts'
import { publicKeyOf } from '../../src/sdk/crypto.ts'
import { encodeSigned, type PlannedMessage } from '../../src/sdk/sign-tx.ts'
import { type DiskWork, drain, randomAddress, randomHex } from './disk-works.ts'

const identity = identityOf('almanac')
const GAS = 50_000_000n
/** Accounts that send, one transaction each. */
const SENDERS = 4

const message = <Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): PlannedMessage => ({
  schema,
  message: create(schema, init) as Message,
})
const packed = ({ schema, message }: PlannedMessage): Any =>
  create(AnySchema, {
    typeUrl: `/${identity.toProfileName(schema.typeName)}`,
    value: toBinary(schema, complete(schema, message)),
  })
const coins = (amount: number) => [{ denom: 'unative', amount: String(amount) }]
/** Returns text of which a byte contains six random bits, close to the most that a text can. */
const randomText = (bytes: number): string => formatBase64(hex(randomHex(Math.ceil((bytes * 3) / 4)))).slice(0, bytes)
const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))

/** Signs a transaction of an account's messages and puts it into the pool. Throws if it is refused. */
async function send(node: Node, account: DevAccount, messages: readonly PlannedMessage[], memo = ''): Promise<void> {
  const { info } = (await node.query(`/sdk/auth/v1beta1/account_info/${account.bech32}`)) as {
    info: { account_number: string; sequence: string }
  }
  const tx = encodeSigned(
    {
      identity,
      messages,
      memo,
      timeoutHeight: 0n,
      key: { algorithm: 'secp256k1', publicKey: publicKeyOf(account.privateKeyBytes) },
      chainId: node.chainId,
      accountNumber: BigInt(info.account_number),
      sequence: BigInt(info.sequence),
    },
    { gasLimit: GAS, amount: [{ denom: 'unative', amount: GAS }] },
    account.privateKeyBytes,
  )
  const response = await fetch(node.urls.comet, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'broadcast_tx_sync', params: { tx: formatBase64(tx) } }),
  })
  const { result, error } = (await response.json()) as { result: { code: number; log: string }; error?: unknown }
  if (error || result.code !== 0) throw new Error(error ? JSON.stringify(error) : result.log)
}

const sendersOf = (node: Node): readonly DevAccount[] =>
  node.accounts.filter(({ kind }) => kind === 'cosmos').slice(0, SENDERS)

/** One transaction of each sender with the messages that `make` returns. */
function ofMessages(
  name: string,
  make: (account: DevAccount) => readonly PlannedMessage[],
  prepare?: (account: DevAccount) => readonly PlannedMessage[],
): DiskWork {
  const sendAll = async (node: Node, of: typeof make): Promise<void> => {
    for (const account of sendersOf(node)) await send(node, account, of(account))
    while (Number(await waiting(node)) > 0) await node.nextBlock()
    await drain(node)
  }
  return {
    name,
    async prepare(node) {
      if (prepare) await sendAll(node, prepare)
      return ''
    },
    run: (node) => sendAll(node, make),
  }
}

async function waiting(node: Node): Promise<string> {
  const response = await fetch(`${node.urls.comet}/num_unconfirmed_txs`)
  return ((await response.json()) as { result: { total: string } }).result.total
}

const denomOf = ({ bech32 }: DevAccount) => `factory/${bech32}/disk`
const metadata = (account: DevAccount, bytes: number) =>
  message(MsgSetDenomMetadataSchema, {
    sender: account.bech32,
    metadata: {
      description: randomText(bytes),
      denomUnits: [{ denom: denomOf(account), exponent: 0, aliases: [] }],
      base: denomOf(account),
      display: denomOf(account),
      name: 'disk',
      symbol: 'DISK',
    },
  })
const sendTo = ({ bech32 }: DevAccount, toAddress: string) =>
  message(MsgSendSchema, { fromAddress: bech32, toAddress, amount: coins(1) })

export const cosmosWorks: readonly DiskWork[] = [
  ofMessages('500 outputs of a MsgMultiSend', ({ bech32 }) => [
    message(MsgMultiSendSchema, {
      inputs: [{ address: bech32, coins: coins(500) }],
      outputs: many(500, () => ({ address: randomAddress(), coins: coins(1) })),
    }),
  ]),
  ofMessages('500 messages MsgSend', (account) => many(500, () => sendTo(account, randomAddress()))),
  ofMessages('500 messages MsgSend to one account', (account) => many(500, () => sendTo(account, account.bech32))),
  ofMessages('500 messages MsgSend in MsgExec', (account) => [
    message(MsgExecSchema, { grantee: account.bech32, msgs: many(500, () => packed(sendTo(account, account.bech32))) }),
  ]),
  ofMessages('500 messages, of which the last fails', (account) => [
    ...many(499, () => sendTo(account, account.bech32)),
    message(MsgSendSchema, { fromAddress: account.bech32, toAddress: randomAddress(), amount: coins(1e15) }),
  ]),
  ofMessages('4 messages MsgCreateDenom', ({ bech32 }) =>
    many(4, () => message(MsgCreateDenomSchema, { sender: bech32, subdenom: randomHex(20) })),
  ),
  ofMessages(
    'metadata of 200 kB of a token',
    (account) => [metadata(account, 200_000)],
    ({ bech32 }) => [message(MsgCreateDenomSchema, { sender: bech32, subdenom: 'disk' })],
  ),
  ofMessages('a failure whose error contains 400 kB of the message', ({ bech32 }) => [
    message(MsgGrantSchema, {
      granter: bech32,
      grantee: randomAddress(),
      grant: { authorization: packed(message(GenericAuthorizationSchema, { msg: randomText(400_000) })) },
    }),
  ]),
  ofMessages('fee allowances for 1,000 long names of messages', ({ bech32 }) =>
    many(3, () =>
      message(MsgGrantAllowanceSchema, {
        granter: bech32,
        grantee: randomAddress(),
        allowance: packed(
          message(AllowedMsgAllowanceSchema, {
            allowance: packed(message(BasicAllowanceSchema, {})),
            allowedMessages: many(1000, () => randomText(80)),
          }),
        ),
      }),
    ),
  ),
  ofMessages('20 proposals', ({ bech32 }) =>
    many(20, () =>
      message(MsgSubmitProposalSchema, {
        messages: [],
        initialDeposit: coins(1_000_000_000),
        proposer: bech32,
        metadata: randomText(255),
        title: randomText(255),
        summary: randomText(255),
      }),
    ),
  ),
]
