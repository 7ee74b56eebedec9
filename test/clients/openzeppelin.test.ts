/** OpenZeppelin's published builds with ethers: tokens of every kind, proxies, and a timelock. */
import { createRequire } from 'node:module'
import { AbiCoder, Contract, ContractFactory, type InterfaceAbi, id, JsonRpcProvider, Wallet, ZeroHash } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startNode } from '../../src/index.ts'

const require = createRequire(import.meta.url)
const build = (name: string) =>
  require(`@openzeppelin/contracts/build/contracts/${name}.json`) as { abi: InterfaceAbi; bytecode: string }

let node: Awaited<ReturnType<typeof startNode>>
let provider: JsonRpcProvider
let wallet: Wallet
let other: Wallet

beforeAll(async () => {
  node = await startNode()
  provider = new JsonRpcProvider(node.urls.jsonrpc, undefined, { pollingInterval: 50, cacheTimeout: -1 })
  wallet = new Wallet(node.accounts[0]!.privateKey, provider)
  other = new Wallet(node.accounts[1]!.privateKey, provider)
})
afterAll(async () => {
  provider.destroy()
  await node.stop()
})

async function deploy(name: string, args: unknown[]): Promise<Contract> {
  const { abi, bytecode } = build(name)
  const deployed = (await new ContractFactory(abi, bytecode, wallet).deploy(...args)) as Contract
  await deployed.waitForDeployment()
  return deployed
}

/** Sends a call and waits for its block. */
async function send(contract: Contract, name: string, ...args: unknown[]) {
  const receipt = await (await contract.getFunction(name)(...args)).wait()
  expect(receipt.status).toBe(1)
  return receipt
}

const read = (contract: Contract, name: string, ...args: unknown[]) => contract.getFunction(name)(...args)
const as = (contract: Contract, signer: Wallet) => contract.connect(signer) as Contract

test('an ERC-20 mints, lends, burns, pauses, and its refusals have reasons', async () => {
  const token = await deploy('ERC20PresetMinterPauser', ['Gold', 'GLD'])
  await send(token, 'mint', wallet.address, 1000n)
  await send(token, 'approve', other.address, 300n)
  await send(as(token, other), 'transferFrom', wallet.address, other.address, 200n)
  await send(as(token, other), 'burn', 50n)
  expect([await read(token, 'totalSupply'), await read(token, 'allowance', wallet.address, other.address)]).toEqual([
    950n,
    100n,
  ])
  await send(token, 'pause')
  await expect(token.getFunction('transfer')(other.address, 1n)).rejects.toThrow(
    'ERC20Pausable: token transfer while paused',
  )
})

test('an ERC-721 numbers its tokens and transfers them to contracts that accept them', async () => {
  const token = await deploy('ERC721PresetMinterPauserAutoId', ['Deeds', 'DEED', 'https://deeds.invalid/'])
  const holder = await deploy('ERC721Holder', [])
  const plain = await deploy('ERC20PresetMinterPauser', ['Gold', 'GLD'])
  for (let i = 0; i < 3; i++) await send(token, 'mint', wallet.address)
  expect(await read(token, 'tokenURI', 2n)).toBe('https://deeds.invalid/2')
  const safely = 'safeTransferFrom(address,address,uint256)'
  await send(token, safely, wallet.address, await holder.getAddress(), 1n)
  expect(await read(token, 'ownerOf', 1n)).toBe(await holder.getAddress())
  expect([
    await read(token, 'balanceOf', wallet.address),
    await read(token, 'tokenOfOwnerByIndex', wallet.address, 1n),
  ]).toEqual([2n, 2n])
  await expect(token.getFunction(safely)(wallet.address, await plain.getAddress(), 0n)).rejects.toThrow(
    'ERC721: transfer to non ERC721Receiver implementer',
  )
})

test('an ERC-1155 transfers several kinds in one batch', async () => {
  const token = await deploy('ERC1155PresetMinterPauser', ['https://items.invalid/{id}'])
  await send(token, 'mintBatch', wallet.address, [1n, 2n, 3n], [10n, 20n, 30n], '0x')
  const { logs } = await send(token, 'safeBatchTransferFrom', wallet.address, other.address, [1n, 3n], [4n, 30n], '0x')
  expect(logs).toHaveLength(1)
  const balances = await read(token, 'balanceOfBatch', [wallet.address, other.address, other.address], [1n, 1n, 3n])
  expect([...balances]).toEqual([6n, 4n, 30n])
  const event = (await token.queryFilter('TransferBatch', logs[0]!.blockNumber, logs[0]!.blockNumber))[0]!
  expect('args' in event && [...event.args.getValue('ids')]).toEqual([1n, 3n])
})

/** Slots of EIP-1967. */
const IMPLEMENTATION = `0x${(BigInt(id('eip1967.proxy.implementation')) - 1n).toString(16)}`

test('a transparent proxy keeps its state when its implementation changes', async () => {
  const first = await deploy('ERC20', ['Ignored', 'IGN'])
  const second = await deploy('ERC20PresetFixedSupply', ['Ignored', 'IGN', 0n, wallet.address])
  const admin = await deploy('ProxyAdmin', [])
  const proxy = await deploy('TransparentUpgradeableProxy', [await first.getAddress(), await admin.getAddress(), '0x'])
  const address = await proxy.getAddress()
  const slot = async () => `0x${(await provider.getStorage(address, IMPLEMENTATION)).slice(26)}`
  expect(await slot()).toBe((await first.getAddress()).toLowerCase())
  const token = new Contract(address, build('ERC20PresetFixedSupply').abi, wallet)
  await send(token, 'approve', other.address, 77n)
  await expect(token.getFunction('burn')(0n)).rejects.toThrow()
  await send(admin, 'upgrade', address, await second.getAddress())
  expect(await slot()).toBe((await second.getAddress()).toLowerCase())
  await send(token, 'burn', 0n)
  expect(await read(token, 'allowance', wallet.address, other.address)).toBe(77n)
  expect(await read(first, 'allowance', wallet.address, other.address)).toBe(0n)
})

test('a beacon changes the implementation of all that follow it', async () => {
  const first = await deploy('ERC20', ['A', 'A'])
  const second = await deploy('ERC20PresetMinterPauser', ['B', 'B'])
  const beacon = await deploy('UpgradeableBeacon', [await first.getAddress()])
  const proxies: Contract[] = []
  for (let i = 0; i < 2; i++) proxies.push(await deploy('BeaconProxy', [await beacon.getAddress(), '0x']))
  const paused = async () =>
    Promise.all(
      proxies.map(async (proxy) =>
        new Contract(await proxy.getAddress(), build('Pausable').abi, provider).getFunction('paused')(),
      ),
    )
  await expect(paused()).rejects.toThrow()
  await send(beacon, 'upgradeTo', await second.getAddress())
  expect(await paused()).toEqual([false, false])
})

test('a timelock delays a call until its time', async () => {
  const token = await deploy('ERC20PresetMinterPauser', ['Gold', 'GLD'])
  const timelock = await deploy('TimelockController', [60n, [wallet.address], [wallet.address], wallet.address])
  const keeper = await timelock.getAddress()
  await send(token, 'mint', keeper, 500n)
  const target = await token.getAddress()
  const data = token.interface.encodeFunctionData('transfer', [other.address, 400n])
  const operation = [target, 0n, data, ZeroHash, ZeroHash]
  const scheduled = await send(timelock, 'schedule', ...operation, 60n)
  const hash = await read(timelock, 'hashOperation', ...operation)
  const { timestamp } = (await provider.getBlock(scheduled.blockNumber))!
  expect(await read(timelock, 'getTimestamp', hash)).toBe(BigInt(timestamp) + 60n)
  await expect(timelock.getFunction('execute')(...operation)).rejects.toThrow(
    'TimelockController: operation is not ready',
  )
  await provider.send('evm_increaseTime', [60])
  await provider.send('evm_mine', [])
  await send(timelock, 'execute', ...operation)
  expect([await read(token, 'balanceOf', other.address), await read(timelock, 'isOperationDone', hash)]).toEqual([
    400n,
    true,
  ])
})

test('a minimal clone runs the code of its target with its own storage', async () => {
  const implementation = await deploy('ERC20', ['Code', 'CODE'])
  const target = (await implementation.getAddress()).slice(2).toLowerCase()
  // EIP-1167, with its ten bytes of creation code.
  const bytecode = `0x3d602d80600a3d3981f3363d3d373d3d3d363d73${target}5af43d82803e903d91602b57fd5bf3`
  const clone = (await new ContractFactory(
    build('ERC20').abi.slice(1) as InterfaceAbi,
    bytecode,
    wallet,
  ).deploy()) as Contract
  await clone.waitForDeployment()
  expect([await read(clone, 'totalSupply'), await read(clone, 'name'), await read(implementation, 'name')]).toEqual([
    0n,
    '',
    'Code',
  ])
  expect(await provider.getCode(await clone.getAddress())).toBe(`0x${bytecode.slice(22)}`)
  expect(
    AbiCoder.defaultAbiCoder().decode(
      ['uint8'],
      await provider.call({ to: await clone.getAddress(), data: '0x313ce567' }),
    )[0],
  ).toBe(18n)
})
