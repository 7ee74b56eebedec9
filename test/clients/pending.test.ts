/** The block that is not made yet, as viem and ethers read it. */
import { JsonRpcProvider } from 'ethers'
import { createPublicClient, createWalletClient, defineChain, getContractAddress, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startNode } from '../../src/index.ts'

/** Without input it adds one to slot 0; with input it returns slot 0 and the number of the block. */
const RUNTIME = '36600c575f546001015f55005b5f545f524360205260405ff3'
const CREATION: Hex = `0x78${RUNTIME}5f5260196007f3`
const FRESH = `0x${'f5'.repeat(20)}` as const
const GWEI = 10n ** 9n

let node: Awaited<ReturnType<typeof startNode>>
let client: ReturnType<typeof createPublicClient>
let provider: JsonRpcProvider

beforeAll(async () => {
  node = await startNode({ blocks: { time: 'manual' } })
  client = createPublicClient({ transport: http(node.urls.jsonrpc), cacheTime: 0 })
  provider = new JsonRpcProvider(node.urls.jsonrpc, undefined, { staticNetwork: true, cacheTimeout: -1 })
})
afterAll(async () => {
  provider.destroy()
  await node.stop()
})

function walletOf(index: number) {
  const chain = defineChain({
    id: node.evmChainId,
    name: node.chainId,
    nativeCurrency: { name: 'native', symbol: 'NATIVE', decimals: 18 },
    rpcUrls: { default: { http: [node.urls.jsonrpc] } },
  })
  return createWalletClient({
    account: privateKeyToAccount(node.accounts[index]!.privateKey),
    chain,
    transport: http(),
  })
}

const words = (data: Hex | string | undefined): readonly bigint[] =>
  (data ?? '0x')
    .slice(2)
    .match(/.{64}/g)!
    .map((word) => BigInt(`0x${word}`))

test('the pending block has the waiting transactions in their order, and reads and calls see their effects', async () => {
  const [first, second] = [walletOf(0), walletOf(1)]
  const contract = getContractAddress({ from: first.account.address, nonce: 0n })
  const height = await client.getBlockNumber()
  const price = { gasPrice: 1000n * GWEI }
  const created = await first.sendTransaction({ data: CREATION, gas: 200_000n, nonce: 0, ...price })
  const called = await first.sendTransaction({ to: contract, gas: 100_000n, nonce: 1, ...price })
  const paid = await second.sendTransaction({ to: FRESH, value: 7n, gas: 21_000n, gasPrice: 2000n * GWEI })
  // Behind a nonce gap: it is not in the block.
  await first.sendTransaction({ to: FRESH, value: 9n, gas: 21_000n, nonce: 5, gasPrice: 9000n * GWEI })

  const pending = { blockTag: 'pending' } as const
  const block = await client.getBlock({ ...pending, includeTransactions: true })
  expect(block).toMatchObject({ number: height + 1n, hash: null, nonce: null, miner: null })
  expect(block.parentHash).toBe((await client.getBlock()).hash)
  expect(block.transactions.map(({ hash }) => hash)).toEqual([paid, created, called])
  expect(block.transactions[1]).toMatchObject({ blockHash: null, blockNumber: height + 1n, transactionIndex: 1 })
  expect(await client.getBlockTransactionCount(pending)).toBe(3)
  expect(await client.getTransaction({ ...pending, index: 2 })).toMatchObject({ hash: called, transactionIndex: 2 })

  expect(await client.getBalance({ address: FRESH, ...pending })).toBe(7n)
  expect(await client.getBalance({ address: FRESH })).toBe(0n)
  expect(await client.getTransactionCount({ address: first.account.address, ...pending })).toBe(2)
  expect(await client.getCode({ address: contract, ...pending })).toBe(`0x${RUNTIME}`)
  expect(await client.getCode({ address: contract })).toBeUndefined()
  expect(await client.getStorageAt({ address: contract, slot: '0x0', ...pending })).toBe(`0x${'1'.padStart(64, '0')}`)
  const read = { to: contract, data: '0x01' } as const
  expect(words((await client.call({ ...read, ...pending })).data)).toEqual([1n, height + 1n])
  expect((await client.call(read)).data).toBeUndefined()
  const gas = await client.estimateGas({ account: first.account, to: contract, ...pending })
  expect(gas > 25_000n && gas < 30_000n).toBe(true)

  expect(await provider.getBalance(FRESH, 'pending')).toBe(7n)
  expect(words(await provider.call({ ...read, blockTag: 'pending' }))).toEqual([1n, height + 1n])
  const shown = (await provider.getBlock('pending', true))!
  expect([shown.number, shown.hash, shown.transactions]).toEqual([Number(height + 1n), null, [paid, created, called]])
  expect(shown.prefetchedTransactions[2]).toMatchObject({ to: contract, blockNumber: Number(height + 1n) })

  await node.nextBlock()
  const made = await client.getBlock()
  expect([made.number, made.transactions]).toEqual([height + 1n, [paid, created, called]])
  const fields = ['transactionsRoot', 'receiptsRoot', 'logsBloom', 'gasUsed', 'stateRoot', 'parentHash'] as const
  for (const field of fields) expect(block[field], field).toBe(made[field])
  expect(words((await client.call(read)).data)).toEqual([1n, height + 1n])
})

test('without waiting transactions the pending block is the next one, on the latest state', async () => {
  const height = await client.getBlockNumber()
  const block = await client.getBlock({ blockTag: 'pending' })
  expect(block).toMatchObject({ number: height + 1n, hash: null, transactions: [], gasUsed: 0n })
  expect(block.timestamp >= (await client.getBlock()).timestamp).toBe(true)
  expect(await client.getBalance({ address: FRESH, blockTag: 'pending' })).toBe(7n)
  // NUMBER NUMBER … of code that runs once, without an account.
  const data: Hex = '0x435f5260205ff3'
  expect(words((await client.call({ data, blockTag: 'pending' })).data)).toEqual([height + 1n])
  expect(words((await client.call({ data })).data)).toEqual([height])
})

test('the pool is listed by sender and nonce, ready and behind a gap', async () => {
  const wallet = walletOf(3)
  const sent = { to: FRESH, value: 1n, gas: 21_000n, gasPrice: 1000n * GWEI }
  const hashes = [0, 1, 4].map((nonce) => wallet.sendTransaction({ ...sent, nonce }))
  const [first, second, late] = await Promise.all(hashes)
  const from = wallet.account.address
  const shown = { from: from.toLowerCase(), blockHash: null, blockNumber: null, gasPrice: '0xe8d4a51000' }
  const own = {
    pending: { '0': { ...shown, hash: first }, '1': { ...shown, hash: second } },
    queued: { '4': { ...shown, hash: late } },
  }
  expect(await provider.send('txpool_contentFrom', [from])).toMatchObject(own)
  const { pending, queued } = await provider.send('txpool_content', [])
  expect([pending[from], queued[from]]).toMatchObject([own.pending, own.queued])
  const lines = await provider.send('txpool_inspect', [])
  const target = `0x${'F5'.repeat(20)}`.toLowerCase()
  expect(lines.queued[from]['4'].toLowerCase()).toBe(`${target}: 1 wei + 21000 gas × 1000000000000 wei`)
  const count = await provider.send('txpool_status', [])
  expect([Number(count.pending) >= 2, Number(count.queued) >= 1]).toEqual([true, true])
  expect(await provider.send('eth_pendingTransactions', [])).toContainEqual(expect.objectContaining({ hash: late }))
  for (const hash of [first, second, late]) await provider.send('anvil_dropTransaction', [hash])
  expect(await provider.send('txpool_contentFrom', [from])).toEqual({ pending: {}, queued: {} })
})

test('each transaction is pending at once, however many wait, and none is executed for the chain', async () => {
  const wallet = walletOf(2)
  const height = await client.getBlockNumber()
  for (let i = 1; i <= 30; i++) {
    await wallet.sendTransaction({ to: FRESH, value: 1n, gas: 21_000n, gasPrice: 1000n * GWEI, nonce: i - 1 })
    expect(await client.getBalance({ address: FRESH, blockTag: 'pending' })).toBe(7n + BigInt(i))
  }
  expect([await client.getBlockNumber(), await client.getBalance({ address: FRESH })]).toEqual([height, 7n])
  await provider.send('anvil_dropAllTransactions', [])
  expect(await client.getBalance({ address: FRESH, blockTag: 'pending' })).toBe(7n)
})
