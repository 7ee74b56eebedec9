/** Headers of blocks verify: their roots, recomputed by other implementations, belong to the transactions and receipts. */
import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import {
  type Address,
  createPublicClient,
  createWalletClient,
  defineChain,
  encodePacked,
  fromRlp,
  getContractAddress,
  type Hex,
  hexToBytes,
  http,
  keccak256,
  numberToHex,
  sha256,
  toHex,
  toRlp,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startNode } from '../../src/index.ts'

type Json = Record<string, Hex>
interface Log {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
}
type Receipt = Json & { readonly logs: readonly Log[] }
type Block = Json & { readonly transactions: readonly Json[]; readonly withdrawals?: readonly unknown[] }

const PRICE = 10n ** 12n
const DEAD: Address = '0x000000000000000000000000000000000000dEaD'
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
/** Init code that logs PREVRANDAO with the topics 7 and NUMBER, and deploys nothing. */
const LOGGER: Hex = '0x4460005243600760206000a200'
/** Init code that reverts. */
const REVERTER: Hex = '0x60006000fd'

let node: Awaited<ReturnType<typeof startNode>>
let clients: ReturnType<typeof connect>

function connect(running: typeof node) {
  const chain = defineChain({
    id: running.evmChainId,
    name: running.chainId,
    nativeCurrency: { name: 'native', symbol: 'NATIVE', decimals: 18 },
    rpcUrls: { default: { http: [running.urls.jsonrpc] } },
  })
  const account = privateKeyToAccount(running.accounts[0]!.privateKey)
  return {
    account,
    wallet: createWalletClient({ account, chain, transport: http() }),
    client: createPublicClient({ chain, transport: http() }),
  }
}

beforeAll(async () => {
  node = await startNode({ blocks: { time: 'manual' } })
  clients = connect(node)
})
afterAll(() => node.stop())

async function ask<T>(method: string, ...params: readonly unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(node.urls.jsonrpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  const answer = (await response.json()) as { result: T; error?: unknown }
  expect(answer.error).toBeUndefined()
  return answer.result
}

/** Root of the trie of a list, by @ethereumjs/mpt. */
async function rootOf(values: readonly Hex[]): Promise<Hex> {
  const trie = new MerklePatriciaTrie()
  for (const [index, value] of values.entries()) {
    await trie.put(hexToBytes(toRlp(index === 0 ? '0x' : numberToHex(index))), hexToBytes(value))
  }
  return toHex(trie.root())
}

const number = (quantity: Hex): Hex => (BigInt(quantity) === 0n ? '0x' : toHex(BigInt(quantity)))

function encodeReceipt({ status, cumulativeGasUsed, logsBloom, logs, type }: Receipt): Hex {
  const fields = [
    number(status!),
    number(cumulativeGasUsed!),
    logsBloom!,
    logs.map(({ address, topics, data }) => [address, [...topics], data] as const),
  ]
  const encoded = toRlp(fields as never)
  return type === '0x0' ? encoded : (`0x0${type!.slice(2)}${encoded.slice(2)}` as Hex)
}

/** Bloom filter of logs, from the Yellow Paper. */
function bloomOf(logs: readonly Log[]): Hex {
  let bits = 0n
  for (const value of logs.flatMap(({ address, topics }) => [address, ...topics])) {
    const hash = keccak256(value)
    for (const at of [2, 6, 10]) bits |= 1n << BigInt(Number.parseInt(hash.slice(at, at + 4), 16) & 2047)
  }
  return toHex(bits, { size: 256 })
}

/** Encodes the header that JSON shows, in the order of Ethereum. */
const headerOf = (block: Json): Hex =>
  toRlp([
    block['parentHash']!,
    block['sha3Uncles']!,
    block['miner']!,
    block['stateRoot']!,
    block['transactionsRoot']!,
    block['receiptsRoot']!,
    block['logsBloom']!,
    number(block['difficulty']!),
    number(block['number']!),
    number(block['gasLimit']!),
    number(block['gasUsed']!),
    number(block['timestamp']!),
    block['extraData']!,
    block['mixHash']!,
    block['nonce']!,
    number(block['baseFeePerGas']!),
    block['withdrawalsRoot']!,
    number(block['blobGasUsed']!),
    number(block['excessBlobGas']!),
    block['parentBeaconBlockRoot']!,
    block['requestsHash']!,
  ])

test('roots, bloom and PREVRANDAO of a block follow from its transactions, receipts and commit', async () => {
  const { wallet, client, account } = clients
  const nonce = await client.getTransactionCount(account)
  const authorization = await wallet.signAuthorization({ contractAddress: DEAD, nonce: nonce + 99 })
  const dynamic = { gas: 100_000n, maxFeePerGas: PRICE, maxPriorityFeePerGas: 0n } as const
  const requests = [
    { type: 'legacy', to: DEAD, value: 1n, gas: 21_000n, gasPrice: PRICE },
    { type: 'eip2930', to: DEAD, gas: 100_000n, gasPrice: PRICE, accessList: [{ address: DEAD, storageKeys: [] }] },
    { type: 'eip1559', to: DEAD, value: 1n, ...dynamic },
    { type: 'eip7702', to: DEAD, authorizationList: [authorization], ...dynamic },
    { type: 'eip1559', data: LOGGER, ...dynamic },
    { type: 'eip1559', data: REVERTER, ...dynamic },
  ]
  for (const [i, request] of requests.entries()) await wallet.sendTransaction({ ...request, nonce: nonce + i } as never)
  const others = (await ask<Hex[]>('eth_accounts')).slice(1)
  for (const from of [...others, ...others]) {
    await ask('eth_sendTransaction', { from, to: DEAD, value: '0x1', gas: '0x5208', gasPrice: toHex(PRICE) })
  }
  await ask('evm_mine')
  const latest = await client.getBlockNumber()
  let withLog: Block | undefined
  let transactions = 0
  for (let height = 1n; height <= latest; height++) {
    const block = await ask<Block>('eth_getBlockByNumber', toHex(height), true)
    const receipts = await ask<Receipt[]>('eth_getBlockReceipts', toHex(height))
    const raw = await Promise.all(block.transactions.map(({ hash }) => ask<Hex>('eth_getRawTransactionByHash', hash)))
    expect(raw.map((bytes) => keccak256(bytes))).toEqual(block.transactions.map(({ hash }) => hash))
    expect(block['transactionsRoot']).toBe(await rootOf(raw))
    expect(block['receiptsRoot']).toBe(await rootOf(receipts.map(encodeReceipt)))
    expect(await ask('debug_getRawReceipts', toHex(height))).toEqual(receipts.map(encodeReceipt))
    for (const receipt of receipts) expect(receipt['logsBloom']).toBe(bloomOf(receipt.logs))
    const logs = receipts.flatMap((receipt) => receipt.logs)
    expect(block['logsBloom']).toBe(bloomOf(logs))
    if (logs.length > 0) withLog = block
    if (logs.length > 0)
      expect(logs).toMatchObject([{ data: block['mixHash'], topics: [expect.anything(), toHex(height, { size: 32 })] }])
    transactions += raw.length
    // Fields of forks, of a chain without withdrawals, blobs, beacon chain and requests.
    expect(block).toMatchObject({
      withdrawals: [],
      withdrawalsRoot: EMPTY_ROOT,
      blobGasUsed: '0x0',
      excessBlobGas: '0x0',
      parentBeaconBlockRoot: toHex(0, { size: 32 }),
      requestsHash: sha256('0x'),
    })
    expect(await ask('debug_getRawHeader', toHex(height))).toBe(headerOf(block))
    const { header } = ((await (await fetch(`${node.urls.comet}/block?height=${height}`)).json()) as CometBlock).result
      .block
    const fraction = (/\.(\d+)Z/.exec(header.time)?.[1] ?? '').padEnd(9, '0')
    const nanoseconds = BigInt(Date.parse(`${header.time.slice(0, 19)}Z`)) * 10n ** 6n + BigInt(fraction)
    expect(block['mixHash']).toBe(
      keccak256(encodePacked(['uint64', 'bytes'], [nanoseconds, `0x${header.last_commit_hash}`])),
    )
  }
  expect(transactions).toBe(requests.length + 2 * others.length)
  expect(withLog).toBeDefined()
})

interface CometBlock {
  readonly result: { readonly block: { readonly header: { readonly time: string; readonly last_commit_hash: string } } }
}

test('the receipt of a creation has its address, also if the creation failed', async () => {
  const { wallet, client, account } = clients
  const nonce = await client.getTransactionCount(account)
  const hashes = []
  for (const [i, data] of ([LOGGER, REVERTER] as const).entries()) {
    hashes.push(await wallet.sendTransaction({ data, gas: 100_000n, nonce: nonce + i }))
  }
  await ask('evm_mine')
  const receipts = await Promise.all(hashes.map((hash) => ask<Receipt>('eth_getTransactionReceipt', hash)))
  expect(receipts.map(({ status }) => status)).toEqual(['0x1', '0x0'])
  for (const [i, { contractAddress, to }] of receipts.entries()) {
    const address = getContractAddress({ from: account.address, nonce: BigInt(nonce + i) })
    expect([contractAddress, to]).toEqual([address.toLowerCase(), null])
  }
})

test('block 0 is the parent of block 1, and its hash is that of its header', async () => {
  const { client } = clients
  const zero = await ask<Block>('eth_getBlockByNumber', '0x0', true)
  expect(zero).toMatchObject({ number: '0x0', transactions: [], uncles: [], withdrawals: [], gasUsed: '0x0' })
  expect(zero['parentHash']).toBe(toHex(0, { size: 32 }))
  expect(zero['hash']).toBe(keccak256(headerOf(zero)))
  expect(zero['hash']).toBe(keccak256(await ask<Hex>('debug_getRawHeader', '0x0')))
  expect(fromRlp(await ask<Hex>('debug_getRawBlock', '0x0'), 'hex')).toHaveLength(4)
  const first = await ask<Block>('eth_getBlockByNumber', '0x1', false)
  expect(first['parentHash']).toBe(zero['hash'])
  for (const [method, argument] of [
    ['eth_getBlockByHash', zero['hash']],
    ['eth_getBlockByNumber', 'earliest'],
  ] as const) {
    expect(await ask(method, argument, true)).toEqual(zero)
  }
  expect((await client.getBlock({ blockTag: 'earliest' })).number).toBe(0n)
  expect(await ask('eth_getBlockTransactionCountByNumber', '0x0')).toBe('0x0')
  expect(await ask('eth_getBlockReceipts', '0x0')).toEqual([])
  expect(await ask('eth_getLogs', { blockHash: zero['hash'] })).toEqual([])
  expect(await ask('eth_getLogs', { fromBlock: '0x0', toBlock: '0x1' })).toEqual([])
  expect(await ask('eth_feeHistory', '0x5', '0x1', [50])).toMatchObject({
    oldestBlock: '0x0',
    reward: [['0x0'], ['0x0']],
    gasUsedRatio: [0, 0],
    baseFeePerGas: [toHex(PRICE), toHex(PRICE), toHex(PRICE)],
  })
  await expect(client.getBalance({ address: DEAD, blockNumber: 0n })).rejects.toThrow(
    'genesis is committed with block 1',
  )
  await expect(ask('debug_traceBlockByNumber', '0x0')).rejects.toThrow()
  // Every block names its parent.
  for (let height = await client.getBlockNumber(); height > 0n; height--) {
    const { parentHash } = await client.getBlock({ blockNumber: height })
    expect(parentHash).toBe((await client.getBlock({ blockNumber: height - 1n })).hash)
  }
})

test('a chain whose fork is before London has no base fee in its headers, and a transaction without prices is legacy', async () => {
  await using berlin = await startNode({ chain: { fork: 'Berlin' } })
  const { client, wallet } = connect(berlin)
  const [from, to] = berlin.accounts.map(({ address }) => address)
  const hash = await wallet.sendTransaction({ to: DEAD, value: 1n })
  expect(await client.getTransactionReceipt({ hash })).toMatchObject({ status: 'success', type: 'legacy' })
  const ofNode = await berlin.rpc<Hex>('eth_sendTransaction', { from, to, value: 1n })
  expect(await client.getTransaction({ hash: ofNode })).toMatchObject({ type: 'legacy', gasPrice: PRICE })
  const filled = await berlin.rpc('eth_fillTransaction', { from, to, gas: '0x5208' })
  expect(filled).toMatchObject({ tx: { type: '0x0', gasPrice: numberToHex(PRICE) } })
  for (const height of ['0x0', '0x2', 'pending']) {
    const block = await berlin.rpc<Block>('eth_getBlockByNumber', height, false)
    expect(block).not.toHaveProperty('baseFeePerGas')
    expect(block).not.toHaveProperty('withdrawalsRoot')
  }
  expect(fromRlp(await berlin.rpc<Hex>('debug_getRawHeader', '0x2'))).toHaveLength(15)
  // A block that the chain does not have, and whose header has no base fee either.
  const [header, ...rest] = fromRlp(await berlin.rpc<Hex>('debug_getRawBlock', '0x2')) as [Hex[], ...Hex[][]]
  const other = toRlp([header.with(9, numberToHex(20_000_000)), ...rest])
  const [ran] = await berlin.rpc<{ txHash: Hex; result: { to: Hex } }[]>('debug_traceBlock', other, {
    tracer: 'callTracer',
  })
  expect(ran).toMatchObject({ txHash: hash, result: { to: DEAD.toLowerCase() } })
  const { hash: genesis } = await berlin.rpc<Block>('eth_getBlockByNumber', '0x0', false)
  expect(keccak256(await berlin.rpc<Hex>('debug_getRawHeader', '0x0'))).toBe(genesis)
})
