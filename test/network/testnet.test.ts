/** Four validators with the real engine, if it is there: transfers through all, one killed, two added, all stopped. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DirectSecp256k1HdWallet } from '@cosmjs/proto-signing'
import { coins, GasPrice, SigningStargateClient } from '@cosmjs/stargate'
import { Comet38Client, HttpClient } from '@cosmjs/tendermint-rpc'
import { createPublicClient, createWalletClient, defineChain, type Hash, http, parseGwei } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { diskFiles } from '../../src/node/files.ts'
import { isAlive } from '../../src/node/lock.ts'
import { readRunFile } from '../../src/node/run-file.ts'
import { TEST_MNEMONIC } from '../../src/node/settings/chain.ts'
import type { Testnet, TestnetNode } from '../../src/node/testnet/manifest.ts'
import {
  almanac,
  askComet,
  ENGINE,
  hashesOf,
  heightOf,
  NO_ENGINE,
  processesOf,
  type Running,
  reachHeight,
  startAlmanac,
  writeNetwork,
} from './processes.ts'

if (!ENGINE) process.stderr.write(`test/network: ${NO_ENGINE}\n`)

const RECEIVER = '0x00000000000000000000000000000000000000bb'
const VALUE = 10n ** 12n
const SNAPSHOT_INTERVAL = 20
const SNAPSHOTS = ['--snapshot-interval', String(SNAPSHOT_INTERVAL)]

describe.skipIf(!ENGINE)('a network of four validators', () => {
  let network: ReturnType<typeof writeNetwork>
  let testnet: Testnet
  let supervisor: Running
  const others: Running[] = []
  const sent: Hash[] = []

  beforeAll(async () => {
    network = writeNetwork('--validators', '4', '--block-time', '300ms', ...SNAPSHOTS)
    testnet = network.testnet()
    supervisor = startAlmanac('testnet', 'start', network.folder, '--json')
    for (const node of testnet.nodes) await reach(node, 2)
  })

  afterAll(async () => {
    // A killed node leaves its engine behind, which still writes: a stop ends both.
    for (const { child } of others) child.kill('SIGTERM')
    await Promise.all(others.map(({ ended }) => ended))
    supervisor?.child.kill('SIGKILL')
    network?.remove()
  })

  const reach = (node: TestnetNode, height: number) => reachHeight(node, height, supervisor.output)

  const chain = () =>
    defineChain({
      id: testnet.evm_chain_id,
      name: testnet.chain_id,
      nativeCurrency: { name: 'native', symbol: 'N', decimals: 18 },
      rpcUrls: { default: { http: [testnet.nodes[0]!.jsonrpc] } },
    })
  const reader = ({ jsonrpc }: TestnetNode) =>
    createPublicClient({ chain: chain(), transport: http(jsonrpc), pollingInterval: 200 })

  /** Sends a transfer of an account through a node. */
  async function transfer({ jsonrpc }: TestnetNode, account: number, nonce: number): Promise<Hash> {
    const wallet = createWalletClient({
      account: mnemonicToAccount(TEST_MNEMONIC, { addressIndex: account }),
      chain: chain(),
      transport: http(jsonrpc),
    })
    const hash = await wallet.sendTransaction({
      to: RECEIVER,
      value: VALUE,
      nonce,
      gas: 21_000n,
      gasPrice: parseGwei('2000'),
    })
    sent.push(hash)
    return hash
  }

  const mined = (node: TestnetNode, hash: Hash) => reader(node).waitForTransactionReceipt({ hash, timeout: 60_000 })

  /** Compares the hashes of all heights from the first one on. Returns the last height. */
  async function compareHashes(nodes: readonly TestnetNode[], first = 1): Promise<number> {
    const last = Math.min(...(await Promise.all(nodes.map(heightOf))))
    const [own, ...rest] = await Promise.all(nodes.map((node) => hashesOf(node, first, last)))
    for (const other of rest) expect(other).toEqual(own)
    return last
  }

  test('transfers through every node are seen by every other', async () => {
    const { nodes } = testnet
    const hashes = await Promise.all(
      nodes.map(async (node, i) => {
        const own: Hash[] = []
        for (let nonce = 0; nonce < 5; nonce++) own.push(await transfer(node, i, nonce))
        return own
      }),
    )
    for (const [i, own] of hashes.entries()) {
      for (const hash of own) expect((await mined(nodes[(i + 1) % 4]!, hash)).status).toBe('success')
    }
    const height = await heightOf(nodes[0]!)
    for (const node of nodes) await reach(node, height)
    for (const node of nodes) expect(await reader(node).getBalance({ address: RECEIVER })).toBe(20n * VALUE)
  })

  test('a transaction that reaches another node before its predecessor is served', async () => {
    const [first, , , last] = testnet.nodes
    const later = await transfer(last!, 5, 1)
    const earlier = await transfer(first!, 5, 0)
    expect((await mined(first!, later)).status).toBe('success')
    expect((await mined(last!, earlier)).status).toBe('success')
    // The last nonce first, each through another node than the one before.
    const hashes: Hash[] = []
    for (let nonce = 9; nonce >= 2; nonce--) hashes.push(await transfer(testnet.nodes[nonce % 4]!, 5, nonce))
    for (const hash of hashes) expect((await mined(first!, hash)).status).toBe('success')
  })

  test('CosmJS reads consensus facts of the engine and searches our index through our port', async () => {
    const node = testnet.nodes[3]!
    // A client over HTTP alone: that of a URL with a WebSocket stays open.
    const comet = Comet38Client.create(new HttpClient(node.comet))
    const { nodeInfo, syncInfo, validatorInfo } = await comet.status()
    expect(nodeInfo.version).toMatch(/^0\.38\./)
    expect(nodeInfo.moniker).toBe('node3')
    expect(syncInfo.catchingUp).toBe(false)
    expect(validatorInfo.votingPower).toBe(1000n)
    const height = syncInfo.latestBlockHeight - 1
    const { commit, header } = await comet.commit(height)
    expect(commit.signatures).toHaveLength(4)
    expect(commit.blockId.hash).toEqual((await comet.block(height)).blockId.hash)
    expect((await comet.validatorsAll(height)).total).toBe(4)
    expect(header.lastBlockId!.parts.total).toBeGreaterThan(0)
    const wallet = await DirectSecp256k1HdWallet.fromMnemonic(TEST_MNEMONIC, { prefix: 'chain' })
    const [from] = await wallet.getAccounts()
    const signer = await SigningStargateClient.createWithSigner(comet, wallet, {
      gasPrice: GasPrice.fromString('0.025unative'),
      broadcastPollIntervalMs: 200,
    })
    const { code, transactionHash } = await signer.sendTokens(from!.address, from!.address, coins(1, 'unative'), 'auto')
    expect(code).toBe(0)
    const { txs } = await comet.txSearch({ query: `tx.hash='${transactionHash}'` })
    expect(txs).toHaveLength(1)
    expect((await askComet<{ n_peers: string }>(node, 'net_info'))!.n_peers).toBe('3')
    // The engine keeps no index of its own.
    const engineRpc = `http://127.0.0.1:${Number(new URL(node.comet).port) + 2}`
    const own = (await (await fetch(`${engineRpc}/status`)).json()) as { result: { node_info: { other: object } } }
    expect(own.result.node_info.other).toMatchObject({ tx_index: 'off' })
    const state = await askComet<{ round_state: { proposer: { address: string } } }>(node, 'consensus_state')
    expect(state!.round_state.proposer.address).toMatch(/^[0-9A-F]{40}$/)
    // The block over REST has the signatures that the engine has.
    const rest = (await (await fetch(`${node.rest}/sdk/base/tendermint/v1beta1/blocks/${height}`)).json()) as {
      readonly block: { readonly header: { readonly last_commit_hash: string } }
    }
    expect(Buffer.from(rest.block.header.last_commit_hash, 'base64')).toEqual(Buffer.from(header.lastCommitHash))
  })

  test('the network goes on without a killed node, which catches up', async () => {
    const [first, killed] = testnet.nodes
    const pids = processesOf(killed!)
    const before = await heightOf(first!)
    const acknowledged = await transfer(killed!, 6, 0)
    process.kill(pids.node, 'SIGKILL')
    process.kill(pids.engine, 'SIGKILL')
    await expect.poll(supervisor.output).toContain('node1 ended with SIGKILL')
    await reach(first!, before + 5)
    const restarted = startAlmanac('start', '--home', killed!.home, '--silent')
    others.push(restarted)
    expect((await mined(first!, acknowledged)).status).toBe('success')
    expect((await mined(first!, await transfer(first!, 6, 1))).status).toBe('success')
    await reach(killed!, await heightOf(first!))
    // Killed alone, with an engine that lives on and holds the lock of its home.
    process.kill(processesOf(killed!).node, 'SIGKILL')
    await restarted.ended
    others.push(startAlmanac('start', '--home', killed!.home, '--silent'))
    await reach(killed!, (await heightOf(first!)) + 2)
    expect(await compareHashes(testnet.nodes)).toBeGreaterThan(before)
    for (const hash of sent) expect((await reader(killed!).getTransactionReceipt({ hash })).status).toBe('success')
  })

  test('one added node executes all blocks, another begins at a snapshot', async () => {
    const [first] = testnet.nodes
    // A light client needs the two blocks after a snapshot.
    await reach(first!, SNAPSHOT_INTERVAL + 3)
    almanac('testnet', 'add', network.folder)
    almanac('testnet', 'add', network.folder, '--state-sync')
    testnet = network.testnet()
    const [full, synced] = testnet.nodes.slice(4)
    for (const { home } of [full!, synced!]) others.push(startAlmanac('start', '--home', home, '--silent'))
    await reach(full!, await heightOf(first!))
    await reach(synced!, await heightOf(first!))
    await compareHashes([first!, full!])
    const status = await askComet<{ sync_info: { earliest_block_height: string } }>(synced!, 'status')
    const earliest = Number(status!.sync_info.earliest_block_height)
    expect(earliest % SNAPSHOT_INTERVAL).toBe(1)
    expect(await compareHashes([first!, synced!], earliest)).toBeGreaterThan(earliest)
    const hash = await transfer(synced!, 7, 0)
    expect((await mined(first!, hash)).status).toBe('success')
  })

  test('a snapshot that peers offer is fetched to disk, and a replica begins with it', async () => {
    const [first, second] = testnet.nodes
    const folder = join(network.folder, 'fetched')
    const peers = [first!.peer, second!.peer].join(',')
    almanac(
      'snapshot',
      'fetch',
      folder,
      '--peers',
      peers,
      '--rpc',
      first!.comet,
      '--engine',
      ENGINE!,
      '--timeout',
      '120',
    )
    const [height] = readdirSync(folder).map(Number)
    expect(height! % SNAPSHOT_INTERVAL).toBe(0)
    const home = join(network.folder, 'replica')
    const ports = ['rest', 'jsonrpc', 'jsonrpc-ws', 'grpc', 'comet'].flatMap((name) => [`--${name}-port`, '0'])
    others.push(
      startAlmanac('follow', '--home', home, '--snapshot', folder, '--from', first!.comet, '--silent', ...ports),
    )
    const urls = await vi.waitFor(
      () => {
        const found = readRunFile(home, diskFiles)
        if (!found) throw new Error('the replica does not serve yet')
        return found
      },
      { timeout: 60_000, interval: 200 },
    )
    const replica = { ...first!, home, comet: urls.comet! }
    await reach(replica, await heightOf(first!))
    const status = await askComet<{ sync_info: { earliest_block_height: string } }>(replica, 'status')
    expect(Number(status!.sync_info.earliest_block_height)).toBe(height! + 1)
    expect(await compareHashes([first!, replica], height! + 1)).toBeGreaterThan(height!)
  })

  test('Ctrl-C stops the nodes with their engines', async () => {
    const running = [0, 2, 3].flatMap((i) => Object.values(processesOf(testnet.nodes[i]!)))
    expect(running.every((pid) => pid > 0)).toBe(true)
    supervisor.child.kill('SIGINT')
    expect(await supervisor.ended).toBe(0)
    for (const pid of running) expect(isAlive(pid)).toBe(false)
  })
})
