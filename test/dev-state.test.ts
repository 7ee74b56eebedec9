import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEther, parseGwei } from 'viem'
import { afterAll, expect, test } from 'vitest'
import { recorded } from './support/anvil/recorded.ts'
import { clientsOf, runDev, startDev } from './support/dev.ts'

const scratch = mkdtempSync(join(tmpdir(), 'almanac-dev-state-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const NOBODY = '0x00000000000000000000000000000000000abcde'
const CONTRACT = '0x00000000000000000000000000000000000000cc'

test('a chain continues from its state file, also after a crash', async () => {
  const file = join(scratch, 'state.json')
  const send = async (value: bigint, end: NodeJS.Signals) => {
    await using node = await startDev('--state', file, '--state-interval', '1')
    const { reads, wallet } = clientsOf(node)
    const hash = await wallet.sendTransaction({ to: NOBODY, value })
    const found = await reads.getTransactionReceipt({ hash })
    if (end === 'SIGKILL') {
      const best = () => existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as { best_block_number: number })
      await expect.poll(best).toMatchObject({ best_block_number: Number(found.blockNumber) })
    }
    await node.kill(end)
    return found
  }
  const receipts = [await send(1n, 'SIGINT'), await send(2n, 'SIGKILL'), await send(3n, 'SIGTERM')]
  expect(receipts.map(({ blockNumber }) => blockNumber)).toEqual([2n, 3n, 4n])
  await using node = await startDev('--load-state', file)
  const { reads } = clientsOf(node)
  expect(await reads.getBalance({ address: NOBODY })).toBe(6n)
  for (const receipt of receipts) {
    expect(await reads.getTransactionReceipt({ hash: receipt.transactionHash })).toEqual(receipt)
  }
})

test('a state file of anvil is loaded, and written again for it', async () => {
  const from = join(scratch, 'anvil.json')
  const to = join(scratch, 'dumped.json')
  writeFileSync(from, JSON.stringify(recorded.state))
  const node = await startDev('--load-state', from, '--dump-state', to)
  const { reads } = clientsOf(node)
  expect(await reads.getBlockNumber()).toBe(8n)
  await node.kill('SIGINT')
  const dumped = JSON.parse(readFileSync(to, 'utf8')) as { best_block_number: number; accounts: object }
  expect(dumped.best_block_number).toBe(8)
  expect(Object.keys(dumped.accounts)).toEqual(expect.arrayContaining(Object.keys(recorded.state.accounts)))
})

test('a genesis of geth gives accounts, chain id, time, gas limit and base fee; flags come first', async () => {
  const file = join(scratch, 'genesis.json')
  const genesis = {
    config: { chainId: 1337 },
    timestamp: '0x6553f100',
    gasLimit: '0x1c9c380',
    baseFeePerGas: '0x77359400',
    alloc: {
      [NOBODY]: { balance: parseEther('5').toString() },
      // Returns the word at slot 0.
      [CONTRACT]: { balance: '0x1', code: '0x60005460005260206000f3', storage: { '0x0': '0x2a' }, nonce: '0x7' },
    },
  }
  writeFileSync(file, JSON.stringify(genesis))
  await using node = await startDev('--init', file, '--chain-id', '31337')
  const { reads, wallet, account } = clientsOf(node)
  expect(await reads.getBalance({ address: NOBODY })).toBe(parseEther('5'))
  expect((await reads.call({ to: CONTRACT })).data).toBe(`0x${'2a'.padStart(64, '0')}`)
  expect(await reads.getTransactionCount({ address: CONTRACT })).toBe(7)
  expect(await reads.getBalance({ address: account.address })).toBe(parseEther('1000000'))
  const { timestamp, gasLimit } = await reads.getBlock()
  expect(Number(timestamp) - 0x6553f100).toBeLessThan(60)
  expect(timestamp).toBeGreaterThanOrEqual(0x6553f100n)
  expect(gasLimit).toBe(30_000_000n)
  const hash = await wallet.sendTransaction({ to: NOBODY, value: 1n, gasPrice: parseGwei('2') })
  expect((await reads.getTransactionReceipt({ hash })).effectiveGasPrice).toBe(parseGwei('2'))
  expect(await reads.getChainId()).toBe(31_337)
})

test('a file that cannot be used is an error that names file and field, and stays as it is', async () => {
  const damaged = join(scratch, 'damaged.json')
  writeFileSync(damaged, '{"accounts":{"0x12":{}}}')
  const cases: readonly (readonly [readonly string[], string])[] = [
    [['--state', damaged], `${damaged}: accounts.0x12 is "0x12": it must be an address of 20 bytes`],
    [['--load-state', '/no/such'], '--load-state /no/such: the file does not exist'],
    [['--init', damaged], `--init ${damaged}: alloc is absent: it must be an object of accounts by address`],
    [['--state', damaged, '--dump-state', damaged], '--state and --dump-state exclude each other'],
    [['--state-interval', '5'], '--state-interval needs --state or --dump-state'],
  ]
  const ports = ['port', 'rest-port', 'grpc-port', 'comet-port'].flatMap((name) => [`--${name}`, '0'])
  for (const [flags, message] of cases) {
    const { code, err } = await runDev('--silent', '--quiet', ...ports, ...flags)
    expect([code, err]).toEqual([1, `almanac: ${message}\n`])
  }
  expect(readFileSync(damaged, 'utf8')).toBe('{"accounts":{"0x12":{}}}')
})
