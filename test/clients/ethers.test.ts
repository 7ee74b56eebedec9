import { createRequire } from 'node:module'
import { type Contract, ContractFactory, JsonRpcProvider, parseEther, Wallet, WebSocketProvider } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startNode } from '../../src/index.ts'

const { abi, bytecode } = createRequire(import.meta.url)(
  '@openzeppelin/contracts/build/contracts/ERC20PresetFixedSupply.json',
)

let node: Awaited<ReturnType<typeof startNode>>
let provider: JsonRpcProvider
let wallet: Wallet

beforeAll(async () => {
  node = await startNode()
  provider = new JsonRpcProvider(node.urls.jsonrpc, undefined, { pollingInterval: 50, cacheTimeout: -1 })
  wallet = new Wallet(node.accounts[0]!.privateKey, provider)
})
afterAll(async () => {
  provider.destroy()
  await node.stop()
})

test('ethers reads the network, the fees and the accounts', async () => {
  expect((await provider.getNetwork()).chainId).toBe(BigInt(node.evmChainId))
  const fees = await provider.getFeeData()
  expect(fees.gasPrice! >= 1_000_000_000_000n).toBe(true)
  expect(await provider.listAccounts()).toHaveLength(10)
})

test('ethers deploys, estimates, sends, and finds the event in the logs', async () => {
  const token = (await new ContractFactory(abi, bytecode, wallet).deploy(
    'Gold',
    'GLD',
    1000n,
    wallet.address,
  )) as Contract
  await token.waitForDeployment()
  const to = node.accounts[1]!.address
  const estimate = await token.getFunction('transfer').estimateGas(to, 5n)
  const sent = await token.getFunction('transfer')(to, 5n)
  const receipt = await sent.wait()
  expect(receipt.status).toBe(1)
  expect(receipt.gasUsed <= estimate).toBe(true)
  expect(await token.getFunction('balanceOf')(to)).toBe(5n)
  const events = await token.queryFilter('Transfer', receipt.blockNumber, receipt.blockNumber)
  expect(events).toHaveLength(1)
})

test('ethers reports why a transaction is refused', async () => {
  const poor = Wallet.createRandom().connect(provider)
  const raw = await poor.signTransaction({
    to: wallet.address,
    value: 1n,
    gasLimit: 21_000n,
    gasPrice: 1_000_000_000_000n,
    nonce: 0,
    chainId: node.evmChainId,
  })
  await expect(provider.broadcastTransaction(raw)).rejects.toMatchObject({ code: 'INSUFFICIENT_FUNDS' })
  const sent = await wallet.sendTransaction({ to: poor.address, value: parseEther('1') })
  await sent.wait()
  const stale = await wallet.signTransaction({
    to: poor.address,
    gasLimit: 21_000n,
    gasPrice: 1_000_000_000_000n,
    nonce: 0,
    chainId: node.evmChainId,
  })
  await expect(provider.broadcastTransaction(stale)).rejects.toMatchObject({ code: 'NONCE_EXPIRED' })
})

test('ethers tells a sender that cannot pay from code that fails, before anything is signed', async () => {
  const poor = Wallet.createRandom().connect(provider)
  const [to, value] = [wallet.address, parseEther('1')]
  const far = parseEther('9000000')
  const unsent: Record<string, () => Promise<unknown>> = {
    'a send of a wallet': () => poor.sendTransaction({ to, value }),
    'a send by the node': async () => (await provider.getSigner(1)).sendTransaction({ to, value: far }),
    'an estimate': () => provider.estimateGas({ from: poor.address, to, value }),
  }
  for (const [what, run] of Object.entries(unsent)) {
    await expect(run(), what).rejects.toMatchObject({ code: 'INSUFFICIENT_FUNDS' })
  }
  // Ethers has one error for all failures of a call. The text is geth's, with the address and both amounts.
  await expect(provider.call({ from: poor.address, to, value: 5n })).rejects.toMatchObject({
    info: {
      error: { message: `insufficient funds for gas * price + value: address ${poor.address} have 0 want 5` },
    },
  })
  expect(await provider.estimateGas({ from: wallet.address, to, value })).toBe(21_000n)
})

test('ethers receives new blocks over a WebSocket', async () => {
  const socket = new WebSocketProvider(node.urls.ws)
  const heights: number[] = []
  await socket.on('block', (height: number) => heights.push(height))
  // ethers does not report when its subscription begins.
  const send = async () => (await wallet.sendTransaction({ to: wallet.address })).wait()
  await expect.poll(() => send().then(() => heights.length)).toBeGreaterThan(0)
  await socket.destroy()
})
