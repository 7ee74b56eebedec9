/** Contracts at their usual addresses: they are what their creation makes on this chain, and they work. */
import { readFileSync } from 'node:fs'
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  custom,
  domainSeparator,
  encodeAbiParameters,
  getContractAddress,
  type Hex,
  keccak256,
  parseAbi,
  parseEther,
  parseTransaction,
  recoverTransactionAddress,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { type NodeConfig, startNode } from '../src/index.ts'

const CREATE_X = '0xba5Ed099633D3B313e4D5F7bdc1305d3c28ba5Ed'
const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
const ENTRY_POINT = '0x0000000071727De22E5E9d8BAf0edAc6f37da032'
const SENDER_CREATOR = '0xEFC2c1444eBCC4Db75e7613d20C6a62fF67A167C'
const ERC1820 = '0x1820a4B7618BdE71Dce8cdc73aAB6C95905faD24'
const BEACON_ROOTS = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02'

interface Creation {
  readonly transaction: Hex
  readonly deployer: Hex
  readonly salt: Hex
  readonly code: Hex
}

const creationOf = (name: string): Creation =>
  (
    JSON.parse(readFileSync(new URL(`../contracts/predeploys/${name}.json`, import.meta.url), 'utf8')) as {
      creation: Creation
    }
  ).creation

async function open(chain: NodeConfig['chain']) {
  const node = await startNode({ ports: false, chain: { unprotectedTxs: true, txGasLimit: false, ...chain } })
  const transport = custom(node.provider)
  const account = privateKeyToAccount(node.accounts[0]!.privateKey as Hex)
  return {
    node,
    account,
    reads: createPublicClient({ transport, cacheTime: 0 }),
    tools: createTestClient({ mode: 'anvil', transport }),
    wallet: createWalletClient({ transport, account }),
    [Symbol.asyncDispose]: () => node.stop(),
  }
}

test('a chain has them only if it is asked to, and they are what their creations make', async () => {
  await using plain = await open({})
  await using full = await open({ predeploys: true })
  for (const address of [CREATE_X, PERMIT2, ENTRY_POINT, SENDER_CREATOR, ERC1820] as const) {
    expect(await plain.reads.getCode({ address })).toBeUndefined()
  }
  for (const name of ['CreateX', 'ERC1820Registry']) {
    const { transaction } = creationOf(name)
    const from = await recoverTransactionAddress({ serializedTransaction: transaction as never })
    const { gasPrice } = parseTransaction(transaction)
    await plain.tools.setBalance({ address: from, value: parseEther('10') })
    await plain.node.rpc('anvil_setNextBlockBaseFeePerGas', gasPrice)
    const hash = await plain.reads.sendRawTransaction({ serializedTransaction: transaction })
    expect((await plain.reads.getTransactionReceipt({ hash })).status).toBe('success')
  }
  const { deployer, salt, code } = creationOf('EntryPoint')
  const hash = await plain.wallet.sendTransaction({
    to: deployer,
    data: `${salt}${code.slice(2)}`,
    gas: 20_000_000n,
    chain: null,
  })
  expect((await plain.reads.getTransactionReceipt({ hash })).status).toBe('success')
  for (const address of [CREATE_X, ERC1820, ENTRY_POINT, SENDER_CREATOR] as const) {
    const made = await plain.reads.getCode({ address })
    expect(made?.length).toBeGreaterThan(100)
    expect(await full.reads.getCode({ address })).toBe(made)
  }
  const guard = { address: ENTRY_POINT, slot: toHex(2) } as const
  expect(await full.reads.getStorageAt(guard)).toBe(await plain.reads.getStorageAt(guard))
})

test('they work', async () => {
  await using chain = await open({ predeploys: true, evmChainId: 31_337n })
  const { reads, wallet, account, node } = chain
  const separator = await reads.readContract({
    address: PERMIT2,
    abi: parseAbi(['function DOMAIN_SEPARATOR() view returns (bytes32)']),
    functionName: 'DOMAIN_SEPARATOR',
  })
  expect(separator).toBe(domainSeparator({ domain: { name: 'Permit2', chainId: 31_337, verifyingContract: PERMIT2 } }))
  const nonce = await reads.readContract({
    address: ENTRY_POINT,
    abi: parseAbi(['function getNonce(address, uint192) view returns (uint256)']),
    functionName: 'getNonce',
    args: [account.address, 5n],
  })
  expect(nonce).toBe(5n << 64n)
  const deployed = await reads.simulateContract({
    address: CREATE_X,
    abi: parseAbi(['function deployCreate(bytes) payable returns (address)']),
    functionName: 'deployCreate',
    args: ['0x60015ff3'],
    account: account.address,
  })
  // The first creation of a contract has nonce 1.
  expect(deployed.result).toBe(getContractAddress({ from: CREATE_X, nonce: 1n }))
  const label = keccak256(toHex('Example'))
  const registry = parseAbi([
    'function setManager(address, address)',
    'function getManager(address) view returns (address)',
    'function interfaceHash(string) pure returns (bytes32)',
  ])
  const read = { address: ERC1820, abi: registry } as const
  expect(await reads.readContract({ ...read, functionName: 'interfaceHash', args: ['Example'] })).toBe(label)
  await wallet.writeContract({ ...read, functionName: 'setManager', args: [account.address, CREATE_X], chain: null })
  expect(await reads.readContract({ ...read, functionName: 'getManager', args: [account.address] })).toBe(CREATE_X)
  await node.nextBlock()
  const { timestamp, parentBeaconBlockRoot } = await reads.getBlock()
  const ask = (time: bigint) =>
    reads.call({ to: BEACON_ROOTS, data: encodeAbiParameters([{ type: 'uint256' }], [time]) })
  expect((await ask(timestamp)).data).toBe(parentBeaconBlockRoot)
  await expect(ask(timestamp + 1000n)).rejects.toThrow('reverted')
})
