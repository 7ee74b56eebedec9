import { createRequire } from 'node:module'
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  http,
  parseAbiItem,
  parseEther,
  parseEventLogs,
  webSocket,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ClientNode, startClientNode } from '../support/client-node.ts'

const artifact = createRequire(import.meta.url)('@openzeppelin/contracts/build/contracts/ERC20PresetFixedSupply.json')
const { abi, bytecode } = artifact

let node: ClientNode
let clients: ReturnType<typeof connect>

function connect(running: typeof node) {
  const chain = defineChain({
    id: running.evmChainId,
    name: running.chainId,
    nativeCurrency: { name: 'native', symbol: 'NATIVE', decimals: 18 },
    rpcUrls: { default: { http: [running.urls.jsonrpc], webSocket: [running.urls.ws] } },
  })
  const account = privateKeyToAccount(running.accounts[0]!.privateKey)
  return {
    chain,
    account,
    wallet: createWalletClient({ account, chain, transport: http() }),
    client: createPublicClient({ chain, transport: http(), pollingInterval: 50 }),
    socket: createPublicClient({ chain, transport: webSocket() }),
  }
}

beforeAll(async () => {
  node = await startClientNode()
  clients = connect(node)
})
afterAll(async () => {
  const rpc = await clients.socket.transport.getRpcClient()
  rpc.close()
  await node.stop()
})

const rest = async (path: string) => (await fetch(node.urls.rest + path)).json() as Promise<Record<string, unknown>>
const addressOf = (index: number) => node.accounts[index]!.address

async function deployToken(supply: bigint) {
  const { wallet, client, account } = clients
  const hash = await wallet.deployContract({ abi, bytecode, args: ['Gold', 'GLD', supply, account.address] })
  const receipt = await client.waitForTransactionReceipt({ hash })
  expect(receipt.status).toBe('success')
  return receipt.contractAddress!
}

test('a published ERC-20 deploys and moves, and JSON-RPC and REST agree on every balance', async () => {
  const { wallet, client } = clients
  const token = await deployToken(1_000n)
  const hash = await wallet.writeContract({ address: token, abi, functionName: 'transfer', args: [addressOf(1), 420n] })
  const receipt = await client.waitForTransactionReceipt({ hash })
  const [transfer] = parseEventLogs({ abi, logs: receipt.logs, eventName: 'Transfer' }) as unknown as [
    { args: { value: bigint } },
  ]
  expect(transfer.args.value).toBe(420n)
  expect(await client.readContract({ address: token, abi, functionName: 'balanceOf', args: [addressOf(1)] })).toBe(420n)
  const { erc20 } = await rest(`/chain/evm/v1/balances/${addressOf(1)}?token=${token}`)
  expect(erc20).toMatchObject({ symbol: 'GLD', decimals: 18, balance_base: '420' })
})

test('a transfer is visible from the height of its block on', async () => {
  const { wallet, client } = clients
  const to = addressOf(2)
  const before = await client.getBalance({ address: to })
  const hash = await wallet.sendTransaction({ to, value: parseEther('2.5') })
  const { blockNumber } = await client.waitForTransactionReceipt({ hash })
  expect(await client.getBalance({ address: to, blockNumber })).toBe(before + parseEther('2.5'))
  expect(await client.getBalance({ address: to, blockNumber: blockNumber - 1n })).toBe(before)
})

test('the fee of a receipt is the fee that the sender paid', async () => {
  const { wallet, client, account } = clients
  const before = await client.getBalance({ address: account.address })
  const hash = await wallet.sendTransaction({ to: addressOf(3), value: 1n })
  const { gasUsed, effectiveGasPrice } = await client.waitForTransactionReceipt({ hash })
  expect(gasUsed).toBe(21_000n)
  expect(await client.getBalance({ address: account.address })).toBe(before - 1n - gasUsed * effectiveGasPrice)
})

test('a revert reaches the caller with its reason', async () => {
  const { client, account } = clients
  const token = await deployToken(10n)
  const call = client.simulateContract({
    account,
    address: token,
    abi,
    functionName: 'transfer',
    args: [addressOf(1), 11n],
  })
  await expect(call).rejects.toThrow('ERC20: transfer amount exceeds balance')
})

test('a call for another chain is refused as in geth', async () => {
  const { client, account } = clients
  const ask = (method: 'eth_call' | 'eth_estimateGas', chainId: `0x${string}`) =>
    client.request({ method, params: [{ from: account.address, to: account.address, chainId }] })
  for (const method of ['eth_call', 'eth_estimateGas'] as const) {
    await expect(ask(method, '0x1')).rejects.toThrow("chainId does not match node's (have=1, want=6930)")
    expect(await ask(method, '0x1b12')).toMatch(/^0x/)
  }
})

test('legacy, access-list and dynamic-fee transactions are accepted', async () => {
  const { wallet, client } = clients
  const gasPrice = await client.getGasPrice()
  const to = addressOf(4)
  for (const [request, type] of [
    [{ gasPrice, type: 'legacy' }, 'legacy'],
    [{ gasPrice, type: 'eip2930', accessList: [{ address: to, storageKeys: [] }] }, 'eip2930'],
    [{ type: 'eip1559' }, 'eip1559'],
  ] as const) {
    const hash = await wallet.sendTransaction({ to, value: 1n, ...request })
    const receipt = await client.waitForTransactionReceipt({ hash })
    expect([receipt.status, receipt.type]).toEqual(['success', type])
  }
})

test('a set-code transaction delegates an account to the code of a contract', async () => {
  const { wallet, client, account, chain } = clients
  const token = await deployToken(1n)
  const delegate = privateKeyToAccount(node.accounts[5]!.privateKey)
  const authorization = await createWalletClient({ account: delegate, chain, transport: http() }).signAuthorization({
    contractAddress: token,
  })
  const hash = await wallet.sendTransaction({ to: account.address, authorizationList: [authorization] })
  expect((await client.waitForTransactionReceipt({ hash })).status).toBe('success')
  expect(await client.getCode({ address: delegate.address })).toBe(`0xef0100${token.slice(2).toLowerCase()}`)
})

test('a subscription receives blocks and the logs of one contract', async () => {
  const { socket, wallet } = clients
  const token = await deployToken(100n)
  const heads: bigint[] = []
  const logs: unknown[] = []
  const stopHeads = socket.watchBlockNumber({ onBlockNumber: (height) => heads.push(height) })
  const stopLogs = socket.watchEvent({
    address: token,
    event: parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)'),
    onLogs: (found) => logs.push(...found),
  })
  // Subscriptions do not report when they begin.
  const heard = async () => {
    await wallet.writeContract({ address: token, abi, functionName: 'transfer', args: [addressOf(1), 7n] })
    return heads.length > 0 && logs.length > 0
  }
  await expect.poll(heard).toBe(true)
  expect(logs[0]).toMatchObject({ address: token.toLowerCase(), args: { value: 7n } })
  stopHeads()
  stopLogs()
})

test('sixteen senders in parallel lose no transaction', async () => {
  const { client, chain } = clients
  const to = '0x000000000000000000000000000000000000dEaD'
  const rounds = 5
  const senders = node.accounts
    .slice(0, 10)
    .map(({ privateKey }) => createWalletClient({ account: privateKeyToAccount(privateKey), chain, transport: http() }))
  const first = await client.getTransactionCount({ address: clients.account.address, blockTag: 'pending' })
  const funded = await Promise.all(
    Array.from({ length: 6 }, async (_, i) => {
      const account = privateKeyToAccount(`0x${(i + 1).toString(16).padStart(64, '0')}`)
      const hash = await senders[0]!.sendTransaction({
        to: account.address,
        value: parseEther('1'),
        nonce: first + i,
      })
      await client.waitForTransactionReceipt({ hash })
      return createWalletClient({ account, chain, transport: http() })
    }),
  )
  const before = await client.getBalance({ address: to })
  await Promise.all(
    [...senders, ...funded].map(async (wallet) => {
      for (let i = 0; i < rounds; i++) {
        const hash = await wallet.sendTransaction({ to, value: 1n })
        expect((await client.waitForTransactionReceipt({ hash })).status).toBe('success')
      }
    }),
  )
  expect(await client.getBalance({ address: to })).toBe(before + BigInt(16 * rounds))
})
