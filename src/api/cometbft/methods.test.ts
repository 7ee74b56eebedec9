import { verify } from 'node:crypto'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { stringToPath } from '@cosmjs/crypto'
import { DirectEthSecp256k1HdWallet, DirectSecp256k1HdWallet } from '@cosmjs/proto-signing'
import { coins, GasPrice, SigningStargateClient, StargateClient } from '@cosmjs/stargate'
import { type Comet38Client, connectComet } from '@cosmjs/tendermint-rpc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { encodePrecommitSignBytes } from '../../consensus/comet/encoding.ts'
import { hashConsensusParams, hashResults, hashValidators } from '../../consensus/comet/hashes.ts'
import { TxDecodeRequestSchema, TxDecodeResponseSchema } from '../../gen/sdk/tx/v1beta1/service_pb.ts'
import { TxBodySchema, TxRawSchema, TxSchema } from '../../gen/sdk/tx/v1beta1/tx_pb.ts'
import { type Node, startNode } from '../../index.ts'
import { concat, formatHex, hex } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import { fromTimestamp } from '../../primitives/time.ts'

let node: Node
let comet: Comet38Client
let signer: SigningStargateClient
let [alice, bob]: string[] = []
let sent: { readonly transactionHash: string; readonly height: number }

beforeAll(async () => {
  node = await startNode()
  const wallet = await DirectSecp256k1HdWallet.fromMnemonic(node.mnemonic, { prefix: 'chain' })
  const cosmos = node.accounts.filter(({ path }) => path.startsWith("m/44'/118'"))
  alice = cosmos[0]!.bech32
  bob = cosmos[1]!.bech32
  comet = (await connectComet(node.urls.comet)) as Comet38Client
  signer = await SigningStargateClient.connectWithSigner(node.urls.comet, wallet, {
    gasPrice: GasPrice.fromString('0.025unative'),
    broadcastPollIntervalMs: 20,
  })
  sent = await signer.sendTokens(alice, bob, coins(12_345, 'unative'), 'auto', 'hello')
})

afterAll(async () => {
  signer?.disconnect()
  comet?.disconnect()
  await node?.stop()
})

interface RpcAnswer {
  readonly id: unknown
  readonly result?: Record<string, never>
  readonly error?: { readonly code: number; readonly message: string; readonly data: string }
}

async function post(
  body: unknown,
): Promise<{ readonly status: number; readonly text: string; readonly json: RpcAnswer }> {
  const init = { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }
  const response = await fetch(node.urls.comet, init)
  const text = await response.text()
  return { status: response.status, text, json: text.startsWith('{') ? JSON.parse(text) : undefined }
}

const rpc = async (method: string, params: unknown = {}) => (await post({ jsonrpc: '2.0', id: 1, method, params })).json

test('a compressed request is refused with the reason', async () => {
  const answer = await fetch(node.urls.comet, { method: 'POST', headers: { 'content-encoding': 'gzip' }, body: '{}' })
  expect([answer.status, ((await answer.json()) as RpcAnswer).error?.data]).toEqual([
    415,
    'Content-Encoding "gzip" of a request is not supported: send the body as it is',
  ])
})

test('CosmJS sends coins and finds the transaction, its memo, events and the new balance', async () => {
  const found = await signer.getTx(sent.transactionHash)
  expect(found).toMatchObject({ code: 0, height: sent.height, txIndex: 0 })
  expect(found!.events.filter(({ type }) => type === 'transfer').length).toBeGreaterThan(0)
  const [again] = await signer.searchTx([{ key: 'transfer.recipient', value: bob! }])
  expect(again!.hash).toBe(sent.transactionHash)
  expect(await signer.getBalance(bob!, 'unative')).toEqual({ denom: 'unative', amount: '1000000012345' })
  const account = await signer.getAccount(alice!)
  expect(account).toMatchObject({ address: alice, sequence: 1, pubkey: { type: 'tendermint/PubKeySecp256k1' } })
})

test('CosmJS signs for an account with an Ethereum key', async () => {
  const path = stringToPath("m/44'/60'/0'/0/0")
  const wallet = await DirectEthSecp256k1HdWallet.fromMnemonic(node.mnemonic, { prefix: 'chain', hdPaths: [path] })
  const eve = node.accounts.find((account) => account.path === "m/44'/60'/0'/0/0")!.bech32
  const client = await SigningStargateClient.connectWithSigner(node.urls.comet, wallet, {
    gasPrice: GasPrice.fromString('0.025unative'),
    broadcastPollIntervalMs: 20,
  })
  for (const sequence of [1, 2]) {
    expect((await client.sendTokens(eve, bob!, coins(1, 'unative'), 'auto')).code).toBe(0)
    expect((await client.getAccount(eve))!.sequence).toBe(sequence)
  }
  client.disconnect()
})

test('CosmJS reads a missing account as null, and a bad signature is a refused broadcast', async () => {
  const reader = await StargateClient.create(comet)
  expect(await reader.getAccount('chain1rh8u6q2lxdqzcsax76jh8f50hcync7p6mu63ch')).toBeNull()
  await expect(reader.broadcastTx(new Uint8Array([1, 2, 3]))).rejects.toThrow(/code 2/)
})

test('CosmJS reads status, blocks, results, commits, validators, genesis and searches', async () => {
  const status = await comet.status()
  expect(status.nodeInfo).toMatchObject({
    network: node.chainId,
    other: new Map([
      ['tx_index', 'on'],
      ['rpc_address', expect.any(String)],
    ]),
  })
  expect(BigInt(status.syncInfo.latestBlockHeight)).toBe(node.height)
  expect(status.validatorInfo?.votingPower).toBeGreaterThan(0n)
  expect((await comet.abciInfo()).lastBlockHeight).toBe(Number(node.height))
  expect((await comet.genesis()).chainId).toBe(node.chainId)
  const results = await comet.blockResults(sent.height)
  expect(results.results[0]).toMatchObject({ code: 0 })
  expect((await comet.blockSearch({ query: `block.height = ${sent.height}` })).totalCount).toBe(1)
  expect((await comet.blockchain(1, 5)).blockMetas.length).toBeGreaterThan(0)
  expect((await comet.txSearch({ query: `tx.height = ${sent.height}` })).totalCount).toBe(1)
  expect((await comet.validatorsAll(sent.height)).validators).toHaveLength(1)
  expect((await comet.numUnconfirmedTxs()).total).toBe(0)
  await comet.health()
})

test('a light client accepts a block: its commit is for its hash and signed by a validator', async () => {
  const { header, commit } = await comet.commit(sent.height)
  const { validators } = await comet.validatorsAll(sent.height)
  const { block, blockId } = await comet.block(sent.height)
  expect(commit.blockId.hash).toEqual(blockId.hash)
  expect(block.header.dataHash).toEqual(sha256(concat(new Uint8Array([0]), sha256(block.txs[0]!))))
  const [signature] = commit.signatures
  const { timestamp } = signature!
  const nanos = BigInt((timestamp as { nanoseconds?: number }).nanoseconds ?? 0)
  const signBytes = encodePrecommitSignBytes({
    chainId: header.chainId,
    height: BigInt(header.height),
    round: 0,
    blockId: {
      hash: commit.blockId.hash,
      partsTotal: commit.blockId.parts.total,
      partsHash: commit.blockId.parts.hash,
    },
    timeNs:
      fromTimestamp({ seconds: BigInt(timestamp!.getTime()) / 1000n, nanos: 0 }) +
      BigInt(timestamp!.getTime() % 1000) * 1_000_000n +
      nanos,
  })
  const spki = concat(hex('302a300506032b6570032100'), validators[0]!.pubkey!.data)
  const key = { key: Buffer.from(spki), format: 'der', type: 'spki' } as const
  expect(verify(null, signBytes, key, signature!.signature!)).toBe(true)
})

test('each header commits to the block before it: its id, commit, results, state, validators and parameters', async () => {
  await signer.sendTokens(alice!, bob!, coins(1, 'unative'), 'auto')
  const { header } = (await comet.block(sent.height + 1)).block
  const previous = await comet.commit(sent.height)
  const { validators } = await comet.validatorsAll(sent.height)
  const { app_hash, txs_results } = (await rpc('block_results', { height: String(sent.height) })).result as unknown as {
    app_hash: string
    txs_results: { code: number; data: string; gas_wanted: string; gas_used: string }[]
  }
  expect(header.lastBlockId!.hash).toEqual(previous.commit.blockId.hash)
  expect(header.appHash).toEqual(new Uint8Array(Buffer.from(app_hash, 'base64')))
  expect(header.lastResultsHash).toEqual(
    hashResults(
      txs_results.map(({ code, data, gas_wanted, gas_used }) => ({
        ...{ code, codespace: '', log: '', info: '', events: [] },
        data: new Uint8Array(Buffer.from(data ?? '', 'base64')),
        gasWanted: BigInt(gas_wanted),
        gasUsed: BigInt(gas_used),
      })),
    ),
  )
  expect(header.validatorsHash).toEqual(
    hashValidators(
      validators.map(({ address, pubkey, votingPower }) => ({ address, publicKey: pubkey!.data, power: votingPower })),
    ),
  )
  const { params } = (await node.query('/sdk/consensus/v1/params')) as {
    params: { block: { max_bytes: string; max_gas: string } }
  }
  const { max_bytes, max_gas } = params.block
  expect(header.consensusHash).toEqual(hashConsensusParams({ maxBytes: BigInt(max_bytes), maxGas: BigInt(max_gas) }))
})

test('a proof shows that a transaction is in its block', async () => {
  const found = await comet.tx({ hash: hex(sent.transactionHash), prove: true })
  expect(found.proof!.rootHash).toEqual((await comet.block(sent.height)).block.header.dataHash)
})

test('subscribers receive blocks and the transactions that match their query', async () => {
  const live = (await connectComet(node.urls.comet.replace('http', 'ws'))) as Comet38Client
  const heard: string[] = []
  const blocks = live.subscribeNewBlock().subscribe({ next: ({ header }) => heard.push(`block ${header.height}`) })
  const txs = live
    .subscribeTx(`transfer.recipient='${bob}'`)
    .subscribe({ next: ({ height, result }) => heard.push(`tx ${height} ${result.code}`) })
  await live.health()
  const { height } = await signer.sendTokens(alice!, bob!, coins(1, 'unative'), 'auto')
  await expect.poll(() => heard).toEqual([`block ${height}`, `tx ${height} 0`])
  blocks.unsubscribe()
  txs.unsubscribe()
  live.disconnect()
})

test('every method works over a WebSocket, and subscriptions are limited', async () => {
  const socket = new WebSocket(`${node.urls.comet.replace('http', 'ws')}/websocket`)
  await new Promise((resolve) => socket.once('open', resolve))
  const ask = (id: number, method: string, params: unknown) =>
    new Promise<RpcAnswer>((resolve) => {
      socket.once('message', (data) => resolve(JSON.parse(data.toString())))
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    })
  expect((await ask(1, 'health', {})).result).toEqual({})
  expect(await ask(2, 'subscribe', { query: "tm.event='Tx'" })).toMatchObject({ id: 2, result: {} })
  expect((await ask(3, 'subscribe', { query: "tm.event='Tx'" })).error?.data).toContain('already subscribed')
  expect((await ask(4, 'subscribe', { query: 'nonsense' })).error?.code).toBe(-32603)
  for (let n = 0; n < 4; n++) expect((await ask(5, 'subscribe', { query: `a.b = ${n}` })).result).toEqual({})
  expect((await ask(6, 'subscribe', { query: 'a.b = 9' })).error?.data).toContain('max_subscriptions_per_client')
  expect((await ask(7, 'unsubscribe', { query: 'a.b = 9' })).error?.data).toContain('subscription not found')
  expect((await ask(8, 'unsubscribe_all', {})).result).toEqual({})
  socket.terminate()
})

test('an id that every event would repeat is at most 128 characters long', async () => {
  expect((await post({ jsonrpc: '2.0', id: 'x'.repeat(128), method: 'health' })).json.result).toEqual({})
  const long = await post({ jsonrpc: '2.0', id: 'x'.repeat(129), method: 'health' })
  expect(long.json).toMatchObject({ id: null, error: { code: -32600, data: 'id has 129 characters, at most 128' } })
})

test('the URI form takes quoted text and 0x bytes, and answers errors with status 500', async () => {
  const get = async (path: string) => {
    const response = await fetch(node.urls.comet + path)
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const found = await get(`/tx?hash=0x${sent.transactionHash}&prove=true`)
  expect(JSON.parse(found.text)).toMatchObject({ id: -1, result: { hash: sent.transactionHash, index: 0 } })
  // A development chain can go back; `test/nginx.test.ts` has the header of the others.
  expect(found.headers.get('cache-control')).toBeNull()
  const searched = await get(`/tx_search?query="transfer.recipient='${bob}'"&per_page=1`)
  expect(JSON.parse(searched.text).result.txs).toHaveLength(1)
  const future = await get('/block?height=999999')
  expect(future.status).toBe(500)
  expect(JSON.parse(future.text).error.data).toMatch(/must be less than or equal to the current blockchain height/)
  expect(future.headers.get('cache-control')).toBeNull()
  expect((await get('/nothing')).status).toBe(404)
  expect((await get('/')).text).toContain('broadcast_tx_sync')
})

test('JSON-RPC errors have the codes and texts of CometBFT', async () => {
  expect((await post('{')).status).toBe(500)
  expect((await post('{')).json.error).toMatchObject({ code: -32700, message: 'Parse error. Invalid JSON' })
  expect((await rpc('no_such_method')).error).toMatchObject({ code: -32601, message: 'Method not found' })
  expect((await rpc('block', { height: 3 })).error).toMatchObject({ code: -32602, message: 'Invalid params' })
  expect((await rpc('block', { height: '0' })).error).toMatchObject({
    code: -32603,
    data: 'height must be greater than 0, but got 0',
  })
  expect((await rpc('tx', { hash: Buffer.alloc(32).toString('base64') })).error?.data).toBe(
    `tx (${'00'.repeat(32)}) not found`,
  )
  expect((await rpc('tx_search', { query: 'tx.height > 0', page: '9' })).error?.data).toContain(
    'page should be within [1, 1] range, given 9',
  )
})

test('a batch is answered in order without its notifications, and 21 calls are too many', async () => {
  const call = (id: number | null) => ({ jsonrpc: '2.0', id, method: 'health', params: {} })
  expect((await post([call(1), call(null), call(2)])).text).toBe(
    '[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]',
  )
  expect((await post([call(1)])).json).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  expect((await post(call(null))).text).toBe('')
  expect((await post(Array.from({ length: 21 }, (_, id) => call(id)))).json.error?.code).toBe(-32600)
})

test('check_tx verifies signatures, executes no message and keeps nothing', async () => {
  const { accountNumber, sequence } = await signer.getSequence(alice!)
  const signing = { accountNumber, sequence, chainId: node.chainId }
  const send = (amount: string) => ({
    typeUrl: '/cosmos.bank.v1beta1.MsgSend',
    value: { fromAddress: alice, toAddress: bob, amount: coins(amount, 'unative') },
  })
  const fee = { amount: coins(5000, 'unative'), gas: '200000' }
  // The message would fail: it sends more than there is. Its admission succeeds.
  const signed = await signer.sign(alice!, [send('9'.repeat(30))], fee, '', signing)
  const check = async (body: Uint8Array, signatures: readonly Uint8Array[]) => {
    const raw = toBinary(TxRawSchema, create(TxRawSchema, { ...signed, bodyBytes: body, signatures: [...signatures] }))
    return (await rpc('check_tx', { tx: Buffer.from(raw).toString('base64') })).result as unknown as {
      code: number
      codespace: string
    }
  }
  for (let i = 0; i < 2; i++) expect(await check(signed.bodyBytes, signed.signatures)).toMatchObject({ code: 0 })
  expect(await check(signed.bodyBytes, [new Uint8Array(64).fill(1)])).toMatchObject({ code: 4, codespace: 'sdk' })
  expect(await check(signed.bodyBytes, [])).toMatchObject({ code: 15, codespace: 'sdk' })
  expect((await rpc('num_unconfirmed_txs')).result).toMatchObject({ n_txs: '0' })
})

test('check_tx refuses a transaction that the pool could not take before it decodes it', async () => {
  const check = async (bytes: number) =>
    (await rpc('check_tx', { tx: Buffer.alloc(bytes).toString('base64') })).result as unknown as {
      code: number
      log: string
    }
  expect(await check(1_048_577)).toMatchObject({
    code: 21,
    log: expect.stringContaining('1048577 bytes, at most 1048576'),
  })
  // Zeros are no transaction, which only decoding tells.
  expect(await check(1_048_576)).toMatchObject({ code: 2 })
})

test('abci_query answers with the codes and texts that clients search for', async () => {
  const query = async (params: unknown) =>
    (await rpc('abci_query', params)).result?.['response'] as unknown as Record<string, unknown>
  expect(await query({ path: '/sdk.auth.v1beta1.Query/Account', data: '' })).toMatchObject({
    code: 18,
    codespace: 'sdk',
  })
  expect(await query({ path: '/no.such.Service/Method' })).toMatchObject({ code: 6 })
  expect(await query({ path: '/cosmos.bank.v1beta1.Query/Balance', data: 'ffff' })).toMatchObject({ code: 18 })
  expect(await query({ path: '/app/version' })).toMatchObject({ code: 0, value: expect.any(String) })
  const key = '64'
  expect(await query({ path: '/store/bank/key', data: key })).toMatchObject({ code: 0, value: null, proofOps: null })
  expect(await query({ path: '/store/bank/list', data: key })).toMatchObject({ code: 6 })
  const unproved = await query({ path: '/sdk.bank.v1beta1.Query/Params', prove: true })
  expect(unproved).toMatchObject({ code: 18, log: expect.stringContaining('only /store/NAME/key is proved') })
  expect(await query({ path: '/sdk.bank.v1beta1.Query/Params', height: '999999' })).toMatchObject({ code: 18 })
})

test('abci_query returns the entries below a prefix at a height', async () => {
  const query = async (params: unknown) =>
    (await rpc('abci_query', params)).result?.['response'] as unknown as Record<string, string>
  const supply = await query({ path: '/store/bank/subspace', data: '00', height: '1' })
  expect(supply).toMatchObject({ code: 0, height: '1', key: 'AA==' })
  // Pairs { Pair { key: 00 "unative", value: the amount as text } }
  const bytes = Buffer.from(supply['value']!, 'base64')
  const amount = bytes.subarray(14).toString()
  expect(amount).toMatch(/^\d+$/)
  expect(bytes.subarray(0, 14).toString('hex')).toBe(
    `0a${(12 + amount.length).toString(16)}0a08${Buffer.from('\0unative').toString('hex')}12${amount.length.toString(16).padStart(2, '0')}`,
  )
  expect(await query({ path: '/store/bank/subspace', data: 'ee' })).toMatchObject({ code: 0, value: null })
  expect(await query({ path: '/store/bank/subspace', data: '' })).toMatchObject({ code: 18 })
  expect(await query({ path: '/store/bank/subspace', data: '00', prove: true })).toMatchObject({
    log: expect.stringContaining('only /store/NAME/key is proved, not /store/bank/subspace'),
  })
})

test('a transaction with a malformed message is decoded under the names that the caller uses', async () => {
  const broken = (typeUrl: string) => {
    const body = create(TxBodySchema, { messages: [{ typeUrl, value: hex('ffff') }] })
    return create(TxSchema, { body })
  }
  for (const family of ['sdk', 'cosmos']) {
    const request = create(TxDecodeRequestSchema, {
      txBytes: toBinary(TxSchema, broken('/sdk.bank.v1beta1.MsgSend')),
    })
    const data = formatHex(toBinary(TxDecodeRequestSchema, request))
    const { result } = await rpc('abci_query', { path: `/${family}.tx.v1beta1.Service/TxDecode`, data })
    const { value } = result!['response'] as unknown as { value: string }
    const { tx } = fromBinary(TxDecodeResponseSchema, new Uint8Array(Buffer.from(value, 'base64')))
    expect(tx).toEqual(broken(`/${family}.bank.v1beta1.MsgSend`))
  }
})
