/** Two validators of the reference's profile under CometBFT 0.37, if it is there: the messages of the chain, kills and restarts. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPublicClient, createWalletClient, defineChain, http, parseGwei } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TEST_MNEMONIC } from '../../src/node/settings/chain.ts'
import type { Testnet, TestnetNode } from '../../src/node/testnet/manifest.ts'
import {
  almanac,
  askComet,
  ENGINE_037,
  hashesOf,
  heightOf,
  processesOf,
  type Running,
  reachHeight,
  startAlmanac,
  writeNetwork,
} from './processes.ts'

if (!ENGINE_037) {
  process.stderr.write('test/network/engine-037: skipped: no cometbft 0.37 on PATH, and none in ALMANAC_ENGINE_037\n')
}

const HOLDER = '0x00000000000000000000000000000000000000bb'
/** Creates a contract that returns 42. */
const CREATION = '0x600a600c600039600a6000f3602a60005260206000f3' as const

describe.skipIf(!ENGINE_037)('a network under CometBFT 0.37', () => {
  let network: ReturnType<typeof writeNetwork>
  let testnet: Testnet
  let operator: string
  const running = new Map<TestnetNode, Running>()

  const outputs = () => [...running.values()].map(({ output }) => output().slice(-3000)).join('\n')
  const reach = (node: TestnetNode, height: number) => reachHeight(node, height, outputs)
  const start = (node: TestnetNode) => running.set(node, startAlmanac('start', '--home', node.home, '--silent'))
  const keyring = () => ['--home', testnet.nodes[0]!.home, '--keyring-backend', 'test']

  /** Sends a message of the operator, and waits for its block. */
  function send(...args: string[]): { readonly code: number; readonly height: string } {
    const flags = ['--from', 'operator', '-y', '-o', 'json', '--gas-prices', '1unibi', '--timeout', '2m']
    return JSON.parse(almanac('tx', ...args, ...keyring(), ...flags))
  }

  async function ask<T>(path: string, { rest } = testnet.nodes[1]!): Promise<T> {
    return (await (await fetch(`${rest}${path}`)).json()) as T
  }

  /** Compares the hashes of state and results of all heights of both nodes. */
  async function compareHashes(): Promise<void> {
    const last = Math.min(...(await Promise.all(testnet.nodes.map(heightOf))))
    const [first, second] = await Promise.all(testnet.nodes.map((node) => hashesOf(node, 1, last)))
    expect(second).toEqual(first)
  }

  beforeAll(async () => {
    const flags = ['--validators', '2', '--profile', 'nibiru', '--block-time', '300ms']
    network = writeNetwork('--engine', ENGINE_037!, ...flags)
    testnet = network.testnet()
    const mnemonic = join(network.folder, 'mnemonic')
    writeFileSync(mnemonic, TEST_MNEMONIC)
    almanac('keys', 'add', 'operator', '--recover', '--mnemonic-file', mnemonic, ...keyring())
    operator = almanac('keys', 'show', 'operator', '-a', ...keyring()).trim()
    for (const node of testnet.nodes) start(node)
    for (const node of testnet.nodes) await reach(node, 2)
  })

  afterAll(async () => {
    for (const { child } of running.values()) child.kill('SIGTERM')
    await Promise.all([...running.values()].map(({ ended }) => ended))
    network?.remove()
  })

  test('status names the version of the engine', async () => {
    const status = await askComet<{ node_info: { version: string } }>(testnet.nodes[0]!, 'status')
    expect(status!.node_info.version).toMatch(/^0\.37\./)
  })

  test('transfers, contracts and FunTokens execute on both nodes', async () => {
    const { id, chain_id: name } = { id: testnet.evm_chain_id, chain_id: testnet.chain_id }
    const nativeCurrency = { name: 'native', symbol: 'N', decimals: 18 }
    const rpcUrls = { default: { http: [testnet.nodes[0]!.jsonrpc] } }
    const transport = http(testnet.nodes[0]!.jsonrpc)
    const chain = defineChain({ id, name, nativeCurrency, rpcUrls })
    const wallet = createWalletClient({ account: mnemonicToAccount(TEST_MNEMONIC), chain, transport })
    const reader = createPublicClient({ chain, transport, pollingInterval: 200 })
    const mined = (hash: `0x${string}`) => reader.waitForTransactionReceipt({ hash, timeout: 120_000 })
    const gasPrice = parseGwei('2000')
    expect((await mined(await wallet.sendTransaction({ to: HOLDER, value: 10n ** 12n, gasPrice }))).status).toBe(
      'success',
    )
    const { contractAddress } = await mined(await wallet.deployContract({ abi: [], bytecode: CREATION, gasPrice }))
    expect(BigInt((await reader.call({ to: contractAddress! })).data!)).toBe(42n)

    const denom = `tf/${operator}/gold`
    const metadata = join(network.folder, 'metadata.json')
    const units = [{ denom }, { denom: 'gold', exponent: 6 }]
    writeFileSync(
      metadata,
      JSON.stringify({ denom_units: units, base: denom, display: 'gold', name: 'Gold', symbol: 'GOLD' }),
    )
    const results = [
      send('tf', 'create-denom', 'gold'),
      send('tf', 'set-denom-metadata', metadata),
      send('tf', 'mint', `1000${denom}`, operator),
      send('evm', 'create-fun-token', '--from-bank-denom', denom),
      send('evm', 'convert-coin-to-evm', HOLDER, `500${denom}`),
    ]
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0])
    // The other node executes the same blocks a little later.
    const balances = async () =>
      (await ask<{ balances: unknown }>(`/cosmos/bank/v1beta1/balances/${operator}`)).balances
    await expect.poll(balances).toContainEqual({ denom, amount: '500' })
    await compareHashes()
  })

  test('two validators vote on prices, and the other node has those that they agree on', async () => {
    const rest = testnet.nodes[1]!.rest
    const mnemonic = join(network.folder, 'mnemonic')
    for (const index of ['0', '1']) {
      const derived = ['--recover', '--mnemonic-file', mnemonic, '--algo', 'eth_secp256k1', '--index', index]
      almanac('keys', 'add', `voter${index}`, ...derived, ...keyring())
    }
    const operators = ['0', '1'].map((index) =>
      almanac('keys', 'show', `voter${index}`, '-a', '--bech', 'val', ...keyring()).trim(),
    )
    const edited = join(network.folder, 'oracle.json')
    writeFileSync(edited, JSON.stringify({ vote_period: '5', whitelist: ['ubtc:uusd'] }))
    const flags = ['--from', 'voter0', '--gas-prices', '1unibi', ...keyring()]
    almanac('tx', 'oracle', 'edit-oracle-params', edited, '-y', '--timeout', '2m', ...flags)
    const voters = ['--validator', operators[0]!, '--validator', `${operators[1]}=voter1`]
    const feeder = startAlmanac('feeder', ...flags, ...voters, '--source', 'simulated:1')
    try {
      // The new period begins with the next one of 30 blocks, and a vote is revealed in the period after it.
      const rate = async () => {
        const answer = await fetch(`${rest}/nibiru/oracle/v1beta1/exchange_rate?pair=ubtc:uusd`)
        return Number(((await answer.json()) as { exchange_rate?: string }).exchange_rate ?? 0)
      }
      await expect.poll(rate, { timeout: 120_000, interval: 500 }).toBeGreaterThan(10_000)
    } finally {
      feeder.child.kill('SIGTERM')
      await feeder.ended
    }
    for (const operator of operators) expect(feeder.output()).toContain(`voted validator=${operator}`)
    await compareHashes()
  })

  test('a node that is killed with its engine, and one killed alone, take the chain up again', async () => {
    const [first, second] = testnet.nodes as [TestnetNode, TestnetNode]
    for (const [killed, other] of [
      [second, first],
      [first, second],
    ] as const) {
      const before = await heightOf(other)
      const pids = processesOf(killed)
      process.kill(pids.node, 'SIGKILL')
      if (killed === second) process.kill(pids.engine, 'SIGKILL')
      await running.get(killed)!.ended
      start(killed)
      await reach(killed, before + 5)
      await reach(other, before + 5)
    }
    await compareHashes()
    expect(send('bank', 'send', operator, '1unibi').code).toBe(0)
  })
})
