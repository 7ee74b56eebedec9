import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Hex,
  keccak256,
  parseGwei,
  recoverTransactionAddress,
  serializeTransaction,
  type TransactionSerialized,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { type NodeConfig, startNode } from './start.ts'

const start = (chain: NodeConfig['chain']) => startNode({ ports: false, ...(chain && { chain }) })
/** A contract without code but its size: init code that returns zeros. */
const zeros = (size: number): Hex => `0x62${size.toString(16).padStart(6, '0')}5ff3`

interface Receipt {
  readonly status: Hex
  readonly contractAddress: Hex
}

test('the EVM chain id of a new chain is the one of its settings', async () => {
  await using node = await start({ evmChainId: 424_242n })
  expect(node.evmChainId).toBe(424_242)
  expect(await node.rpc('eth_chainId')).toBe('0x67932')
  const signer = privateKeyToAccount(node.accounts[0]!.privateKey)
  const transfer = { to: node.accounts[1]!.address, value: 1n, gas: 21_000n, maxFeePerGas: 10n ** 13n, nonce: 0 }
  const other = await signer.signTransaction({ ...transfer, type: 'eip1559', chainId: 6930 })
  await expect(node.rpc('eth_sendRawTransaction', other)).rejects.toThrow(/chain id/)
  const own = await signer.signTransaction({ ...transfer, type: 'eip1559', chainId: 424_242 })
  const hash = await node.rpc<Hex>('eth_sendRawTransaction', own)
  expect(await node.rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
})

test('accounts derive at the given path, and a text that is no path is refused', async () => {
  await using node = await start({ derivationPath: "m/44'/1'/7'/0", accounts: 2 })
  expect(node.accounts.map(({ path }) => path)).toEqual([
    "m/44'/1'/7'/0/0",
    "m/44'/1'/7'/0/1",
    "m/44'/118'/0'/0/0",
    "m/44'/118'/0'/0/1",
  ])
  for (const { address } of node.accounts) {
    expect(BigInt(await node.rpc<Hex>('eth_getBalance', address, 'latest'))).toBeGreaterThan(10n ** 18n)
  }
  expect(await node.rpc('eth_accounts')).toEqual(node.accounts.slice(0, 2).map(({ address }) => address.toLowerCase()))
  for (const path of ['m', '44/60', "m/44'/60h", "m/2147483648'", 'm//0', "m/44'/60'/0'/0/"]) {
    await expect(start({ derivationPath: path }), path).rejects.toThrow(`(--derivation-path) is "${path}"`)
  }
})

test('a chain id that is a number is refused with the setting that was meant', async () => {
  for (const id of ['31337', '0x7a69']) {
    await expect(start({ id })).rejects.toThrow(`chain.id is "${id}": the chain id is a text`)
    await expect(start({ id })).rejects.toThrow(`--evm-chain-id ${id}`)
  }
})

test('the first block has the initial height, and earlier ones do not exist', async () => {
  await using node = await start({ initialHeight: 100n })
  expect([node.height, await node.nextBlock()]).toEqual([100n, 101n])
  expect(await node.rpc('eth_getBlockByNumber', '0x64', false)).toMatchObject({ number: '0x64' })
  expect(await node.rpc('eth_getBlockByNumber', '0x63', false)).toBeNull()
  expect(await node.rpc('eth_getBlockByNumber', 'earliest', false)).toMatchObject({ number: '0x64' })
  const address = node.accounts[0]!.address
  expect(await node.rpc('eth_getBalance', address, '0x64')).toBe(await node.rpc('eth_getBalance', address, 'latest'))
  await node.rpc('anvil_reset')
  expect(node.height).toBe(100n)
})

test('a contract can be as large as the limit, and no larger', async () => {
  await using node = await start({ codeSizeLimit: 30_000, txGasLimit: false })
  const from = node.accounts[0]!.address
  const deploy = async (size: number) => {
    const hash = await node.rpc<Hex>('eth_sendTransaction', { from, data: zeros(size), gas: '0x1c9c380' })
    return node.rpc<Receipt>('eth_getTransactionReceipt', hash)
  }
  const { status, contractAddress } = await deploy(30_000)
  expect(status).toBe('0x1')
  expect(await node.rpc<Hex>('eth_getCode', contractAddress, 'latest')).toHaveLength(2 + 2 * 30_000)
  expect((await deploy(30_001)).status).toBe('0x0')
  await using usual = await start({ txGasLimit: false })
  const call = (size: number) => usual.rpc<Hex>('eth_call', { from, data: zeros(size) }, 'latest')
  expect(await call(24_576)).toHaveLength(2 + 2 * 24_576)
  await expect(call(24_577)).rejects.toThrow('max code size exceeded')
})

test('the gas limit of a transaction is that of Osaka, unless the chain does without', async () => {
  const send = async (txGasLimit: boolean) => {
    await using node = await start({ txGasLimit })
    const [from, to] = node.accounts
    const transfer = { from: from!.address, to: to!.address, gas: '0x1312d00' }
    return await node.rpc<Hex>('eth_sendTransaction', transfer)
  }
  await expect(send(true)).rejects.toThrow('transaction gas limit too high')
  expect(await send(false)).toMatch(/^0x[0-9a-f]{64}$/)
})

/** Returns a deployment whose signature was chosen rather than made, so that its sender has no key, and that sender. */
async function keylessDeployment(): Promise<{ raw: TransactionSerialized<'legacy'>; sender: Hex }> {
  const unsigned = { type: 'legacy', gasPrice: parseGwei('100'), gas: 100_000n, data: zeros(3), nonce: 0 } as const
  const word: Hex = `0x${'22'.repeat(32)}`
  const raw = serializeTransaction(unsigned, { r: word, s: word, v: 27n })
  return { raw, sender: await recoverTransactionAddress({ serializedTransaction: raw }) }
}

test('a keyless deployment from before EIP-155 is accepted where the chain accepts unprotected transactions', async () => {
  const { raw, sender } = await keylessDeployment()
  const deploy = async (unprotectedTxs: boolean) => {
    await using node = await start({ unprotectedTxs })
    await node.rpc('anvil_setNextBlockBaseFeePerGas', parseGwei('1'))
    await node.rpc('anvil_setBalance', sender, 10n ** 16n)
    const hash = await node.rpc<Hex>('eth_sendRawTransaction', raw)
    expect(hash).toBe(keccak256(raw))
    const { status, contractAddress } = await node.rpc<Receipt>('eth_getTransactionReceipt', hash)
    return [status, await node.rpc('eth_getCode', contractAddress, 'latest')]
  }
  expect(await deploy(true)).toEqual(['0x1', '0x000000'])
  await expect(deploy(false)).rejects.toThrow('only replay-protected (EIP-155) transactions allowed over RPC')
})

test('a home keeps the choices of its chain, and refuses others', async () => {
  const home = mkdtempSync(join(tmpdir(), 'almanac-'))
  const chain = { evmChainId: 77n, initialHeight: 5n, codeSizeLimit: 30_000 }
  const first = await startNode({ home, ports: false, chain })
  await first.stop()
  await using again = await startNode({ home, ports: false })
  expect([again.evmChainId, again.height]).toEqual([77, 5n])
  await again.stop()
  await expect(startNode({ home, ports: false, chain: { evmChainId: 78n } })).rejects.toThrow(
    'began with chain.evm_chain_id = 77',
  )
  rmSync(home, { recursive: true })
})
