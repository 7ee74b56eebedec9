import { once } from 'node:events'
import { keccak256 } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { encodeTransaction } from '../../evm/transaction/encode.ts'
import { signTransaction } from '../../evm/transaction/sender.ts'
import type { UnsignedTransaction } from '../../evm/transaction/types.ts'
import { startNode } from '../../node/start.ts'
import { EMPTY, formatHex0x, hex } from '../../primitives/bytes.ts'

type Answer = { id?: unknown; result?: unknown; error?: { code: number; message: string; data?: unknown } }

const UNIT = 10n ** 12n
const DEAD = '0x000000000000000000000000000000000000dead'
const WNATIVE = '0x0cacf669f8446beca826913a3c6b96acd4b02a97'
const DEPOSIT_TOPIC = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c'

let node: Awaited<ReturnType<typeof startNode>>
beforeAll(async () => {
  node = await startNode()
})
afterAll(() => node.stop())

async function post(body: string, headers: Record<string, string> = { 'content-type': 'application/json' }) {
  const response = await fetch(node.urls.jsonrpc!, { method: 'POST', headers, body })
  return { status: response.status, text: await response.text() }
}

async function rpc(method: string, params: readonly unknown[] = []): Promise<Answer> {
  return JSON.parse((await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))).text)
}

const refusal = async (method: string, params: readonly unknown[]) => (await rpc(method, params)).error

async function nonceOf(index: number): Promise<bigint> {
  const { result } = await rpc('eth_getTransactionCount', [node.accounts[index]!.address, 'latest'])
  return BigInt(result as string)
}

/** Signs a transfer of 1 wei with the given fields replaced. */
function signed(index: number, nonce: bigint, fields: Partial<UnsignedTransaction> = {}): string {
  const transfer = {
    type: 0,
    chainId: 6930n,
    nonce,
    gasPriceWei: UNIT,
    gasLimit: 21_000n,
    to: hex(DEAD),
    valueWei: 1n,
    data: EMPTY,
    ...fields,
  } as UnsignedTransaction
  return formatHex0x(encodeTransaction(signTransaction(transfer, hex(node.accounts[index]!.privateKey))))
}

async function deposit(index: number, valueWei: bigint): Promise<string> {
  const raw = signed(index, await nonceOf(index), { to: hex(WNATIVE), gasLimit: 100_000n, valueWei })
  return (await rpc('eth_sendRawTransaction', [raw])).result as string
}

test('a malformed call is answered with the codes of JSON-RPC', async () => {
  const error = async (body: string) => JSON.parse((await post(body)).text) as Answer
  expect(await error('{')).toMatchObject({ id: null, error: { code: -32700 } })
  expect(await error('5')).toMatchObject({ id: null, error: { code: -32600 } })
  expect(await error('{"id":1,"method":"eth_chainId"}')).toMatchObject({ id: 1, error: { code: -32600 } })
  expect(await error('[]')).toMatchObject({ error: { code: -32600, message: 'empty batch' } })
  expect(await error('{"jsonrpc":"2.0","id":"x","method":"eth_chainId"}')).toMatchObject({ id: 'x', result: '0x1b12' })
  const nanoseconds = '1764000000000000001'
  const { text } = await post(`[{"jsonrpc":"2.0","id":${nanoseconds},"method":"eth_chainId"}]`)
  expect(text.trim()).toBe(`[{"jsonrpc":"2.0","id":${nanoseconds},"result":"0x1b12"}]`)
  expect(await refusal('personal_unlockAccount', [])).toEqual({
    code: -32601,
    message: 'the method personal_unlockAccount does not exist/is not available',
  })
  expect(await refusal('constructor', [])).toMatchObject({ code: -32601 })
  expect(await refusal('eth_getBalance', [])).toEqual({
    code: -32602,
    message: 'missing value for required argument 0',
  })
  expect(await refusal('eth_chainId', [1])).toMatchObject({
    code: -32602,
    message: 'too many arguments, want at most 0',
  })
  expect(await refusal('eth_getBalance', ['x', 'latest'])).toEqual({
    code: -32602,
    message:
      'invalid argument 0: json: cannot unmarshal hex string without 0x prefix into Go value of type common.Address',
  })
})

test('a header is the block without its transactions, and rpc_modules lists the namespaces', async () => {
  const block = (await rpc('eth_getBlockByNumber', ['latest'])).result as Record<string, unknown>
  const header: Record<string, unknown> = { ...block }
  for (const field of ['transactions', 'totalDifficulty', 'size', 'uncles', 'withdrawals']) delete header[field]
  expect((await rpc('eth_getHeaderByNumber', [block['number']])).result).toEqual(header)
  expect((await rpc('eth_getHeaderByHash', [block['hash']])).result).toEqual(header)
  expect((await rpc('eth_getHeaderByNumber', ['0xffffff'])).result).toBeNull()
  expect((await rpc('eth_getHeaderByHash', [`0x${'00'.repeat(32)}`])).result).toBeNull()
  expect((await rpc('rpc_modules')).result).toMatchObject({
    eth: '1.0',
    debug: '1.0',
    net: '1.0',
    rpc: '1.0',
    evm: '1.0',
  })
})

test('only JSON of bounded size is accepted', async () => {
  expect((await post('{}', { 'content-type': 'text/plain' })).status).toBe(415)
  const packed = await post('{}', { 'content-type': 'application/json', 'content-encoding': 'gzip' })
  expect(packed).toEqual({
    status: 415,
    text: 'Content-Encoding "gzip" of a request is not supported: send the body as it is\n',
  })
  expect((await post(`"${'x'.repeat(20_000_000)}"`)).status).toBe(413)
  expect((await fetch(node.urls.jsonrpc!)).status).toBe(200)
  expect((await fetch(node.urls.jsonrpc!, { method: 'PUT', body: '{}' })).status).toBe(405)
})

test('JSON that is nested too deeply is refused before it is processed', async () => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000)
  for (const params of [deep, `[{"to":${deep}}]`, `[{},"latest",{"tracerConfig":${deep}}]`]) {
    const { text } = await post(`{"jsonrpc":"2.0","id":1,"method":"debug_traceCall","params":${params}}`)
    expect(JSON.parse(text)).toEqual({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'parse error' } })
  }
})

test('a batch is answered in order, without its notifications', async () => {
  const call = (id: unknown, method: string) => ({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), method })
  const batch = [
    call(1, 'eth_chainId'),
    call(undefined, 'eth_chainId'),
    call('b', 'nothing'),
    7,
    call(2, 'net_version'),
  ]
  const answers = JSON.parse((await post(JSON.stringify(batch))).text) as Answer[]
  expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
    [1, undefined],
    ['b', -32601],
    [null, -32600],
    [2, undefined],
  ])
  expect((await post(JSON.stringify([call(undefined, 'eth_chainId')]))).text).toBe('')
  const many = JSON.stringify(Array.from({ length: 5_000 }, (_, i) => call(i, 'eth_chainId')))
  expect(JSON.parse((await post(many)).text)).toMatchObject({ error: { message: 'batch too large' } })
})

test('transactions of one batch share a block', async () => {
  const nonce = await nonceOf(3)
  const batch = [0n, 1n, 2n].map((offset) => ({
    jsonrpc: '2.0',
    id: Number(offset),
    method: 'eth_sendRawTransaction',
    params: [signed(3, nonce + offset)],
  }))
  const answers = JSON.parse((await post(JSON.stringify(batch))).text) as Answer[]
  expect(answers.every(({ result }) => typeof result === 'string')).toBe(true)
  expect(await nonceOf(3)).toBe(nonce + 3n)
})

test('a refused transaction gets the text of geth', async () => {
  const nonce = await nonceOf(1)
  const send = async (fields: Partial<UnsignedTransaction>, at = nonce) =>
    refusal('eth_sendRawTransaction', [signed(1, at, fields)])
  const message = async (fields: Partial<UnsignedTransaction>, at = nonce) => (await send(fields, at))?.message
  await rpc('eth_sendRawTransaction', [signed(1, nonce)])
  expect(await send({})).toEqual({
    code: -32000,
    message: `nonce too low: next nonce ${nonce + 1n}, tx nonce ${nonce}`,
  })
  const next = nonce + 1n
  expect(await message({ valueWei: 10n ** 30n }, next)).toContain('insufficient funds for gas * price + value')
  expect(await message({ gasLimit: 20_000n }, next)).toBe('intrinsic gas too low: have 20000, want 21000')
  expect(await message({ chainId: 1n }, next)).toBe('invalid sender: invalid chain id for signer: have 1 want 6930')
  expect(await message({ chainId: undefined }, next)).toBe(
    'only replay-protected (EIP-155) transactions allowed over RPC',
  )
  expect((await refusal('eth_sendRawTransaction', ['0x03c0']))?.message).toContain('transaction type not supported')
  expect((await refusal('eth_sendRawTransaction', ['0xc0']))?.message).toContain('malformed transaction')
})

test('a price below the base fee is refused in the words of geth, in transactions and in calls', async () => {
  const from = node.accounts[8]!.address
  const low = (cap: bigint) =>
    `max fee per gas less than block base fee: address ${from}, maxFeePerGas: ${cap}, baseFee: ${UNIT}`
  const tip = `max priority fee per gas higher than max fee per gas: address ${from}, maxPriorityFeePerGas: 5, maxFeePerGas: 0`
  const nonce = await nonceOf(8)
  const sent = await refusal('eth_sendRawTransaction', [signed(8, nonce, { gasPriceWei: UNIT - 1n })])
  expect(sent).toEqual({ code: -32000, message: low(UNIT - 1n) })
  const unsigned = { from, to: DEAD, gas: '0x5208' }
  expect((await refusal('eth_sendTransaction', [{ ...unsigned, maxFeePerGas: '0x1' }]))?.message).toBe(low(1n))
  expect((await refusal('eth_fillTransaction', [{ from, to: DEAD, gasPrice: '0x1' }]))?.message).toBe(low(1n))
  for (const method of ['eth_call', 'eth_estimateGas', 'eth_createAccessList', 'debug_traceCall']) {
    const refused = async (prices: object) =>
      refusal(method, [{ from, to: DEAD, ...prices }, 'latest', ...(method === 'debug_traceCall' ? [{}] : [])])
    expect(await refused({ gasPrice: '0x1' }), method).toEqual({ code: -32000, message: low(1n) })
    expect((await refused({ maxFeePerGas: '0xe8d4a50fff' }))?.message, method).toBe(low(UNIT - 1n))
    expect((await refused({ maxPriorityFeePerGas: '0x5' }))?.message, method).toBe(tip)
    // A call without a price is free, and so is one whose price is 0.
    for (const prices of [{}, { gasPrice: '0x0' }, { maxFeePerGas: '0x0' }, { gasPrice: '0xe8d4a51000' }]) {
      expect(await refused(prices), method).toBeUndefined()
    }
  }
  const simulated = (validation: boolean, prices: object) =>
    refusal('eth_simulateV1', [{ validation, blockStateCalls: [{ calls: [{ from, to: DEAD, ...prices }] }] }])
  expect(await simulated(true, { gas: '0x5208' })).toEqual({ code: -38012, message: low(0n) })
  expect(await simulated(true, { maxFeePerGas: '0x1' })).toEqual({ code: -38012, message: low(1n) })
  expect(await simulated(false, { maxFeePerGas: '0x1' })).toBeUndefined()
  expect(await simulated(false, { maxPriorityFeePerGas: '0x5' })).toEqual({ code: -32602, message: tip })
  expect(await nonceOf(8)).toBe(nonce)
})

test('suggested prices are admitted by a node with a minimum price', async () => {
  const strict = await startNode({ api: { minGasPrice: '2.5unative' } })
  try {
    const ask = async (method: string, params: readonly unknown[] = []) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(strict.urls.jsonrpc!, { method: 'POST', headers, body })
      return (await response.json()) as Answer
    }
    expect((await ask('eth_gasPrice')).result).toBe('0x246139ca800')
    // 2.5 * 10^12 - 10^12.
    expect((await ask('eth_maxPriorityFeePerGas')).result).toBe('0x15d3ef79800')
    const [from, to] = [strict.accounts[0]!.address, DEAD]
    expect((await ask('eth_sendTransaction', [{ from, to, value: '0x1' }])).error).toBeUndefined()
    expect((await ask('eth_sendTransaction', [{ from, to, gasPrice: '0x246139ca800' }])).error).toBeUndefined()
    const refused = await ask('eth_sendTransaction', [{ from, to, gasPrice: '0x246139ca7ff' }])
    expect(refused.error?.message).toContain('transaction underpriced')
    await ask('anvil_setNextBlockBaseFeePerGas', ['0x48c27395000'])
    expect((await ask('eth_gasPrice')).result).toBe('0x48c27395000')
    expect((await ask('eth_maxPriorityFeePerGas')).result).toBe('0x0')
    const history = (await ask('eth_feeHistory', ['0x1', 'latest', []])).result as { baseFeePerGas: string[] }
    expect(history.baseFeePerGas).toEqual(['0xe8d4a51000', '0x48c27395000'])
    expect((await ask('eth_sendTransaction', [{ from, to, value: '0x1' }])).error).toBeUndefined()
  } finally {
    await strict.stop()
  }
})

test('a waiting transaction is pending, counted at pending, and found by its hash', async () => {
  const nonce = await nonceOf(2)
  const raw = signed(2, nonce + 1n)
  // After a nonce gap: it is admitted, and its hash is returned at once.
  const { result: hash } = await rpc('eth_sendRawTransaction', [raw])
  const [pending] = (await rpc('eth_pendingTransactions')).result as { hash: string; blockHash: unknown }[]
  expect(pending!.blockHash).toBeNull()
  expect((await rpc('eth_getTransactionByHash', [pending!.hash])).result).toMatchObject({ blockNumber: null })
  expect((await rpc('eth_getTransactionReceipt', [pending!.hash])).result).toBeNull()
  expect((await refusal('eth_sendRawTransaction', [raw]))?.message).toBe('already known')
  const other = signed(2, nonce + 1n, { valueWei: 2n })
  expect((await refusal('eth_sendRawTransaction', [other]))?.message).toBe('replacement transaction underpriced')
  const pendingCount = async () =>
    BigInt((await rpc('eth_getTransactionCount', [node.accounts[2]!.address, 'pending'])).result as string)
  expect(await pendingCount()).toBe(nonce)
  await rpc('eth_sendRawTransaction', [signed(2, nonce)])
  expect(hash).toBe(pending!.hash)
  expect(await pendingCount()).toBe(nonce + 2n)
})

test('a body over the limit is answered with 413', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'web3_sha3', params: [`0x${'00'.repeat(3_000_000)}`] })
  expect(await post(body)).toEqual({ status: 413, text: 'content length too large (>5242880)\n' })
  const simulate = `${node.urls.rest}/sdk/tx/v1beta1/simulate`
  const rest = await fetch(simulate, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  expect([rest.status, ((await rest.json()) as { code: number }).code]).toEqual([413, 8])
  const comet = await fetch(node.urls.comet!, { method: 'POST', body })
  expect([comet.status, await comet.text()]).toEqual([400, expect.stringContaining('larger than 5242880 bytes')])
  expect((await rpc('eth_chainId')).result).toBe('0x1b12')
})

test('the error for a pruned height has its bounds, and a development chain makes a block on demand', async () => {
  await using pruned = await startNode({ store: { keep: 2 }, blocks: { time: 'manual' } })
  const ask = async (method: string, params: readonly unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    return (await (await fetch(pruned.urls.jsonrpc!, { method: 'POST', headers, body })).json()) as Answer
  }
  for (let i = 0; i < 4; i++) expect((await ask('evm_mine', [])).result).toBe('0x0')
  expect(pruned.height).toBe(5n)
  const { error } = await ask('eth_getBalance', [DEAD, '0x1'])
  expect(error?.data).toEqual({
    '@type': '/chain.errors.v1.HeightBounds',
    requested: '1',
    earliest: '4',
    latest: '5',
  })
})

test('a revert is code 3 with its bytes, in calls and estimates', async () => {
  const withdraw = { to: WNATIVE, data: `0x2e1a7d4d${'0'.repeat(63)}1` }
  for (const method of ['eth_call', 'eth_estimateGas']) {
    const error = await refusal(method, [withdraw])
    expect(error).toMatchObject({ code: 3, message: 'execution reverted: WNATIVE: insufficient balance' })
    expect(error!.data).toMatch(/^0x08c379a0/)
  }
  const low = await refusal('eth_call', [{ to: DEAD, gas: '0x4e20' }])
  expect(low?.message).toContain('intrinsic gas too low: have 20000, want 21000')
  expect(await refusal('eth_call', [{ to: DEAD }, '0xffffff'])).toEqual({ code: -32000, message: 'header not found' })
})

test('a call reads the state and block overrides', async () => {
  // NUMBER, TIMESTAMP and the balance of the caller, a word each.
  const code = '0x4360005242602052333160405260606000f3'
  const { result } = await rpc('eth_call', [
    { from: DEAD, to: `0x${'12'.repeat(20)}` },
    'latest',
    { [`0x${'12'.repeat(20)}`]: { code }, [DEAD]: { balance: '0x64' } },
    { number: '0x7', time: '0x8' },
  ])
  const words = (result as string)
    .slice(2)
    .match(/.{64}/g)!
    .map((word) => Number(`0x${word}`))
  expect(words).toEqual([7, 8, 100])
})

test('a gas price beyond 256 bits is capped at the maximum', async () => {
  // GASPRICE, returned.
  const code = '0x3a60005260206000f3'
  const most = `0x${'f'.repeat(64)}`
  const [call, to] = [{ maxPriorityFeePerGas: '0x1', maxFeePerGas: most }, `0x${'12'.repeat(20)}`]
  const { result } = await rpc('eth_call', [{ ...call, to }, 'latest', { [to]: { code } }, { baseFeePerGas: most }])
  expect(result).toBe(most)
})

test('simulated blocks build on each other, and errors have the codes of geth', async () => {
  const [from, to] = [`0x${'34'.repeat(20)}`, `0x${'12'.repeat(20)}`]
  // Adds one to slot 0 and returns it with the number of the block.
  const code = '0x60005460010180600055600052436020526040600 0f3'.replace(' ', '')
  const balances = { [from]: { balance: '0x64' } }
  const { result } = await rpc('eth_simulateV1', [
    {
      blockStateCalls: [
        {
          stateOverrides: { ...balances, [to]: { code } },
          calls: [
            { from, to },
            { from, to: DEAD, value: '0x64' },
          ],
        },
        {
          blockOverrides: { time: '0xffffffff' },
          calls: [
            { from, to },
            { from, to, gas: '0x5300' },
          ],
        },
      ],
    },
  ])
  type Simulated = { number: string; parentHash: string; hash: string; calls: { returnData: string; status: string }[] }
  const [first, second] = result as [Simulated, Simulated]
  expect(second.parentHash).toBe(first.hash)
  const words = (data: string) =>
    data
      .slice(2)
      .match(/.{64}/g)!
      .map((word) => Number(`0x${word}`))
  expect(words(first.calls[0]!.returnData)).toEqual([1, Number(first.number)])
  expect(words(second.calls[0]!.returnData)).toEqual([2, Number(first.number) + 1])
  expect([first.calls[1]!.status, second.calls[1]!.status]).toEqual(['0x1', '0x0'])
  // A value that the sender does not have ends the simulation, also without validation, as in geth.
  const empty = { blockStateCalls: [{ stateOverrides: balances, calls: [{ from, to: DEAD, value: '0x65' }] }] }
  expect(await refusal('eth_simulateV1', [empty])).toEqual({
    code: -38014,
    message: `insufficient funds for gas * price + value: address 0x${'34'.repeat(20)} have 100 want 101`,
  })
  const [options, call] = [
    { tracer: 'callTracer', stateOverrides: balances },
    { from, to: DEAD, value: '0x65' },
  ]
  expect(await refusal('debug_traceCall', [call, 'latest', options])).toEqual({
    code: -32000,
    message: `insufficient funds for gas * price + value: address 0x${'34'.repeat(20)} have 100 want 101`,
  })
  const payable = await rpc('debug_traceCall', [{ ...call, value: '0x64' }, 'latest', options])
  expect(payable.result).toMatchObject({ value: '0x64' })
  expect(await refusal('eth_simulateV1', [{ blockStateCalls: [] }])).toMatchObject({ code: -32602 })
  const late = { blockStateCalls: [{ blockOverrides: { number: '0x1' } }] }
  expect(await refusal('eth_simulateV1', [late])).toMatchObject({ code: -38020 })
  const poor = { validation: true, blockStateCalls: [{ calls: [{ from, to: DEAD, maxFeePerGas: '0xe8d4a51000' }] }] }
  expect(await refusal('eth_simulateV1', [poor])).toMatchObject({ code: -38014 })
})

test('an access list names the slots, and only addresses that are not warm anyway', async () => {
  const from = node.accounts[0]!.address
  const { result } = await rpc('eth_createAccessList', [{ from, to: WNATIVE, data: '0xd0e30db0', value: '0x1' }])
  const { accessList } = result as { accessList: { address: string; storageKeys: string[] }[] }
  expect(accessList.map(({ address }) => address)).toEqual([WNATIVE])
  expect(accessList[0]!.storageKeys).toHaveLength(1)
})

test('logs are found by address and topic, by filters, and by block hash', async () => {
  const filter = (await rpc('eth_newFilter', [{ address: WNATIVE, topics: [DEPOSIT_TOPIC] }])).result as string
  const blocks = (await rpc('eth_newBlockFilter')).result as string
  const hash = await deposit(4, 77n)
  const receipt = (await rpc('eth_getTransactionReceipt', [hash])).result as Record<string, unknown>
  expect(receipt).toMatchObject({ status: '0x1', transactionIndex: '0x0', effectiveGasPrice: '0xe8d4a51000' })
  const [log] = receipt['logs'] as Record<string, unknown>[]
  const { blockHash, blockNumber } = receipt
  for (const query of [
    { blockHash },
    {
      fromBlock: '0x0',
      address: WNATIVE,
      topics: [DEPOSIT_TOPIC, [`0x${node.accounts[4]!.address.slice(2).toLowerCase().padStart(64, '0')}`]],
    },
    { fromBlock: blockNumber, toBlock: blockNumber },
  ]) {
    expect((await rpc('eth_getLogs', [query])).result, JSON.stringify(query)).toEqual([log])
  }
  expect((await rpc('eth_getLogs', [{ fromBlock: '0x0', topics: [`0x${'00'.repeat(32)}`] }])).result).toEqual([])
  expect((await rpc('eth_getFilterChanges', [filter])).result).toEqual([log])
  expect((await rpc('eth_getFilterChanges', [filter])).result).toEqual([])
  expect((await rpc('eth_getFilterChanges', [blocks])).result).toContain(blockHash)
  expect((await rpc('eth_uninstallFilter', [filter])).result).toBe(true)
  expect(await refusal('eth_getFilterChanges', [filter])).toEqual({ code: -32000, message: 'filter not found' })
  expect((await refusal('eth_getLogs', [{ fromBlock: '0x2', toBlock: '0x1' }]))?.message).toBe(
    'invalid block range params',
  )
  expect((await refusal('eth_getLogs', [{ blockHash: `0x${'11'.repeat(32)}` }]))?.message).toBe('unknown block')
})

test('too many logs for an answer are refused, with the range to ask for', async () => {
  const nonce = await nonceOf(7)
  // Init code that logs until 65,535 gas are left: some 14,000 logs of 6,000,000 gas.
  const fields = { to: undefined, valueWei: 0n, gasLimit: 6_000_000n, data: hex('5b5f5fa05a61ffff1060005700') }
  const { result: hash } = await rpc('eth_sendRawTransaction', [signed(7, nonce, fields)])
  const { blockNumber, blockHash, logs } = (await rpc('eth_getTransactionReceipt', [hash])).result as {
    blockNumber: string
    blockHash: string
    logs: unknown[]
  }
  expect(logs.length).toBeGreaterThan(10_000)
  const before = `0x${(Number(blockNumber) - 1).toString(16)}`
  expect(await refusal('eth_getLogs', [{ fromBlock: '0x1', toBlock: 'latest' }])).toEqual({
    code: -32005,
    message: `query returned more than 10000 results. Try with this block range [0x1, ${before}].`,
  })
  expect((await refusal('eth_getLogs', [{ blockHash }]))?.message).toContain(`in block ${blockNumber} alone`)
})

test('fee history has base fees, gas used and tips, and refuses percentiles out of order', async () => {
  const { result } = await rpc('eth_feeHistory', ['0x2', 'latest', [25, 75]])
  const history = result as Record<string, unknown[]>
  expect(history['baseFeePerGas']).toEqual(['0xe8d4a51000', '0xe8d4a51000', '0xe8d4a51000'])
  expect(history['reward']).toEqual([
    ['0x0', '0x0'],
    ['0x0', '0x0'],
  ])
  expect((await refusal('eth_feeHistory', ['0x2', 'latest', [75, 25]]))?.message).toBe(
    'invalid reward percentile: #0:75.000000 >= #1:25.000000',
  )
  const { result: latest } = await rpc('eth_blockNumber')
  const beyond = BigInt(latest as string) + 5n
  for (const [params, message] of [
    [['0x1', 'latest', [-1]], 'invalid reward percentile: -1.000000'],
    [['0x1', 'latest', [100.5]], 'invalid reward percentile: 100.500000'],
    [
      ['0x1', 'latest', Array.from({ length: 101 }, (_, i) => i / 2)],
      'invalid reward percentile: over the query limit 100',
    ],
    [
      ['0x1', `0x${beyond.toString(16)}`, []],
      `request beyond head block: requested ${beyond}, head ${BigInt(latest as string)}`,
    ],
  ] as const) {
    expect(await refusal('eth_feeHistory', params)).toEqual({ code: -32000, message })
  }
  // Without percentiles there are no rewards, and a base fee for the next block follows those of the blocks.
  const { result: bare } = await rpc('eth_feeHistory', ['0x1', 'latest', []])
  expect(Object.keys(bare as object).sort()).toEqual([
    'baseFeePerBlobGas',
    'baseFeePerGas',
    'blobGasUsedRatio',
    'gasUsedRatio',
    'oldestBlock',
  ])
})

test('the funded accounts sign and send', async () => {
  const [from, to] = [node.accounts[5]!.address, DEAD]
  const { result: sent } = await rpc('eth_sendTransaction', [{ from, to, value: '0x5' }])
  expect((await rpc('eth_getTransactionReceipt', [sent])).result).toMatchObject({ status: '0x1', gasUsed: '0x5208' })
  const { result: filled } = await rpc('eth_fillTransaction', [{ from, to, value: '0x5' }])
  expect((filled as { tx: unknown }).tx).toMatchObject({ type: '0x2', gas: '0x5208', maxPriorityFeePerGas: '0x0' })
  const request = { ...(filled as { tx: Record<string, unknown> }).tx, gasPrice: undefined, from }
  // As in geth and in the description of the method; anvil answers with the bytes alone.
  const { result: signed } = await rpc('eth_signTransaction', [request])
  const { raw, tx } = signed as { raw: `0x${string}`; tx: { hash: string } }
  const { result: again } = await rpc('eth_sendRawTransaction', [raw])
  expect([again, tx.hash]).toEqual([keccak256(raw), keccak256(raw)])
  expect((await rpc('eth_getTransactionReceipt', [again])).result).toMatchObject({ from: from.toLowerCase() })
  expect((await refusal('eth_sign', [DEAD, '0x1234']))?.message).toBe('unknown account')
  // ethers: new Wallet(first Hardhat key).signMessage('hello'), which is deterministic.
  const { result: signature } = await rpc('personal_sign', ['0x68656c6c6f', node.accounts[0]!.address])
  expect(signature).toBe((await rpc('eth_sign', [node.accounts[0]!.address, '0x68656c6c6f'])).result)
  expect(signature).toMatch(/^0x[0-9a-f]{128}(1b|1c)$/)
  const signer = node.accounts[0]!.address.toLowerCase()
  expect((await rpc('personal_ecRecover', ['0x68656c6c6f', signature])).result).toBe(signer)
  expect((await rpc('personal_ecRecover', ['0x68656c6c', signature])).result).not.toBe(signer)
  for (const [wrong, message] of [
    ['0x12', 'signature must be 65 bytes long'],
    [`${(signature as string).slice(0, 130)}01`, 'invalid Ethereum signature (V is not 27 or 28)'],
    [`0x${'00'.repeat(64)}1b`, 'recovery failed'],
  ]) {
    expect(await refusal('personal_ecRecover', ['0x68656c6c6f', wrong])).toEqual({ code: -32000, message })
  }
  expect((await rpc('personal_listAccounts')).result).toEqual((await rpc('eth_accounts')).result)
})

test('a socket receives heads, logs and pending transactions until it unsubscribes', async () => {
  const socket = new WebSocket(node.urls.ws!)
  await once(socket, 'open')
  const messages: (Answer & { params?: { subscription: string; result: unknown } })[] = []
  socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString())))
  const ask = async (id: number, method: string, params: readonly unknown[]) => {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    await expect.poll(() => messages.some((message) => message.id === id)).toBe(true)
    return messages.find((message) => message.id === id)!.result as string
  }
  const heads = await ask(1, 'eth_subscribe', ['newHeads'])
  const logs = await ask(2, 'eth_subscribe', ['logs', { address: WNATIVE }])
  const pending = await ask(3, 'eth_subscribe', ['newPendingTransactions'])
  const hash = await deposit(6, 5n)
  const pushed = (id: string) => messages.flatMap(({ params }) => (params?.subscription === id ? [params.result] : []))
  await expect.poll(() => [pushed(heads).length, pushed(logs).length, pushed(pending).length]).toEqual([1, 1, 1])
  expect(pushed(pending)).toEqual([hash])
  expect(pushed(logs)[0]).toMatchObject({ transactionHash: hash, removed: false })
  expect(pushed(heads)[0]).toMatchObject({ gasUsed: expect.stringMatching(/^0x/) })
  expect(await ask(4, 'eth_unsubscribe', [heads])).toBe(true)
  expect(await ask(5, 'eth_unsubscribe', [heads])).toBeUndefined()
  const again = messages.find(({ id }) => id === 5)
  expect(again?.error).toEqual({ code: -32000, message: 'subscription not found' })
  const refused = async (id: number, params: readonly unknown[]) => {
    await ask(id, 'eth_subscribe', params)
    return messages.find((message) => message.id === id)!.error
  }
  const unknown = { code: -32601, message: 'no "tides" subscription in eth namespace' }
  expect(await refused(6, ['tides'])).toEqual(unknown)
  expect(await refused(7, ['logs', { address: '0x12' }])).toEqual({
    code: -32602,
    message: 'invalid argument 1: hex string has length 2, want 40 for common.Address',
  })
  await deposit(6, 6n)
  await expect.poll(() => pushed(logs).length).toBe(2)
  expect(pushed(heads)).toHaveLength(1)
  socket.close()
  expect(await refusal('eth_subscribe', ['newHeads'])).toMatchObject({ code: -32601 })
})

test('a simulation shows transfers of wei as logs, seals its blocks, and refuses senders that are contracts', async () => {
  const [rich, box] = [`0x${'56'.repeat(20)}`, `0x${'57'.repeat(20)}`]
  // Logs without topics, then forwards its value to DEAD by a call.
  const code = `0x60006000a0600060006000600034${DEAD.slice(2).padStart(42, '73')}5af1`
  const block = {
    stateOverrides: { [rich]: { balance: '0x64' }, [box]: { code } },
    calls: [{ from: rich, to: box, value: '0x5' }],
  }
  const { result } = await rpc('eth_simulateV1', [{ blockStateCalls: [block], traceTransfers: true }])
  const [{ calls, logsBloom, transactionsRoot, receiptsRoot, size }] = result as [
    Record<string, string> & { calls: { logs: { address: string; topics: string[]; data: string }[] }[] },
  ]
  const token = `0x${'ee'.repeat(20)}`
  expect(calls[0]!.logs.map(({ address, topics, data }) => [address, topics.length, data.slice(-1)])).toEqual([
    [token, 3, '5'],
    [box, 0, 'x'],
    [token, 3, '5'],
  ])
  expect(calls[0]!.logs[0]!.topics[0]).toBe('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
  const nothing = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
  expect([transactionsRoot === nothing, receiptsRoot === nothing, BigInt(logsBloom!) === 0n]).toEqual([
    false,
    false,
    false,
  ])
  expect(Number(size)).toBeGreaterThan(500)
  const fromContract = { ...block, calls: [{ from: box, to: rich, maxFeePerGas: '0xe8d4a51000' }] }
  const refused = await rpc('eth_simulateV1', [{ blockStateCalls: [fromContract], validation: true }])
  expect(refused.error).toMatchObject({ code: -38024 })
})

test('a long batch arrives whole and in order, part by part', async () => {
  // The identity precompile returns its input.
  const data = `0x${'5a'.repeat(100_000)}`
  const calls = Array.from({ length: 10 }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: id === 5 ? 'eth_unknown' : 'eth_call',
    params: [{ to: `0x${'4'.padStart(40, '0')}`, data }, 'latest'],
  }))
  const { status, text } = await post(JSON.stringify(calls))
  const answers = JSON.parse(text) as Answer[]
  expect([status, answers.map(({ id }) => id)]).toEqual([200, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]])
  expect(answers.map(({ result, error }) => (result === data ? 'whole' : error?.code))).toEqual(
    Array.from({ length: 10 }, (_, id) => (id === 5 ? -32601 : 'whole')),
  )
})

test('names of megabytes are cut off in errors, and ids of more than 1,024 characters are refused', async () => {
  const name = 'x'.repeat(100_000)
  const { error } = await rpc(name)
  expect(error).toMatchObject({
    code: -32601,
    message: `the method ${'x'.repeat(128)}… does not exist/is not available`,
  })
  const askAs = async (id: string) =>
    JSON.parse((await post(`{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`)).text) as Answer & {
      readonly id: unknown
    }
  for (const id of [JSON.stringify('i'.repeat(1025)), '1'.repeat(1025)]) {
    expect(await askAs(id)).toMatchObject({
      id: null,
      error: { code: -32600, message: 'the id is longer than 1024 characters' },
    })
  }
  const longest = 'i'.repeat(1024)
  expect(await askAs(JSON.stringify(longest))).toMatchObject({ id: longest, result: expect.any(String) })
})
