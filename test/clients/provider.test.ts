/** `node.provider` as libraries of wallets use it, without a port. */
import { createRequire } from 'node:module'
import { BrowserProvider, Contract, ContractFactory, isCallException, verifyTypedData } from 'ethers'
import {
  type Abi,
  type BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createTestClient,
  createWalletClient,
  custom,
  type Hex,
  parseEther,
  recoverTypedDataAddress,
} from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startNode } from '../../src/index.ts'

// A published ERC-20 of OpenZeppelin 4.9.
const artifact = createRequire(import.meta.url)('@openzeppelin/contracts/build/contracts/ERC20PresetFixedSupply.json')
const { abi, bytecode } = artifact as { readonly abi: Abi; readonly bytecode: Hex }
const RECIPIENT = '0x00000000000000000000000000000000000000aa'
const TYPED = {
  domain: { name: 'test', chainId: 6930 },
  types: { Note: [{ name: 'text', type: 'string' }] },
  message: { text: 'hello' },
}

const open = () => startNode({ ports: false })
let node: Awaited<ReturnType<typeof open>>

beforeAll(async () => {
  node = await open()
})
afterAll(() => node.stop())

/** Collects the results of a subscription, until the returned function is called. */
async function collect(...params: readonly unknown[]) {
  const results: unknown[] = []
  const subscription = await node.rpc<string>('eth_subscribe', ...params)
  node.provider.on('message', ({ data }) => {
    if (data.subscription === subscription) results.push(data.result)
  })
  return { results, end: () => node.rpc('eth_unsubscribe', subscription) }
}

test('viem deploys, reads, signs and gets the reason of a revert', async () => {
  const transport = custom(node.provider)
  const client = createPublicClient({ transport, pollingInterval: 20 })
  const account = node.accounts[0]!.address
  const wallet = createWalletClient({ account, transport })
  const heads = await collect('newHeads')
  const logs = await collect('logs', {})
  const args = ['Gold', 'GLD', 1000n, account]
  const hash = await wallet.deployContract({ abi, bytecode, args, chain: null })
  const { contractAddress: address, blockNumber } = await client.waitForTransactionReceipt({ hash })
  expect(await client.readContract({ abi, address: address!, functionName: 'balanceOf', args: [account] })).toBe(1000n)

  const transfer = { abi, address: address!, functionName: 'transfer', account } as const
  const failure = await client.simulateContract({ ...transfer, args: [RECIPIENT, 1001n] }).catch((error) => error)
  const revert = (failure as BaseError).walk((error) => error instanceof ContractFunctionRevertedError)
  expect((revert as ContractFunctionRevertedError).reason).toBe('ERC20: transfer amount exceeds balance')

  // The transfer at deployment, from the zero address.
  await expect.poll(() => heads.results.length).toBe(1)
  await expect.poll(() => logs.results.length).toBe(1)
  expect(heads.results).toMatchObject([{ number: `0x${blockNumber.toString(16)}` }])
  expect(logs.results).toMatchObject([{ address, transactionHash: hash }])
  await heads.end()
  await logs.end()

  const signature = await wallet.signTypedData({ ...TYPED, primaryType: 'Note' })
  expect(await recoverTypedDataAddress({ ...TYPED, primaryType: 'Note', signature })).toBe(account)
})

test('the test client of viem changes balances and returns to a snapshot', async () => {
  const client = createTestClient({ mode: 'anvil', transport: custom(node.provider) })
  const before = await node.rpc('eth_getBalance', RECIPIENT, 'latest')
  const id = await client.snapshot()
  await client.setBalance({ address: RECIPIENT, value: parseEther('3') })
  expect(await node.rpc('eth_getBalance', RECIPIENT, 'latest')).toBe('0x29a2241af62c0000')
  await client.revert({ id })
  expect(await node.rpc('eth_getBalance', RECIPIENT, 'latest')).toBe(before)
})

test('viem and ethers watch blocks', async () => {
  const client = createPublicClient({ transport: custom(node.provider), pollingInterval: 20 })
  const provider = new BrowserProvider(node.provider, undefined, { pollingInterval: 20 })
  const viemSaw: bigint[] = []
  const ethersSaw: number[] = []
  const unwatch = client.watchBlockNumber({ onBlockNumber: (number) => viemSaw.push(number) })
  await provider.on('block', (number: number) => ethersSaw.push(number))
  await expect.poll(() => viemSaw.length).toBeGreaterThan(0)
  const height = await node.nextBlock()
  await expect.poll(() => viemSaw).toContain(height)
  await expect.poll(() => ethersSaw).toContain(Number(height))
  unwatch()
  provider.destroy()
})

test('ethers deploys, hears an event, signs and gets the reason of a revert', async () => {
  const provider = new BrowserProvider(node.provider, undefined, { pollingInterval: 20 })
  const signer = await provider.getSigner(1)
  const owner = node.accounts[1]!.address
  expect(signer.address).toBe(owner)
  const args = ['Gold', 'GLD', 1000n, owner]
  const deployed = await new ContractFactory(abi as never, bytecode, signer).deploy(...args)
  await deployed.waitForDeployment()
  const token = new Contract(await deployed.getAddress(), abi as never, signer)
  const heard = new Promise((resolve) => void token.on('Transfer', (from, to, value) => resolve([from, to, value])))
  const sent = await token['transfer']!(RECIPIENT, 5n)
  expect((await sent.wait()).status).toBe(1)
  expect(await heard).toEqual([owner, '0x00000000000000000000000000000000000000AA', 5n])
  const failure = await token['transfer']!.staticCall(RECIPIENT, 1001n).catch((error: unknown) => error)
  expect(isCallException(failure)).toBe(true)
  expect(failure).toMatchObject({ reason: 'ERC20: transfer amount exceeds balance' })
  const signature = await signer.signTypedData(TYPED.domain, TYPED.types, TYPED.message)
  expect(verifyTypedData(TYPED.domain, TYPED.types, TYPED.message, signature)).toBe(owner)
  await token.removeAllListeners()
  provider.destroy()
})
