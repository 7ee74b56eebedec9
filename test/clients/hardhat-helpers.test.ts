import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Contract, JsonRpcProvider, JsonRpcSigner } from 'ethers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startNode } from '../../src/index.ts'
import { rpc as call } from '../support/rpc.ts'

type Helpers = typeof import('@nomicfoundation/hardhat-network-helpers')
/** The plugin for a project: ethers with the network and the accounts of the project. */
type HardhatEthers = typeof import('ethers') & { getSigners(): Promise<JsonRpcSigner[]>; provider: JsonRpcProvider }

const require = createRequire(import.meta.url)
const NOBODY = '0x00000000000000000000000000000000000abcde'
const WHALE = '0x000000000000000000000000000000000000beef'

let node: Awaited<ReturnType<typeof startNode>>
let helpers: Helpers
let ethers: HardhatEthers
let folder: string

beforeAll(async () => {
  node = await startNode()
  folder = mkdtempSync(join(tmpdir(), 'almanac-hardhat-'))
  const config = join(folder, 'hardhat.config.js')
  const plugin = JSON.stringify(require.resolve('@nomicfoundation/hardhat-ethers'))
  const networks = JSON.stringify({ almanac: { url: node.urls.jsonrpc } })
  writeFileSync(config, `require(${plugin})\nmodule.exports = { networks: ${networks} }`)
  process.env['HARDHAT_CONFIG'] = config
  process.env['HARDHAT_NETWORK'] = 'almanac'
  helpers = require('@nomicfoundation/hardhat-network-helpers') as Helpers
  ;({ ethers } = require('hardhat') as { ethers: typeof ethers })
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await node.stop()
})
beforeEach(() => rpc('hardhat_reset'))

const rpc = <Result = unknown>(method: string, ...params: unknown[]): Promise<Result> => call(node, method, params)

const latest = () => rpc<Record<string, string>>('eth_getBlockByNumber', 'latest', false)
const send = (more: object = {}) =>
  rpc<string>('eth_sendTransaction', {
    from: node.accounts[0]!.address,
    to: NOBODY,
    value: '0x1',
    gas: '0x5208',
    ...more,
  })

test('mine and mineUpTo make the requested number of blocks, a second or more apart', async () => {
  const before = await helpers.time.latestBlock()
  await helpers.mine()
  await helpers.mine(5, { interval: 10 })
  expect(await helpers.time.latestBlock()).toBe(before + 6)
  const [last, one] = [
    await latest(),
    await rpc<Record<string, string>>('eth_getBlockByNumber', `0x${(before + 5).toString(16)}`, false),
  ]
  expect(Number(last['timestamp']) - Number(one['timestamp'])).toBe(10)
  await helpers.mineUpTo(before + 40)
  expect(await helpers.time.latestBlock()).toBe(before + 40)
})

test('the clock is increased and set', async () => {
  const start = await helpers.time.latest()
  expect(await helpers.time.increase(1000)).toBe(start + 1000)
  await helpers.time.increaseTo(start + 5000)
  expect(await helpers.time.latest()).toBe(start + 5000)
  await helpers.time.setNextBlockTimestamp(start + 9000)
  await send()
  expect(await helpers.time.latest()).toBe(start + 9000)
  await expect(helpers.time.setNextBlockTimestamp(start)).rejects.toThrow('lower than or equal to previous')
})

test('accounts are set', async () => {
  await helpers.setBalance(WHALE, 10n ** 18n)
  await helpers.setNonce(WHALE, 7)
  await helpers.setCode(NOBODY, '0x60005460005260206000f3')
  await helpers.setStorageAt(NOBODY, 0, 42)
  expect(BigInt(await rpc<string>('eth_getBalance', WHALE, 'latest'))).toBe(10n ** 18n)
  expect(await rpc('eth_getTransactionCount', WHALE, 'latest')).toBe('0x7')
  expect(await rpc('eth_call', { to: NOBODY }, 'latest')).toBe(`0x${'2a'.padStart(64, '0')}`)
  expect(BigInt(await helpers.getStorageAt(NOBODY, 0))).toBe(42n)
})

test('accounts are impersonated', async () => {
  await helpers.setBalance(WHALE, 10n ** 19n)
  await helpers.impersonateAccount(WHALE)
  const hash = await send({ from: WHALE })
  expect((await rpc<{ from: string }>('eth_getTransactionReceipt', hash)).from).toBe(WHALE)
  await helpers.stopImpersonatingAccount(WHALE)
  await expect(send({ from: WHALE })).rejects.toThrow('unknown account')
})

test('block fields are set', async () => {
  await helpers.setCoinbase(WHALE)
  await helpers.setBlockGasLimit(7_000_000)
  await helpers.setNextBlockBaseFeePerGas(5_000_000_000_000)
  await helpers.setPrevRandao(12345)
  await helpers.mine()
  const block = await latest()
  expect([
    block['miner'],
    Number(block['gasLimit']),
    Number(block['baseFeePerGas']),
    BigInt(block['mixHash']!),
  ]).toEqual([WHALE, 7_000_000, 5_000_000_000_000, 12345n])
  await helpers.mine()
  expect(BigInt((await latest())['mixHash']!)).not.toBe(12345n)
})

test('a pending transaction is dropped', async () => {
  await rpc('evm_setAutomine', false)
  const hash = await send()
  expect(await helpers.dropTransaction(hash)).toBe(true)
  expect(await helpers.dropTransaction(hash)).toBe(false)
  await helpers.mine()
  expect(await rpc('eth_getTransactionReceipt', hash)).toBe(null)
  await rpc('evm_setAutomine', true)
})

test('snapshots and fixtures restore the chain', async () => {
  const snapshot = await helpers.takeSnapshot()
  await helpers.setBalance(WHALE, 5)
  await snapshot.restore()
  expect(await rpc('eth_getBalance', WHALE, 'latest')).toBe('0x0')
  await helpers.setBalance(WHALE, 6)
  await snapshot.restore()
  expect(await rpc('eth_getBalance', WHALE, 'latest')).toBe('0x0')
  let runs = 0
  async function fixture() {
    runs++
    await helpers.setBalance(WHALE, 77)
    return 'made'
  }
  expect(await helpers.loadFixture(fixture)).toBe('made')
  await helpers.setBalance(WHALE, 78)
  expect(await helpers.loadFixture(fixture)).toBe('made')
  expect([runs, await rpc('eth_getBalance', WHALE, 'latest')]).toEqual([1, '0x4d'])
})

test('reset returns to genesis, and reports that forking is not supported', async () => {
  await send()
  await helpers.reset()
  expect(await rpc('eth_getBalance', NOBODY, 'latest')).toBe('0x0')
  await expect(helpers.reset('http://127.0.0.1:1', 3)).rejects.toThrow('forking is not supported')
})

test('a Hardhat project deploys, sends, reads events, gets a refusal, and returns to its fixture', async () => {
  const { abi, bytecode } = require('@openzeppelin/contracts/build/contracts/ERC20PresetFixedSupply.json')
  let deployments = 0
  async function token() {
    deployments++
    const [owner, guest] = await ethers.getSigners()
    const factory = new ethers.ContractFactory(abi, bytecode, owner)
    const contract = (await factory.deploy('Gold', 'GLD', 1_000n, owner!.address)) as unknown as Contract
    await contract.waitForDeployment()
    return { contract, owner: owner!, guest: guest! }
  }
  for (const amount of [5n, 7n]) {
    const { contract, owner, guest } = await helpers.loadFixture(token)
    expect(await contract['balanceOf']!(owner.address)).toBe(1_000n)
    const sent = await contract['transfer']!(guest.address, amount)
    const receipt = await sent.wait()
    expect(
      receipt.logs.map(({ fragment, args }: { fragment: { name: string }; args: unknown[] }) => [
        fragment.name,
        args[2],
      ]),
    ).toEqual([['Transfer', amount]])
    expect(await contract['balanceOf']!(guest.address)).toBe(amount)
    const asGuest = contract.connect(guest) as Contract
    await expect(asGuest['transfer']!(owner.address, 1_000n)).rejects.toThrow('transfer amount exceeds balance')
    expect(await contract['transfer']!.estimateGas(guest.address, 1n)).toBeGreaterThan(21_000n)
  }
  expect(deployments).toBe(1)
  expect(await ethers.provider.getBlockNumber()).toBe(await helpers.time.latestBlock())
})
