import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createPublicClient,
  createTestClient,
  type Hex,
  parseEther,
  parseGwei,
  recoverTransactionAddress,
  serializeTransaction,
  webSocket,
} from 'viem'
import { ipc } from 'viem/node'
import { afterAll, expect, test } from 'vitest'
import { clientsOf, runDev, startDev } from './support/dev.ts'
import { DEV_WITH_BANNER, startProcess } from './support/process.ts'
import { rpc } from './support/rpc.ts'

const scratch = mkdtempSync(join(tmpdir(), 'almanac-dev-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const NOBODY = '0x00000000000000000000000000000000000abcde'
const WHALE = '0x000000000000000000000000000000000000beef'
const CREATE2_DEPLOYER = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

test('a client with settings for anvil sends a transaction, and gets the receipt at once', async () => {
  await using node = await startDev()
  const { reads, wallet } = clientsOf(node)
  expect(await reads.getChainId()).toBe(31_337)
  expect(node.config.accounts.filter(({ path }) => path.startsWith("m/44'/60'"))).toHaveLength(10)
  const hash = await wallet.sendTransaction({ to: NOBODY, value: parseEther('3') })
  const { status, blockNumber } = await reads.getTransactionReceipt({ hash })
  expect([status, blockNumber, await reads.getBalance({ address: NOBODY })]).toEqual(['success', 2n, parseEther('3')])
  expect(await reads.getCode({ address: CREATE2_DEPLOYER })).toMatch(/^0x7fff/)
})

test('JSON-RPC answers over HTTP and WebSocket on one port, and the other protocols on theirs', async () => {
  await using node = await startDev()
  const { jsonrpc, ws, rest, comet } = node.config.urls
  expect(new URL(ws).port).toBe(new URL(jsonrpc).port)
  const client = createPublicClient({ transport: webSocket(ws) })
  expect(await client.getChainId()).toBe(31_337)
  await (await client.transport.getRpcClient()).close()
  expect((await fetch(`${rest}/chain/evm/v1/params`)).status).toBe(200)
  const { result } = (await (await fetch(`${comet}/status`)).json()) as { result: { node_info: { network: string } } }
  expect(result.node_info.network).toBe('almanac-localnet-1')
})

test('a port in use ends the start with the flag of this command', async () => {
  await using node = await startDev()
  const { port } = new URL(node.config.urls.jsonrpc)
  // API workers open the ports in their own processes.
  for (const more of [[], ['--api-workers', '1']]) {
    const { code, err } = await runDev('--port', port, ...more)
    expect([code, err]).toEqual([1, expect.stringContaining(`:${port}: the port is taken.`)])
    expect(err).toContain('or set jsonrpc.port (--port).')
  }
})

test('a transaction behind a nonce gap is answered at once with its hash', async () => {
  await using node = await startDev()
  const { reads, wallet, account } = clientsOf(node)
  const hash = await wallet.sendTransaction({ to: NOBODY, value: 1n, nonce: 2, gas: 21_000n })
  expect(await reads.getTransaction({ hash })).toMatchObject({ nonce: 2, blockNumber: null })
  for (const nonce of [0, 1]) await wallet.sendTransaction({ to: NOBODY, value: 1n, nonce, gas: 21_000n })
  await expect.poll(() => reads.getTransactionCount({ address: account.address })).toBe(3)
})

test('a known keyless deployment at 100 gwei is accepted', async () => {
  await using node = await startDev()
  const { reads, tools } = clientsOf(node)
  const word: Hex = `0x${'22'.repeat(32)}`
  const deployment = serializeTransaction(
    { type: 'legacy', gasPrice: parseGwei('100'), gas: 100_000n, data: '0x60015ff3', nonce: 0 },
    { r: word, s: word, v: 27n },
  )
  const sender = await recoverTransactionAddress({ serializedTransaction: deployment })
  await tools.setBalance({ address: sender, value: parseEther('1') })
  const hash = await reads.sendRawTransaction({ serializedTransaction: deployment })
  const { contractAddress, status } = await reads.getTransactionReceipt({ hash })
  expect([status, await reads.getCode({ address: contractAddress! })]).toEqual(['success', '0x00'])
})

test('accounts have the given number, balance, mnemonic and path', async () => {
  const mnemonic = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
  const flags = ['--accounts', '3', '--balance', '77', '-m', mnemonic, '--derivation-path', "m/44'/60'/5'/0/"]
  await using node = await startDev(...flags)
  const { reads, account } = clientsOf(node, mnemonic, { accountIndex: 5 })
  const own = node.config.accounts.slice(0, 3).map(({ address, path }) => [address, path])
  expect(own[0]).toEqual([account.address, "m/44'/60'/5'/0/0"])
  expect(node.config.accounts).toHaveLength(6)
  expect(await reads.getBalance({ address: account.address })).toBe(parseEther('77'))
})

test('a seed gives the accounts that it gives in anvil, and a random mnemonic new ones', async () => {
  await using seeded = await startDev('--mnemonic-seed-unsafe', '42')
  expect(seeded.config.mnemonic).toBe('pen brief eager pepper brass detect problem vital physical tent assume damp')
  await using random = await startDev('--mnemonic-random', '24')
  expect(random.config.mnemonic.split(' ')).toHaveLength(24)
  await using other = await startDev('--mnemonic-random')
  expect(other.config.mnemonic.split(' ')).toHaveLength(12)
  const { reads, account } = clientsOf(other)
  expect(await reads.getBalance({ address: account.address })).toBe(parseEther('1000000'))
})

test('the chain has the given chain id, fork, gas limit, base fee, first block and time', async () => {
  const flags = ['--chain-id', '1', '--hardfork', 'cancun', '--gas-limit', '12345678', '--base-fee', '7']
  await using node = await startDev(...flags, '--number', '500', '--timestamp', '1700000000')
  const { reads, tools } = clientsOf(node)
  const first = await reads.getBlock()
  expect([first.number, first.gasLimit, first.baseFeePerGas]).toEqual([500n, 12_345_678n, 7n])
  expect(await reads.getChainId()).toBe(1)
  expect(Number(first.timestamp) - 1_700_000_000).toBeOneOf([0, 1])
  await tools.mine({ blocks: 1 })
  const second = await reads.getBlock()
  expect(second.baseFeePerGas).toBe(7n)
  expect(Number(second.timestamp) - 1_700_000_000).toBeLessThan(100)
  const { hardFork } = await rpc<{ hardFork: string }>(node.config, 'anvil_nodeInfo')
  expect(hardFork).toBe('Cancun')
  await tools.reset()
  await tools.mine({ blocks: 1 })
  expect(await reads.getBlock()).toMatchObject({ number: 501n, baseFeePerGas: 7n })
})

test('a lowest gas price is suggested, and lower ones are refused', async () => {
  await using node = await startDev('--gas-price', '5000000000', '--disable-min-priority-fee')
  const { reads, wallet } = clientsOf(node)
  expect(await reads.getGasPrice()).toBe(5_000_000_000n)
  await expect(wallet.sendTransaction({ to: NOBODY, gasPrice: 4_999_999_999n })).rejects.toThrow()
  await wallet.sendTransaction({ to: NOBODY, gasPrice: 5_000_000_000n })
})

/** Init code that returns as many zeros as the size says. */
const zeros = (size: number): Hex => `0x62${size.toString(16).padStart(6, '0')}5ff3`

test('contracts have the size that the flags allow, and transactions more gas than Osaka allows', async () => {
  const sizes = async (...flags: readonly string[]) => {
    await using node = await startDev(...flags)
    const { reads, wallet } = clientsOf(node)
    const deploy = async (size: number) => {
      const hash = await wallet.sendTransaction({ data: zeros(size), gas: 40_000_000n })
      return (await reads.getTransactionReceipt({ hash })).status
    }
    return [await deploy(24_576), await deploy(30_000), await deploy(60_000)]
  }
  expect(await sizes()).toEqual(['success', 'reverted', 'reverted'])
  expect(await sizes('--code-size-limit', '30000')).toEqual(['success', 'success', 'reverted'])
  expect(await sizes('--disable-code-size-limit')).toEqual(['success', 'success', 'success'])
  await expect(sizes('--tx-gas-limit')).rejects.toThrow('transaction gas limit too high')
})

test('a block without a gas limit takes more gas than one with it', async () => {
  await using node = await startDev('--disable-block-gas-limit')
  const { reads, wallet } = clientsOf(node)
  const hash = await wallet.sendTransaction({ to: NOBODY, gas: 200_000_000n })
  expect((await reads.getTransactionReceipt({ hash })).status).toBe('success')
})

test('impersonation is on from the start, and after a reset', async () => {
  await using node = await startDev('--auto-impersonate')
  const { tools, reads, wallet } = clientsOf(node)
  for (const round of [1n, 1n]) {
    await tools.setBalance({ address: WHALE, value: parseEther('2') })
    await wallet.sendTransaction({ account: WHALE, to: NOBODY, value: round, gas: 21_000n })
    expect(await reads.getBalance({ address: NOBODY })).toBe(round)
    await tools.reset()
  }
})

test('the CREATE2 deployer can be left out', async () => {
  await using node = await startDev('--no-create2')
  expect(await clientsOf(node).reads.getCode({ address: CREATE2_DEPLOYER })).toBeUndefined()
})

test('browsers call from the origins that are allowed', async () => {
  const allowed = async (...flags: readonly string[]) => {
    await using node = await startDev(...flags)
    const { headers } = await fetch(node.config.urls.jsonrpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'https://dapp.example' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' }),
    })
    return headers.get('access-control-allow-origin')
  }
  expect(await allowed()).toBe('*')
  expect(await allowed('--allow-origin', 'https://dapp.example')).toBe('https://dapp.example')
  expect(await allowed('--allow-origin', 'https://other.example')).toBeNull()
  expect(await allowed('--no-cors')).toBeNull()
})

test('requests are of any size without the limit', async () => {
  const send = async (...flags: readonly string[]) => {
    await using node = await startDev(...flags)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'web3_sha3', params: [`0x${'00'.repeat(3_000_000)}`] })
    const headers = { 'content-type': 'application/json' }
    return (await fetch(node.config.urls.jsonrpc, { method: 'POST', headers, body })).status
  }
  expect([await send(), await send('--no-request-size-limit')]).toEqual([413, 200])
})

test('JSON-RPC is served at the path of an IPC socket', async () => {
  const path = join(scratch, 'dev.ipc')
  await using node = await startDev('--ipc', path)
  const client = createPublicClient({ transport: ipc(path) })
  expect([await client.getChainId(), node.config.urls]).toEqual([31_337, expect.objectContaining({ ipc: path })])
  ;(await client.transport.getRpcClient()).close()
  await node.kill('SIGINT')
  expect(existsSync(path)).toBe(false)
})

test('IPC beside API workers has the development methods and the pool', async () => {
  const path = join(scratch, 'workers.ipc')
  await using node = await startDev('--ipc', path, '--api-workers', '1')
  const client = createTestClient({ mode: 'anvil', transport: ipc(path) })
  await client.setBalance({ address: WHALE, value: 5n })
  const { reads, wallet } = clientsOf(node)
  expect(await reads.getBalance({ address: WHALE })).toBe(5n)
  const hash = await wallet.sendTransaction({ to: NOBODY, value: 1n, nonce: 1, gas: 21_000n })
  expect(await client.getTxpoolContent()).toMatchObject({ queued: { [wallet.account.address]: { 1: { hash } } } })
  ;(await client.transport.getRpcClient()).close()
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends the process cleanly', async (signal) => {
  await using node = await startDev()
  await node.kill(signal)
  expect([await node.ended, node.stderr()]).toEqual([0, expect.stringContaining('stopping')])
})

test('the chain stays in a home, which refuses what is for its beginning', async () => {
  const home = join(scratch, 'home')
  const node = await startDev('--home', home)
  const { wallet } = clientsOf(node)
  await wallet.sendTransaction({ to: NOBODY, value: 5n })
  await node.kill('SIGTERM')
  await using again = await startDev('--home', home)
  expect(await clientsOf(again).reads.getBalance({ address: NOBODY })).toBe(5n)
  expect(await clientsOf(again).reads.getGasPrice()).toBe(1_000_000_000n)
  await again.kill('SIGTERM')
  const refused = await runDev('--home', home, '--base-fee', '5', '--port', '0')
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringContaining('--block-base-fee-per-gas is for a new chain'),
  ])
  expect((await runDev('--home', home, '--chain-id', '5')).err).toContain('began with chain.evm_chain_id = 31337')
})

test('the banner has what tools read from that of anvil, and --config-out its fields', async () => {
  const node = await startProcess(['--accounts', '2', '--timestamp', '1700000000'], { command: DEV_WITH_BANNER })
  const banner = node.stdout()
  const port = new URL(node.config.urls.jsonrpc).port
  const lines = [
    'Available Accounts\n==================\n',
    '(0) 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 (1000000 native)',
    'Private Keys\n==================\n',
    '(1) 0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d\n',
    'Mnemonic:          test test test test test test test test test test test junk\n',
    'Chain ID\n==================\n\n31337',
    'Base Fee\n==================\n\n1000000000\n',
    'Gas Limit\n==================\n\n60000000\n',
    'Genesis Timestamp\n==================\n\n1700000000\n',
    `Console            ${node.config.urls.rest}/\n`,
    `REST               ${node.config.urls.rest}\n`,
  ]
  for (const line of lines) expect(banner).toContain(line)
  expect(banner.trimEnd().split('\n').at(-1)).toBe(`Listening on 127.0.0.1:${port}`)
  expect(node.config).toMatchObject({
    available_accounts: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'],
    private_keys: expect.arrayContaining(['0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80']),
    wallet: { derivation_path: "m/44'/60'/0'/0/" },
    base_fee: '1000000000',
    gas_price: '1000000000',
    gas_limit: '60000000',
    genesis_timestamp: '1700000000',
  })
  await node.kill('SIGTERM')
})

test('nothing is printed with --quiet, and JSON with --json', async () => {
  const command = DEV_WITH_BANNER
  const quiet = await startProcess(['--quiet'], { command })
  await quiet.kill('SIGTERM')
  expect([quiet.stdout(), quiet.stderr()]).toEqual(['', ''])
  const json = await startProcess(['--json'], { command })
  await json.kill('SIGTERM')
  const records = json
    .stderr()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { message: string })
  expect([json.stdout(), records.map(({ message }) => message)]).toEqual(['', ['started', 'stopping']])
})
