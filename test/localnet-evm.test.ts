import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createPublicClient, createWalletClient, defineChain, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, expect, test } from 'vitest'
import { type NodeProcess, startProcess } from './support/process.ts'
import { ask } from './support/rpc.ts'

const scratch = mkdtempSync(join(tmpdir(), 'almanac-localnet-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const CHOICES = [
  '--evm-chain-id',
  '424242',
  '--initial-height',
  '100',
  '--code-size-limit',
  '30000',
  '--unprotected-txs',
]
/** Init code that returns 30,000 zeros. */
const LARGE = '0x617530' + '5ff3'

function clientOf({ config }: NodeProcess) {
  const chain = defineChain({
    id: 424_242,
    name: 'a chain with an id of its own',
    nativeCurrency: { name: 'native', symbol: 'NATIVE', decimals: 18 },
    rpcUrls: { default: { http: [config.urls.jsonrpc] } },
  })
  const account = privateKeyToAccount(config.accounts[0]!.private_key)
  const transport = http(config.urls.jsonrpc)
  return {
    reads: createPublicClient({ chain, transport, cacheTime: 0 }),
    wallet: createWalletClient({ chain, transport, account }),
  }
}

/** Deploys a contract that is larger than Ethereum's. Returns the height and the status. */
async function deployLarge(node: NodeProcess) {
  const { reads, wallet } = clientOf(node)
  const hash = await wallet.sendTransaction({ data: LARGE as `0x${string}`, gas: 10_000_000n })
  const { status, blockNumber } = await reads.waitForTransactionReceipt({ hash, pollingInterval: 50 })
  return [status, blockNumber]
}

test('viem uses a chain with an EVM chain id of its own, and its export begins a chain with the same rules', async () => {
  const home = join(scratch, 'home')
  const workers = ['--api-workers', '0', '--compute-workers', '0']
  const node = await startProcess(['--home', home, ...workers, ...CHOICES])
  expect([await clientOf(node).reads.getChainId(), node.config.evm_chain_id]).toEqual([424_242, 424_242])
  expect(await deployLarge(node)).toEqual(['success', 101n])
  await node.kill('SIGTERM')

  const program = resolve(import.meta.dirname, '../dist/almanac.cjs')
  const exported = execFileSync(process.execPath, [program, 'export', '--home', home], { encoding: 'utf8' })
  const document = JSON.parse(exported)
  expect(document.initial_height).toBe('102')
  expect(document.app_state.evm.chain_config).toMatchObject({
    chain_id: '424242',
    code_size_limit: 30_000,
    allow_unprotected_txs: true,
  })

  const file = join(scratch, 'genesis.json')
  writeFileSync(file, exported)
  await using again = await startProcess(['--home', join(scratch, 'again'), ...workers, '--genesis', file])
  expect(await deployLarge(again)).toEqual(['success', 103n])
  const wrong = await ask(again.config, 'eth_sendRawTransaction', [
    await privateKeyToAccount(again.config.accounts[1]!.private_key).signTransaction({
      type: 'eip1559',
      chainId: 6930,
      maxFeePerGas: 10n ** 13n,
      gas: 21_000n,
      to: again.config.accounts[0]!.address,
    }),
  ])
  expect(wrong.error?.message).toMatch(/chain id/)
})

test('a setting of the genesis document beside --genesis is refused with its flag', async () => {
  const flags = ['--home', join(scratch, 'beside'), '--genesis', join(scratch, 'genesis.json')]
  await expect(startProcess([...flags, '--evm-chain-id', '7'])).rejects.toThrow(
    '(--evm-chain-id) is for a new localnet',
  )
})
