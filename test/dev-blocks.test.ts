import { encodeFunctionData, getAddress, type Hex, parseAbi, parseEther, type StateOverride } from 'viem'
import { expect, test } from 'vitest'
import { clientsOf, startDev } from './support/dev.ts'
import { rpc } from './support/rpc.ts'

const NOBODY = '0x00000000000000000000000000000000000abcde'
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

test('blocks are made at the interval, and only then', async () => {
  await using node = await startDev('--block-time', '0.4')
  const { reads, wallet, tools } = clientsOf(node)
  expect([await tools.getAutomine(), await rpc(node.config, 'anvil_getIntervalMining')]).toEqual([false, 0.4])
  const hash = await wallet.sendTransaction({ to: NOBODY, value: 1n, gas: 21_000n })
  const { blockNumber } = await reads.waitForTransactionReceipt({ hash, pollingInterval: 20 })
  await expect.poll(() => reads.getBlockNumber()).toBeGreaterThan(blockNumber + 2n)
  const block = await reads.getBlock({ blockNumber })
  expect(block.transactions).toEqual([hash])
})

test('without mining a transaction waits until blocks are asked for', async () => {
  await using node = await startDev('--no-mining')
  const { reads, wallet, tools } = clientsOf(node)
  const hash = await wallet.sendTransaction({ to: NOBODY, value: 1n, gas: 21_000n })
  await pause(300)
  expect([await reads.getBlockNumber(), await tools.getAutomine()]).toEqual([1n, false])
  await tools.mine({ blocks: 1 })
  expect((await reads.getTransactionReceipt({ hash })).blockNumber).toBe(2n)
})

test('with mixed mining blocks are made on arrival and at the interval', async () => {
  await using node = await startDev('--block-time', '2', '--mixed-mining')
  const { reads, wallet, tools } = clientsOf(node)
  const hash = await wallet.sendTransaction({ to: NOBODY, value: 1n, gas: 21_000n })
  expect((await reads.getTransactionReceipt({ hash })).blockNumber).toBeLessThan(5n)
  const height = await reads.getBlockNumber()
  await expect.poll(() => reads.getBlockNumber()).toBeGreaterThan(height + 1n)
  expect([await tools.getAutomine(), await rpc(node.config, 'anvil_getIntervalMining')]).toEqual([true, 2])
})

/** Sends one transaction of each account with the given prices, and returns the prices in the order of their block. */
async function orderOf(prices: readonly bigint[], ...flags: readonly string[]): Promise<(bigint | undefined)[][]> {
  await using node = await startDev('--no-mining', ...flags)
  const { reads, tools, wallet } = clientsOf(node)
  for (const [i, gasPrice] of prices.entries()) {
    const account = node.config.accounts[i]!.address
    await wallet.sendTransaction({ account, to: NOBODY, gas: 21_000n, gasPrice })
  }
  await tools.mine({ blocks: 2 })
  const order = flags[0] === '--order' ? flags[1] : 'fees'
  expect(await rpc(node.config, 'anvil_nodeInfo')).toMatchObject({ transactionOrder: order })
  const blocks = await Promise.all(
    [2n, 3n].map((blockNumber) => reads.getBlock({ blockNumber, includeTransactions: true })),
  )
  return blocks.map(({ transactions }) => transactions.map(({ gasPrice }) => gasPrice))
}

test('a block has the best prices first, or the first transactions first, and as many as it may', async () => {
  const [low, high, middle] = [2n, 9n, 5n].map((gwei) => gwei * 10n ** 9n)
  const sent = [low!, high!, middle!]
  expect(await orderOf(sent)).toEqual([[high, middle, low], []])
  expect(await orderOf(sent, '--order', 'fifo')).toEqual([[low, high, middle], []])
  expect(await orderOf(sent, '--max-transactions', '2')).toEqual([[high, middle], [low]])
})

test('safe and finalized blocks are as far behind as the epochs say', async () => {
  await using node = await startDev('--slots-in-an-epoch', '4')
  const { reads, tools } = clientsOf(node)
  await tools.mine({ blocks: 20 })
  const heights = (['latest', 'safe', 'finalized'] as const).map((blockTag) => reads.getBlock({ blockTag }))
  expect((await Promise.all(heights)).map(({ number }) => number)).toEqual([21n, 17n, 13n])
})

test.each([['--transaction-block-keeper', '5'], ['--prune-history=5']])(
  '%s drops the states of older blocks, and keeps the blocks',
  async (...flags) => {
    await using node = await startDev(...flags)
    const { reads, wallet, tools, account } = clientsOf(node)
    const hash = await wallet.sendTransaction({ to: NOBODY, value: 1n, gas: 21_000n })
    await tools.mine({ blocks: 20 })
    const at = (blockNumber: bigint) => reads.getBalance({ address: account.address, blockNumber })
    expect(await at(20n)).toBeLessThan(parseEther('1000000'))
    await expect(at(2n)).rejects.toThrow()
    expect((await reads.getTransactionReceipt({ hash })).blockNumber).toBe(2n)
  },
)

/** Returns init code that calls the console with a text, as `console.log` does. */
function logging(text: string): Hex {
  const input = encodeFunctionData({ abi: parseAbi(['function log(string)']), args: [text] }).slice(2)
  const byte = (value: number) => value.toString(16).padStart(2, '0')
  const words = input.match(/.{1,64}/g)!.map((word) => word.padEnd(64, '0'))
  const stores = words.map((word, i) => `7f${word}60${byte(32 * i)}52`)
  const address = Buffer.from('console.log').toString('hex').padStart(40, '0')
  return `0x${stores.join('')}6000600060${byte(input.length / 2)}6000600073${address}5af100`
}

test('what contracts print is in the log, unless it is turned off', async () => {
  const printed = async (...flags: readonly string[]) => {
    await using node = await startDev(...flags)
    const { wallet } = clientsOf(node)
    await wallet.sendTransaction({ data: logging('hello from a contract'), gas: 200_000n })
    await node.kill('SIGTERM')
    return node.stderr().includes('hello from a contract')
  }
  expect([await printed(), await printed('--disable-console-log')]).toEqual([true, false])
})

test('calls are printed as a tree, those of transactions and of eth_call', async () => {
  await using node = await startDev('--print-traces')
  const { reads, wallet } = clientsOf(node)
  const hash = await wallet.sendTransaction({ to: NOBODY, value: 7n, gas: 21_000n })
  await expect
    .poll(node.stdout)
    .toContain(`Traces of transaction ${hash}:\n  [21000] ${getAddress(NOBODY)}::receive() {value: 7}`)
  // Reverts with one word.
  await reads.call({ data: '0x602a60005260206000fd' }).catch(() => undefined)
  await expect.poll(node.stdout).toContain('Traces of eth_call:')
  expect(node.stdout()).toContain('← [Revert]')
  // Returns NUMBER: the calls are those of the block that the request describes.
  const stateOverride: StateOverride = [{ address: NOBODY, code: '0x4360005260206000f3' }]
  const { data } = await reads.call({ to: NOBODY, stateOverride, blockOverrides: { number: 0x1234n } })
  await expect.poll(node.stdout).toContain(`← [Return] ${data}`)
  expect(data).toMatch(/001234$/)
})

test('the log of requests has those of clients, and not the traces that are printed', async () => {
  await using node = await startDev('--print-traces', '--verbose')
  const { reads, wallet } = clientsOf(node)
  const hash = await wallet.sendTransaction({ to: NOBODY, value: 7n, gas: 21_000n })
  await reads.call({ to: NOBODY })
  await expect.poll(node.stdout).toContain(`Traces of transaction ${hash}:`)
  await expect.poll(node.stdout).toContain('Traces of eth_call:')
  await expect.poll(node.stderr).toContain('request method=eth_call')
  expect(node.stderr()).not.toContain('debug_trace')
})

test('a log in JSON has the calls', async () => {
  await using node = await startDev('--print-traces', '--json')
  await clientsOf(node).wallet.sendTransaction({ to: NOBODY, value: 7n, gas: 21_000n })
  await expect.poll(node.stderr).toContain('{value: 7}')
  const records = node.stderr().trim().split('\n')
  expect(records.map((record) => JSON.parse(record))).toContainEqual(
    expect.objectContaining({ level: 'info', message: 'calls', text: expect.stringContaining(getAddress(NOBODY)) }),
  )
  expect(node.stdout()).toBe('')
})

test('threads run the calls if they are asked for', async () => {
  await using node = await startDev('--threads', '2')
  const { reads } = clientsOf(node)
  expect((await reads.call({ data: '0x602a60005260206000f3' })).data).toBe(`0x${'00'.repeat(31)}2a`)
})
