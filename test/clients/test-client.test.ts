import { createTestClient, encodeFunctionData, http, parseAbi, parseEther, publicActions, walletActions } from 'viem'
import { expect, test } from 'vitest'
import { startNode } from '../../src/index.ts'
import { ask } from '../support/rpc.ts'

type TestClientMode = 'anvil' | 'hardhat' | 'ganache'

const NOBODY = '0x00000000000000000000000000000000000abcde'
const WHALE = '0x000000000000000000000000000000000000beef'
/** Returns the word at slot 0. */
const READS_SLOT = '0x60005460005260206000f3'
const PRIVATE = `0x${'00'.repeat(31)}2a` as const

async function open(mode: TestClientMode) {
  const node = await startNode()
  // No cache: it would return the height of seconds ago.
  const client = createTestClient({ mode, transport: http(node.urls.jsonrpc), cacheTime: 0 })
    .extend(publicActions)
    .extend(walletActions)
  const send = (value = 1n, more: { nonce?: number; gasPrice?: bigint } = {}) =>
    client.sendTransaction({
      account: node.accounts[0]!.address as `0x${string}`,
      to: NOBODY,
      value,
      chain: null,
      gas: 21_000n,
      ...more,
    })
  return { node, client, send, [Symbol.asyncDispose]: () => node.stop() }
}

async function supply(node: Awaited<ReturnType<typeof startNode>>): Promise<bigint> {
  const { amount } = (await node.query('/sdk/bank/v1beta1/supply/by_denom?denom=unative')) as {
    amount: { amount: string }
  }
  return BigInt(amount.amount)
}

const modes: readonly TestClientMode[] = ['anvil', 'hardhat', 'ganache']

test.each(modes)('%s: balances are set, and the supply matches', async (mode) => {
  await using chain = await open(mode)
  const { client, node } = chain
  const before = await supply(node)
  const height = await client.getBlockNumber()
  await client.setBalance({ address: WHALE, value: parseEther('7') + 5n })
  expect(await client.getBalance({ address: WHALE })).toBe(parseEther('7') + 5n)
  expect(await supply(node)).toBe(before + 7_000_000n)
  await client.setBalance({ address: WHALE, value: parseEther('2') })
  expect(await supply(node)).toBe(before + 2_000_000n)
  // The change belongs to the latest block, as in anvil: no block is made, and later ones do not change what it shows.
  expect(await client.getBlockNumber()).toBe(height)
  await client.mine({ blocks: 1 })
  await client.setBalance({ address: WHALE, value: 1n })
  const at = (blockNumber: bigint) => client.getBalance({ address: WHALE, blockNumber })
  expect([await at(height), await at(height + 1n)]).toEqual([parseEther('2'), 1n])
})

test('a snapshot is restored without the changes after it, also those of the same block', async () => {
  await using chain = await open('anvil')
  const { client, send } = chain
  const balance = () => client.getBalance({ address: WHALE })
  const set = (value: bigint) => client.setBalance({ address: WHALE, value })
  await set(1n)
  const outer = await client.snapshot()
  await set(2n)
  const inner = await client.snapshot()
  await set(3n)
  await client.setCode({ address: NOBODY, bytecode: '0x00' })
  await send()
  await set(4n)
  await client.revert({ id: inner })
  expect([await balance(), await client.getCode({ address: NOBODY })]).toEqual([2n, undefined])
  await set(5n)
  await client.revert({ id: outer })
  expect([await balance(), await client.getBlockNumber()]).toEqual([1n, 1n])
  // The state is the one that the trees prove.
  await client.mine({ blocks: 2 })
  expect(await balance()).toBe(1n)
  await set(9n)
  await client.reset()
  expect([await balance(), await client.getBlockNumber()]).toEqual([0n, 1n])
})

test('a number that the chain cannot hold is refused, and the chain goes on', async () => {
  await using chain = await open('anvil')
  const { client } = chain
  const ask = (method: string, ...params: readonly unknown[]) =>
    client.request({ method, params } as never) as Promise<unknown>
  const [word, more, most64] = [`0x${'f'.repeat(64)}`, `0x1${'0'.repeat(64)}`, '0xffffffffffffffff']
  for (const [method, ...params] of [
    ['anvil_setNonce', NOBODY, '0x10000000000000000'],
    ['anvil_setBalance', NOBODY, more],
    ['anvil_setNextBlockBaseFeePerGas', more],
    ['evm_setBlockGasLimit', '0x8000000000000000'],
    ['evm_increaseTime', most64],
    ['evm_setTime', most64],
    ['evm_setNextBlockTimestamp', 253_402_300_800],
    ['anvil_setBlockTimestampInterval', most64],
    ['anvil_mine', '0x2', most64],
    ['anvil_mine', most64],
    ['anvil_setIntervalMining', most64],
    ['anvil_loadState', `0x${Buffer.from(`{"accounts":{"${NOBODY}":{"nonce":"${most64}0"}}}`).toString('hex')}`],
  ] as const) {
    await expect(ask(method, ...params), method).rejects.toMatchObject({
      details: expect.not.stringMatching('internal'),
    })
  }
  await ask('anvil_setNonce', NOBODY, most64)
  await ask('anvil_addBalance', NOBODY, word)
  // As in anvil the sum ends at the largest balance.
  await ask('anvil_addBalance', NOBODY, '0x1')
  expect(await client.getBalance({ address: NOBODY })).toBe(2n ** 256n - 1n)
  // Anvil has both verbs under a third name.
  expect(await ask('tenderly_setBalance', NOBODY, '0x5')).toBeNull()
  expect(await ask('tenderly_addBalance', NOBODY, '0x2')).toBeNull()
  expect(await client.getBalance({ address: NOBODY })).toBe(7n)
  const height = await client.getBlockNumber()
  await client.mine({ blocks: 1 })
  expect(await client.getBlockNumber()).toBe(height + 1n)
})

test.each(modes)('%s: blocks are made on request, one or many, with or without an interval', async (mode) => {
  await using chain = await open(mode)
  const { client } = chain
  const first = await client.getBlock()
  await client.mine({ blocks: 3 })
  expect(await client.getBlockNumber()).toBe(first.number + 3n)
  if (mode === 'ganache') return
  await client.mine({ blocks: 3, interval: 60 })
  const [last, before] = [await client.getBlock(), await client.getBlock({ blockNumber: first.number + 5n })]
  expect(last.number).toBe(first.number + 6n)
  expect(last.timestamp - before.timestamp).toBe(60n)
})

test.each(['anvil', 'hardhat'] as const)('%s: code, storage and nonces are set', async (mode) => {
  await using chain = await open(mode)
  const { client } = chain
  await client.setCode({ address: NOBODY, bytecode: READS_SLOT })
  await client.setStorageAt({ address: NOBODY, index: 0, value: PRIVATE })
  expect(await client.getCode({ address: NOBODY })).toBe(READS_SLOT)
  expect(await client.getStorageAt({ address: NOBODY, slot: '0x0' })).toBe(PRIVATE)
  expect((await client.call({ to: NOBODY })).data).toBe(PRIVATE)
  await client.setStorageAt({ address: NOBODY, index: 0, value: `0x${'00'.repeat(32)}` })
  expect((await client.call({ to: NOBODY })).data).toBe(`0x${'00'.repeat(32)}`)
  await client.setNonce({ address: WHALE, nonce: 420 })
  expect(await client.getTransactionCount({ address: WHALE })).toBe(420)
})

test.each(['anvil', 'hardhat'] as const)('%s: accounts without keys send while they are impersonated', async (mode) => {
  await using chain = await open(mode)
  const { client } = chain
  await client.setBalance({ address: WHALE, value: parseEther('10') })
  const pay = () => client.sendTransaction({ account: WHALE, to: NOBODY, value: 3n, chain: null })
  await expect(pay()).rejects.toThrow('unknown account')
  await client.impersonateAccount({ address: WHALE })
  const hash = await pay()
  const receipt = await client.getTransactionReceipt({ hash })
  expect([receipt.status, receipt.from]).toEqual(['success', WHALE])
  // A contract sends too.
  await client.setCode({ address: WHALE, bytecode: READS_SLOT })
  expect((await client.getTransactionReceipt({ hash: await pay() })).status).toBe('success')
  expect(await client.getBalance({ address: NOBODY })).toBe(6n)
  await client.stopImpersonatingAccount({ address: WHALE })
  await expect(pay()).rejects.toThrow('unknown account')
})

test('a forged signature of an account that is not impersonated is refused', async () => {
  await using chain = await open('anvil')
  const { client } = chain
  await client.setBalance({ address: WHALE, value: parseEther('10') })
  await client.impersonateAccount({ address: WHALE })
  const hash = await client.sendTransaction({ account: WHALE, to: NOBODY, value: 3n, chain: null })
  const raw = (await client.request({ method: 'eth_getRawTransactionByHash' as never, params: [hash] as never })) as
    | `0x${string}`
    | null
  await client.stopImpersonatingAccount({ address: WHALE })
  await client.setNonce({ address: WHALE, nonce: 0 })
  await expect(client.sendRawTransaction({ serializedTransaction: raw! })).rejects.toThrow(
    'invalid transaction v, r, s values',
  )
})

test('an unsigned transaction is sent for any account', async () => {
  await using chain = await open('anvil')
  const { client } = chain
  await client.setBalance({ address: WHALE, value: parseEther('10') })
  const hash = await client.sendUnsignedTransaction({ from: WHALE, to: NOBODY, value: 9n })
  expect((await client.getTransactionReceipt({ hash })).from).toBe(WHALE)
})

test.each(['anvil', 'hardhat'] as const)('%s: the clock is increased, set, and stepped', async (mode) => {
  await using chain = await open(mode)
  const { client } = chain
  const start = (await client.getBlock()).timestamp
  await client.increaseTime({ seconds: 1000 })
  await client.mine({ blocks: 1 })
  const later = (await client.getBlock()).timestamp
  expect(later - start).toBeGreaterThanOrEqual(1000n)
  await client.setNextBlockTimestamp({ timestamp: later + 5000n })
  // A change of the state makes no block, which would use the time that was set.
  await client.setBalance({ address: WHALE, value: 1n })
  await client.mine({ blocks: 1 })
  expect((await client.getBlock()).timestamp).toBe(later + 5000n)
  await expect(client.setNextBlockTimestamp({ timestamp: later })).rejects.toThrow('lower than or equal')
  await client.setBlockTimestampInterval({ interval: 77 })
  await client.mine({ blocks: 2 })
  expect((await client.getBlock()).timestamp).toBe(later + 5000n + 154n)
  await client.removeBlockTimestampInterval()
  await client.mine({ blocks: 1 })
  expect((await client.getBlock()).timestamp - later - 5154n).toBeLessThan(77n)
})

test('anvil: blocks of anvil_mine are an interval apart, the first included', async () => {
  await using chain = await open('anvil')
  const { client } = chain
  const start = (await client.getBlock()).timestamp
  await client.mine({ blocks: 5, interval: 60 })
  const height = await client.getBlockNumber()
  const times = await Promise.all(
    [0n, 1n, 2n, 3n, 4n].map(async (i) => (await client.getBlock({ blockNumber: height - 4n + i })).timestamp),
  )
  expect(times.slice(1).map((time, i) => time - times[i]!)).toEqual([60n, 60n, 60n, 60n])
  expect(times[0]! - start).toBeGreaterThanOrEqual(60n)
  expect(times[0]! - start).toBeLessThan(120n)
})

test('without automine no block is made, also none for the votes of the feeder', async () => {
  await using node = await startNode({ feeder: { enabled: true } })
  const client = createTestClient({ mode: 'anvil', transport: http(node.urls.jsonrpc) })
  // With its feeder a chain makes a block each second.
  await expect.poll(() => node.height).toBeGreaterThan(2n)
  await client.setAutomine(false)
  const held = node.height
  await new Promise((resolve) => setTimeout(resolve, 1500))
  await client.setBalance({ address: WHALE, value: 1n })
  expect(node.height).toBe(held)
  await client.setAutomine(true)
  await expect.poll(() => node.height).toBeGreaterThan(held)
})

test.each(modes)('%s: transactions are pending without automine, and the pool lists them', async (mode) => {
  await using chain = await open(mode)
  const { client, send } = chain
  expect(await client.getAutomine()).toBe(true)
  await client.setAutomine(false)
  expect(await client.getAutomine()).toBe(false)
  const [first, gap] = [await send(1n, { nonce: 0 }), await send(2n, { nonce: 2 })]
  expect(await client.getTxpoolStatus()).toEqual({ pending: 1, queued: 1 })
  const content = await client.getTxpoolContent()
  const [sender] = Object.keys(content.pending) as `0x${string}`[]
  expect(content.pending[sender!]!['0']!.hash).toBe(first)
  expect(content.queued[sender!]!['2']!.hash).toBe(gap)
  const lines = await client.inspectTxpool()
  expect(lines.pending[sender!]!['0']).toMatch(
    /^0x00000000000000000000000000000000000abCDE: 1 wei \+ 21000 gas × \d+ wei$/i,
  )
  if (mode !== 'ganache') await client.dropTransaction({ hash: gap })
  await client.mine({ blocks: 1 })
  expect((await client.getTransactionReceipt({ hash: first })).status).toBe('success')
  expect(await client.getTxpoolStatus()).toEqual({ pending: 0, queued: mode === 'ganache' ? 1 : 0 })
  await client.setAutomine(true)
  expect((await client.getTransactionReceipt({ hash: await send(1n, { nonce: 1 }) })).status).toBe('success')
})

test('a transaction that pays a tenth more replaces another', async () => {
  await using chain = await open('anvil')
  const { client, send } = chain
  await client.setAutomine(false)
  const slow = await send(1n, { nonce: 0, gasPrice: 2_000_000_000_000n })
  await expect(send(2n, { nonce: 0, gasPrice: 2_100_000_000_000n })).rejects.toThrow(
    'replacement transaction underpriced',
  )
  const fast = await send(3n, { nonce: 0, gasPrice: 2_200_000_000_000n })
  await client.mine({ blocks: 1 })
  expect((await client.getTransactionReceipt({ hash: fast })).status).toBe('success')
  await expect(client.getTransaction({ hash: slow })).rejects.toThrow('could not be found')
  expect(await client.getBalance({ address: NOBODY })).toBe(3n)
})

test.each(['anvil', 'hardhat'] as const)('%s: interval mining makes blocks', async (mode) => {
  await using chain = await open(mode)
  const { client, send } = chain
  await client.setAutomine(false)
  await client.setIntervalMining({ interval: 1 })
  const hash = await send()
  const receipt = await client.waitForTransactionReceipt({ hash, pollingInterval: 50 })
  expect(receipt.status).toBe('success')
  await client.setIntervalMining({ interval: 0 })
  // After one that was already being made.
  await client.mine({ blocks: 1 })
  const still = await client.getBlockNumber()
  await new Promise((resolve) => setTimeout(resolve, 1100))
  expect(await client.getBlockNumber()).toBe(still)
})

test('an interval replaces blocks on arrival in anvil, and is in addition to them in Hardhat', async () => {
  await using anvil = await open('anvil')
  await anvil.client.setIntervalMining({ interval: 600 })
  expect(await anvil.client.getAutomine()).toBe(false)
  await anvil.send()
  expect((await anvil.client.getTxpoolStatus()).pending).toBe(1)
  await anvil.client.setAutomine(true)
  await expect.poll(async () => (await anvil.client.getTxpoolStatus()).pending).toBe(0)

  await using hardhat = await open('hardhat')
  await hardhat.client.setIntervalMining({ interval: 600 })
  expect(await hardhat.client.getAutomine()).toBe(true)
  const hash = await hardhat.send()
  expect((await hardhat.client.getTransactionReceipt({ hash })).status).toBe('success')
})

test.each(['anvil', 'hardhat'] as const)('%s: block fields are set, and code reads them', async (mode) => {
  await using chain = await open(mode)
  const { client, send, node } = chain
  await client.setCoinbase({ address: WHALE })
  await client.setBlockGasLimit({ gasLimit: 5_000_000n })
  await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 3_000_000_000_000n })
  const hash = await send()
  const block = await client.getBlock()
  expect([block.miner, block.gasLimit, block.baseFeePerGas]).toEqual([WHALE, 5_000_000n, 3_000_000_000_000n])
  const receipt = await client.getTransactionReceipt({ hash })
  expect(receipt.effectiveGasPrice).toBe(3_000_000_000_000n)
  // COINBASE and BASEFEE of the code: a call with a price sees the base fee.
  await client.setCode({ address: NOBODY, bytecode: ('0x4160005248602052456040526060' + '6000f3') as `0x${string}` })
  const { data } = await client.call({
    to: NOBODY,
    account: node.accounts[0]!.address as `0x${string}`,
    gasPrice: 3_000_000_000_000n,
  })
  expect(data).toBe(
    `0x${[WHALE.slice(2), (3_000_000_000_000).toString(16), (5_000_000).toString(16)].map((word) => word.padStart(64, '0')).join('')}`,
  )
  await client.mine({ blocks: 1 })
  const fee = await node.query('/chain/evm/v1/base_fee')
  expect(fee).toEqual({ base_fee: '3000000000000', base_fee_unative: '3' })
  const old = await node.query('/chain/evm/v1/base_fee?height=2')
  expect(old).toEqual({ base_fee: '1000000000000', base_fee_unative: '1' })
})

test.each(['anvil', 'hardhat'] as const)('%s: gas prices below the minimum are refused', async (mode) => {
  await using chain = await open(mode)
  const { client, send } = chain
  await client.setMinGasPrice({ gasPrice: 5_000_000_000_000n })
  await expect(send(1n, { gasPrice: 4_000_000_000_000n })).rejects.toThrow('transaction underpriced')
  await send(1n, { gasPrice: 5_000_000_000_000n })
  await client.setLoggingEnabled(false)
})

test.each(modes)('%s: a snapshot restores state, blocks, pool and clock', async (mode) => {
  await using chain = await open(mode)
  const { client, send } = chain
  await send(5n)
  await client.setAutomine(false)
  const waiting = await send(6n)
  const [height, time] = [await client.getBlockNumber(), (await client.getBlock()).timestamp]
  const id = await client.snapshot()
  const later = await client.snapshot()
  await client.mine({ blocks: 2 })
  await client.increaseTime({ seconds: 100_000 })
  const lost = await send(7n)
  await client.mine({ blocks: 1 })
  expect(await client.getBalance({ address: NOBODY })).toBe(18n)
  await client.revert({ id })
  expect(await client.getBlockNumber()).toBe(height)
  expect(await client.getBalance({ address: NOBODY })).toBe(5n)
  expect(await client.getTxpoolStatus()).toEqual({ pending: 1, queued: 0 })
  await expect(client.getTransaction({ hash: lost })).rejects.toThrow('could not be found')
  await client.mine({ blocks: 1 })
  expect((await client.getTransactionReceipt({ hash: waiting })).blockNumber).toBe(height + 1n)
  expect((await client.getBlock()).timestamp - time).toBeLessThan(1000n)
  // The snapshot is removed, with those after it.
  const again = await client.request({ method: 'evm_revert', params: [id] })
  expect([again, await client.request({ method: 'evm_revert', params: [later] })]).toEqual([false, false])
})

test.each(['anvil', 'hardhat'] as const)('%s: a dumped state is loaded by another chain', async (mode) => {
  await using first = await open(mode)
  await using second = await open(mode)
  await first.client.setBalance({ address: WHALE, value: parseEther('3') + 1n })
  await first.client.setCode({ address: NOBODY, bytecode: READS_SLOT })
  await first.client.setStorageAt({ address: NOBODY, index: 0, value: PRIVATE })
  await first.send(4n)
  await second.client.setStorageAt({ address: NOBODY, index: 1, value: PRIVATE })
  await second.client.loadState({ state: (await first.client.dumpState()) as `0x${string}` })
  expect(await second.client.getBalance({ address: WHALE })).toBe(parseEther('3') + 1n)
  expect((await second.client.call({ to: NOBODY })).data).toBe(PRIVATE)
  expect(await second.client.getStorageAt({ address: NOBODY, slot: '0x1' })).toBe(`0x${'00'.repeat(32)}`)
  const sender = first.node.accounts[0]!.address as `0x${string}`
  expect(await second.client.getTransactionCount({ address: sender })).toBe(1)
})

test.each(['anvil', 'hardhat'] as const)(
  '%s: reset returns to genesis, and reports that forking is not supported',
  async (mode) => {
    await using chain = await open(mode)
    const { client, send } = chain
    await send(1n)
    await client.reset()
    expect(await client.getBlockNumber()).toBe(1n)
    expect(await client.getBalance({ address: NOBODY })).toBe(0n)
    await send(2n)
    expect(await client.getBalance({ address: NOBODY })).toBe(2n)
    await expect(client.reset({ jsonRpcUrl: 'http://127.0.0.1:1', blockNumber: 1n })).rejects.toThrow('not supported')
    await expect(client.setRpcUrl('http://127.0.0.1:1')).rejects.toThrow('forking is not supported')
  },
)

test('a chain without development mode has none of these methods', async () => {
  await using node = await startNode({ node: { dev: false, insecureKeys: true } })
  for (const method of [
    'anvil_setBalance',
    'evm_mine',
    'hardhat_reset',
    'eth_sendTransaction',
    'personal_sign',
    'tenderly_setBalance',
    'miner_stop',
  ]) {
    expect(await ask(node, method)).toMatchObject({ error: { code: -32601, message: expect.stringContaining(method) } })
  }
})

test('output of console.log reaches the log of the node, in blocks and calls, even if it is reverted', async () => {
  const printed: unknown[] = []
  await using node = await startNode(
    {},
    { log: (_level, message, fields) => void (message === 'console.log' && printed.push(fields?.['line'])) },
  )
  const client = createTestClient({ mode: 'anvil', transport: http(node.urls.jsonrpc) })
    .extend(publicActions)
    .extend(walletActions)
  // Copies its calldata to the console by STATICCALL, then reverts.
  const code = '0x366000600037600060003660006a636f6e736f6c652e6c6f675afa600080fd'
  await client.setCode({ address: NOBODY, bytecode: code })
  const data = encodeFunctionData({ abi: parseAbi(['function log(string,uint256)']), args: ['answer %d', 42n] })
  const account = node.accounts[0]!.address as `0x${string}`
  const hash = await client.sendTransaction({ account, to: NOBODY, data, gas: 100_000n, chain: null })
  expect((await client.getTransactionReceipt({ hash })).status).toBe('reverted')
  expect(printed).toEqual(['answer 42'])
  await expect(client.call({ to: NOBODY, data })).rejects.toThrow('reverted')
  expect(printed).toEqual(['answer 42', 'answer 42'])
  await client.setLoggingEnabled(false)
  await client.sendTransaction({ account, to: NOBODY, data, gas: 100_000n, chain: null })
  expect(printed).toHaveLength(2)
})
