/** Verbs of anvil, as viem's test client and its users send them. */
import {
  createTestClient,
  custom,
  erc20Abi,
  type Hex,
  hashMessage,
  parseEther,
  publicActions,
  recoverMessageAddress,
  walletActions,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { startNode } from '../../src/index.ts'

const HOLDER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const SPENDER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const WNATIVE = '0x0cacf669f8446beca826913a3c6b96acd4b02a97'
const PROXY = '0x00000000000000000000000000000000000000ff'

async function open() {
  const node = await startNode({ ports: false, blocks: { time: 'manual' } })
  const client = createTestClient({ mode: 'anvil', transport: custom(node.provider), cacheTime: 0 })
    .extend(publicActions)
    .extend(walletActions)
  const rpc = <T = unknown>(method: string, ...params: readonly unknown[]) => node.rpc<T>(method, ...params)
  return { node, client, rpc, [Symbol.asyncDispose]: () => node.stop() }
}

const hex = (value: bigint): Hex => `0x${value.toString(16)}`

test('balances and allowances of a token and of a proxy of it are written where the token reads them', async () => {
  await using chain = await open()
  const { client, rpc } = chain
  // EIP-1167: the storage is that of the proxy.
  await client.setCode({
    address: PROXY,
    bytecode: `0x363d3d373d3d3d363d73${WNATIVE.slice(2)}5af43d82803e903d91602b57fd5bf3`,
  })
  const before = await client.getBlockNumber()
  for (const token of [WNATIVE, PROXY] as const) {
    const read = { address: token, abi: erc20Abi } as const
    const balance = () => client.readContract({ ...read, functionName: 'balanceOf', args: [HOLDER] })
    const allowance = () => client.readContract({ ...read, functionName: 'allowance', args: [HOLDER, SPENDER] })
    expect(await rpc('anvil_dealERC20', HOLDER, token, hex(parseEther('5')))).toBeNull()
    expect(await balance()).toBe(parseEther('5'))
    expect(await rpc('hardhat_dealERC20', HOLDER, token, hex(7n))).toBe(true)
    expect(await balance()).toBe(7n)
    await rpc('anvil_setERC20Balance', HOLDER, token, '0x0')
    expect(await balance()).toBe(0n)
    await rpc('anvil_setERC20Allowance', HOLDER, SPENDER, token, hex(2n ** 256n - 1n))
    expect(await allowance()).toBe(2n ** 256n - 1n)
  }
  expect(await client.getBlockNumber()).toBe(before)
  await expect(rpc('anvil_dealERC20', HOLDER, SPENDER, '0x1')).rejects.toMatchObject({
    code: -32000,
    message: 'Unable to set ERC20 balance, no slot found',
  })
  await expect(rpc('anvil_setERC20Allowance', HOLDER, SPENDER, HOLDER, '0x1')).rejects.toThrow('ERC20 allowance')
})

test('mine_detailed answers with the blocks, the outputs and the reasons of reverts', async () => {
  await using chain = await open()
  const { client, rpc } = chain
  const [from] = await client.getAddresses()
  const revert = `08c379a0${'20'.padStart(64, '0')}${'02'.padStart(64, '0')}${'6e6f'.padEnd(64, '0')}`
  // Returns the word 42.
  await client.setCode({ address: PROXY, bytecode: '0x602a60005260206000f3' })
  // CODECOPY of the revert data after 12 bytes of code, and REVERT.
  await client.setCode({ address: SPENDER, bytecode: `0x6064600c60003960646000fd${revert}` })
  await client.setAutomine(false)
  const good = await client.sendTransaction({ account: from!, chain: null, to: PROXY, gas: 100_000n })
  const bad = await client.sendTransaction({ account: from!, chain: null, to: SPENDER, gas: 100_000n })
  const before = await client.getBlockNumber()
  const blocks = await rpc<{ number: Hex; timestamp: Hex; transactions: Record<string, unknown>[] }[]>(
    'evm_mine_detailed',
    { blocks: 2 },
  )
  expect(blocks.map(({ number }) => BigInt(number))).toEqual([before + 1n, before + 2n])
  expect(blocks[0]!.transactions).toMatchObject([
    { hash: good, output: `0x${'2a'.padStart(64, '0')}` },
    { hash: bad, output: `0x${revert}`, revertReason: 'no' },
  ])
  expect(blocks[0]!.transactions[0]).not.toHaveProperty('revertReason')
  expect(blocks[1]!.transactions).toEqual([])
  const { timestamp } = await client.getBlock()
  const [last] = await rpc<{ timestamp: Hex }[]>('anvil_mine_detailed', { timestamp: Number(timestamp) + 500 })
  expect(BigInt(last!.timestamp)).toBe(timestamp + 500n)
  await expect(rpc('anvil_mine_detailed', { blocks: 1001 })).rejects.toThrow('limit of 1000')
})

test('a reorg replaces the newest blocks by others with the given transactions', async () => {
  await using chain = await open()
  const { node, client, rpc } = chain
  const [from] = await client.getAddresses()
  await client.setAutomine(true)
  const old = await client.sendTransaction({ account: from!, chain: null, to: HOLDER, value: 1n })
  await client.mine({ blocks: 3 })
  await client.setAutomine(false)
  const waits = await client.sendTransaction({ account: SPENDER, chain: null, to: HOLDER, value: 5n })
  const height = await client.getBlockNumber()
  const depth = height - (await client.getTransactionReceipt({ hash: old })).blockNumber + 1n
  const { hash: replaced } = await client.getBlock()
  const key = node.accounts.find(({ address }) => address.toLowerCase() === HOLDER.toLowerCase())!.privateKey
  const raw = await privateKeyToAccount(key as Hex).signTransaction({
    chainId: await client.getChainId(),
    nonce: 0,
    to: from!,
    value: 3n,
    gas: 21_000n,
    gasPrice: 10n ** 12n,
  })
  const before = await client.getBalance({ address: HOLDER, blockNumber: height - depth })
  await rpc('anvil_reorg', Number(depth), [
    [{ from, to: HOLDER, value: '0x9' }, 0],
    [raw, 2],
  ])
  expect(await client.getBlockNumber()).toBe(height)
  expect((await client.getBlock()).hash).not.toBe(replaced)
  await expect(client.getTransaction({ hash: old })).rejects.toThrow('could not be found')
  const counts: number[] = []
  for (let i = 1n; i <= depth; i++) {
    const { transactions } = await client.getBlock({ blockNumber: height - depth + i })
    counts.push(transactions.length)
  }
  expect(counts).toEqual([1, 0, 1, 0])
  expect(await client.getBalance({ address: HOLDER })).toBe(before + 9n - 3n - 21_000n * 10n ** 12n)
  // What waited before waits again, and mining is as it was.
  expect((await client.getTransaction({ hash: waits })).blockNumber).toBeNull()
  expect(await rpc('anvil_getAutomine')).toBe(false)

  await expect(rpc('anvil_reorg', 2, [[raw, 2]])).rejects.toThrow('block 2 is not one of the 2 new blocks')
  await expect(rpc('anvil_reorg', 1, [['0xzz', 0]])).rejects.toThrow('pair 0: the transaction is neither')
  await expect(rpc('anvil_reorg', 2000)).rejects.toThrow('limit of 1000')
  await expect(rpc('anvil_reorg', 900)).rejects.toThrow('cannot go back 900 blocks')
  await expect(rpc('anvil_reorg', 1, [[raw, 0]])).rejects.toThrow('the blocks were replaced without transaction 0')
  expect(await client.getBlockNumber()).toBe(height)
})

test('ECRECOVER returns the account of an impersonated signature, in calls and in blocks', async () => {
  await using chain = await open()
  const { client, rpc, node } = chain
  const signer = privateKeyToAccount(node.accounts[0]!.privateKey as Hex)
  const message = 'pay'
  const signature = await signer.signMessage({ message })
  expect(await recoverMessageAddress({ message, signature })).toBe(signer.address)
  const word = (text: string) => text.padStart(64, '0')
  const v = signature.slice(130)
  const input: Hex = `0x${hashMessage(message).slice(2)}${word(v)}${signature.slice(2, 130)}`
  const recovered = async () =>
    (await client.call({ to: '0x0000000000000000000000000000000000000001', data: input })).data
  expect(await recovered()).toBe(`0x${word(signer.address.slice(2).toLowerCase())}`)
  const snapshot = await client.snapshot()
  await rpc('anvil_impersonateSignature', [signature, SPENDER])
  expect(await recovered()).toBe(`0x${word(SPENDER.slice(2).toLowerCase())}`)
  // Stores what ECRECOVER answers to the data of the transaction in slot 0.
  await client.setCode({ address: PROXY, bytecode: '0x36600060003760206080608060006000600161fffff15060805160005500' })
  await client.sendTransaction({ account: signer.address, chain: null, to: PROXY, data: input, gas: 500_000n })
  await client.mine({ blocks: 1 })
  expect(await client.getStorageAt({ address: PROXY, slot: '0x0' })).toBe(`0x${word(SPENDER.slice(2).toLowerCase())}`)
  await client.revert({ id: snapshot })
  expect(await recovered()).toBe(`0x${word(signer.address.slice(2).toLowerCase())}`)
  await expect(rpc('anvil_impersonateSignature', '0x1234', SPENDER)).rejects.toThrow('signature has 2 bytes, not 65')
})

test('other verbs of anvil answer, or say why not', async () => {
  await using chain = await open()
  const { client, rpc } = chain
  expect(BigInt(await rpc<number>('anvil_getGenesisTime'))).toBe((await client.getBlock({ blockNumber: 0n })).timestamp)
  expect(await rpc('anvil_setChainId', await client.getChainId())).toBeNull()
  await expect(rpc('anvil_setChainId', 1)).rejects.toThrow('the chain id is fixed by genesis')
  await expect(rpc('anvil_enableTraces')).rejects.toThrow('debug_traceTransaction')
  await expect(rpc('anvil_getBlobByHash', `0x${'01'.repeat(32)}`)).rejects.toThrow(
    'blob transactions are not supported',
  )
})

test('a balance stays within 256 bits: a transfer beyond fails, and addBalance stops at the largest', async () => {
  await using chain = await open()
  const { node, client, rpc } = chain
  const [sender, recipient] = await client.getAddresses()
  const most = 2n ** 256n - 1n
  await rpc('anvil_setBalance', sender, hex(most))
  await rpc('anvil_addBalance', recipient, hex(most))
  expect(await client.getBalance({ address: recipient! })).toBe(most)
  const hash = await client.sendTransaction({ account: sender!, to: recipient!, value: 1n, gas: 21_000n, chain: null })
  await node.nextBlock()
  expect(await client.getTransactionReceipt({ hash })).toMatchObject({ status: 'reverted', gasUsed: 21_000n })
  expect(await client.getBalance({ address: recipient! })).toBe(most)
  await expect(client.call({ account: sender!, to: recipient!, value: 1n })).rejects.toThrow('exceeds 256 bits')
  await expect(rpc('anvil_setBalance', sender, hex(most + 1n))).rejects.toThrow('is not a count')
})

test('a clock that is set back answers with a quantity, and forgets the time of the next block; block times still grow', async () => {
  await using chain = await open()
  const { client, node, rpc } = chain
  const { timestamp } = await client.getBlock()
  await rpc('evm_setNextBlockTimestamp', timestamp + 5_000n)
  expect([await rpc('anvil_setTime', 1), await rpc('evm_increaseTime', 1)]).toEqual(['0x0', '0x0'])
  await node.nextBlock()
  const next = await client.getBlock()
  expect(next.timestamp).toBeGreaterThanOrEqual(timestamp)
  expect(next.timestamp).toBeLessThan(timestamp + 5_000n)
})
