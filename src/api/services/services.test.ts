import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keyOfMnemonic } from '../../cli/keys/mnemonic.ts'
import { MsgSendSchema } from '../../gen/sdk/bank/v1beta1/tx_pb.ts'
import { GetTxRequestSchema, GetTxResponseSchema } from '../../gen/sdk/tx/v1beta1/service_pb.ts'
import { almanac } from '../../identity/profiles/almanac.ts'
import { type Node, startNode } from '../../index.ts'
import { formatBase64 } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import { publicKeyOf } from '../../sdk/crypto.ts'
import { encodeSigned, encodeUnsigned, type TxPlan } from '../../sdk/sign-tx.ts'

let node: Node
let privateKey: Uint8Array
let [alice, bob]: string[] = []
let sequence = 0n
let hash: string

const FEE = { gasLimit: 200_000n, amount: [{ denom: 'unative', amount: 5_000n }] }

function plan(amount: string): TxPlan {
  const publicKey = publicKeyOf(privateKey)
  return {
    identity: almanac,
    messages: [
      {
        schema: MsgSendSchema,
        message: create(MsgSendSchema, {
          fromAddress: alice!,
          toAddress: bob!,
          amount: [{ denom: 'unative', amount }],
        }),
      },
    ],
    memo: '',
    timeoutHeight: 0n,
    key: { algorithm: 'secp256k1', publicKey },
    chainId: node.chainId,
    accountNumber,
    sequence,
  }
}

let accountNumber = 0n

beforeAll(async () => {
  node = await startNode()
  privateKey = keyOfMnemonic(node.mnemonic, "m/44'/118'/0'/0/0")
  const cosmos = node.accounts.filter(({ path }) => path.startsWith("m/44'/118'"))
  alice = cosmos[0]!.bech32
  bob = cosmos[1]!.bech32
  const { account } = (await get(`/sdk/auth/v1beta1/accounts/${alice}`)).json as { account: Record<string, string> }
  accountNumber = BigInt(account['account_number'] as string)
  const tx = encodeSigned(plan('5'), FEE, privateKey)
  hash = Buffer.from(sha256(tx)).toString('hex').toUpperCase()
  await broadcast(tx)
})
afterAll(() => node?.stop())

async function get(path: string) {
  const response = await fetch(node.urls.rest + path)
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}

async function post(path: string, body: unknown) {
  const response = await fetch(node.urls.rest + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}

async function broadcast(tx: Uint8Array, mode = 'BROADCAST_MODE_SYNC') {
  const answer = await post('/sdk/tx/v1beta1/txs', { tx_bytes: formatBase64(tx), mode })
  const response = answer.json['tx_response'] as { code: number } | undefined
  if (response?.code === 0) sequence++
  return { ...answer, response }
}

test('a transaction looks the same by its hash, by an event and in its block', async () => {
  const found = (await get(`/sdk/tx/v1beta1/txs/${hash}`)).json as { tx_response: { height: string } }
  expect(found).toMatchObject({
    tx: { body: { messages: [{ '@type': '/sdk.bank.v1beta1.MsgSend', amount: [{ amount: '5', denom: 'unative' }] }] } },
    tx_response: { code: 0, txhash: hash, gas_wanted: '200000', tx: { '@type': '/sdk.tx.v1beta1.Tx' } },
  })
  const events = encodeURIComponent(`transfer.recipient='${bob}'`)
  const searched = (await get(`/sdk/tx/v1beta1/txs?events=${events}&order_by=ORDER_BY_DESC`)).json
  expect(searched['total']).toBe('1')
  expect(searched['tx_responses']).toEqual([found.tx_response])
  const block = (await get(`/sdk/tx/v1beta1/txs/block/${found.tx_response.height}`)).json
  expect(block).toMatchObject({ txs: [(found as unknown as { tx: unknown }).tx], pagination: { total: '1' } })
})

test('gRPC under the name that SDKs hard-code returns the same transaction', async () => {
  const client = new Client(node.urls.grpc, credentials.createInsecure())
  const same = (bytes: Buffer) => bytes
  const request = Buffer.from(toBinary(GetTxRequestSchema, create(GetTxRequestSchema, { hash })))
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    client.makeUnaryRequest(
      '/cosmos.tx.v1beta1.Service/GetTx',
      same,
      same,
      request,
      new Metadata(),
      (error, response) => (error ? reject(error) : resolve(response!)),
    )
  })
  client.close()
  expect(fromBinary(GetTxResponseSchema, bytes).txResponse).toMatchObject({ code: 0, txhash: hash })
})

test('the transaction service answers in no protocol if it is switched off', async () => {
  await using closed = await startNode({ api: { tx: false } })
  expect((await fetch(`${closed.urls.rest}/sdk/tx/v1beta1/txs/${hash}`)).status).toBe(501)
  const client = new Client(closed.urls.grpc, credentials.createInsecure())
  const same = (bytes: Buffer) => bytes
  const code = await new Promise((resolve) => {
    client.makeUnaryRequest('/sdk.tx.v1beta1.Service/GetTx', same, same, Buffer.alloc(0), new Metadata(), (error) =>
      resolve(error?.code),
    )
  })
  client.close()
  expect(code).toBe(12)
})

test('simulation runs a transaction without a signature and changes nothing', async () => {
  const unsigned = formatBase64(encodeUnsigned(plan('5'), { gasLimit: 0n, amount: [] }))
  const height = node.height
  const { status, json } = await post('/sdk/tx/v1beta1/simulate', { tx_bytes: unsigned })
  expect(status).toBe(200)
  const { gas_info, result } = json as { gas_info: { gas_used: string }; result: { events: { type: string }[] } }
  expect(Number(gas_info.gas_used)).toBeGreaterThan(21_000)
  expect(result.events.map(({ type }) => type)).toContain('transfer')
  expect(node.height).toBe(height)
  const tooMuch = formatBase64(encodeUnsigned(plan('99999999999999999'), FEE))
  const failed = await post('/sdk/tx/v1beta1/simulate', { tx_bytes: tooMuch })
  expect(failed.status).toBe(400)
  expect(failed.json['message']).toMatch(/insufficient funds.* With gas wanted: '\d+' and gas used: '\d+'/)
})

test('a refused transaction is an answer with a code; a malformed request is an error', async () => {
  const wrong = encodeSigned({ ...plan('5'), sequence: sequence + 7n }, FEE, privateKey)
  const refused = await broadcast(wrong)
  expect(refused.status).toBe(200)
  expect(refused.response).toMatchObject({ code: 32, codespace: 'sdk', tx: null, timestamp: '' })
  expect((await broadcast(new Uint8Array([1]))).response).toMatchObject({ code: 2 })
  const tx = encodeSigned(plan('5'), FEE, privateKey)
  expect((await broadcast(tx, 'BROADCAST_MODE_BLOCK')).status).toBe(400)
  expect((await broadcast(new Uint8Array(0))).status).toBe(400)
  expect((await broadcast(tx, 'BROADCAST_MODE_ASYNC')).response).toMatchObject({ code: 0 })
})

test.each([
  [`/sdk/tx/v1beta1/txs/${'00'.repeat(32)}`, 404, 5],
  ['/sdk/tx/v1beta1/txs/zz', 400, 3],
  ['/sdk/tx/v1beta1/txs', 400, 3],
  ['/sdk/tx/v1beta1/txs?events=nonsense', 400, 3],
  ['/sdk/tx/v1beta1/txs/block/999999', 400, 3],
  ['/sdk/tx/v1beta1/txs/block/1?pagination.offset=50', 400, 11],
  ['/sdk/base/tendermint/v1beta1/blocks/999999', 400, 3],
  ['/sdk/base/tendermint/v1beta1/abci_query?path=/sdk.bank.v1beta1.Query/Params', 400, 3],
])('GET %s is status %i, code %i', async (path, status, code) => {
  const answer = await get(path)
  expect(answer.status).toBe(status)
  expect(answer.json['code']).toBe(code)
})

test('encode is the inverse of decode', async () => {
  const bytes = formatBase64(encodeSigned(plan('5'), FEE, privateKey))
  const { json } = await post('/sdk/tx/v1beta1/decode', { tx_bytes: bytes })
  expect((await post('/sdk/tx/v1beta1/encode', { tx: json['tx'] })).json['tx_bytes']).toBe(bytes)
})

test('wallets and explorers read the node, its blocks and its validators', async () => {
  expect((await get('/sdk/base/tendermint/v1beta1/node_info')).json).toMatchObject({
    default_node_info: { network: node.chainId, version: expect.stringMatching(/^0\.38\./) },
    application_version: { name: 'almanac', build_deps: [] },
  })
  expect((await get('/sdk/base/tendermint/v1beta1/syncing')).json).toEqual({ syncing: false })
  const latest = (await get('/cosmos/base/tendermint/v1beta1/blocks/latest')).json
  expect(latest).toMatchObject({
    block: { header: { height: node.height.toString(), chain_id: node.chainId } },
    sdk_block: { header: { proposer_address: expect.stringMatching(/^chainvalcons1/) } },
  })
  expect((await get('/sdk/base/tendermint/v1beta1/validatorsets/latest')).json).toMatchObject({
    block_height: node.height.toString(),
    validators: [
      { address: expect.stringMatching(/^chainvalcons1/), pub_key: { '@type': '/sdk.crypto.ed25519.PubKey' } },
    ],
    pagination: { total: '1' },
  })
  expect((await get('/sdk/base/node/v1beta1/status')).json).toMatchObject({ height: node.height.toString() })
  expect((await get('/sdk/base/node/v1beta1/config')).json).toHaveProperty('minimum_gas_price')
})
