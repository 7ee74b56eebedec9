import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { GenesisDocument } from '../../app/types.ts'
import { openChain } from '../chain.ts'
import { resolveConfig } from '../config.ts'
import { parseConfigFile } from '../config-file.ts'
import { diskFiles } from '../files.ts'
import { openSnapshotFolder } from '../snapshots/folder.ts'
import { unwind } from '../unwind.ts'
import { readTestnet, writeTestnet } from './manifest.ts'
import { type Layout, parseLayout } from './places.ts'
import { addToNetwork, writeNetwork } from './write.ts'

const world = { files: diskFiles, clock: () => Date.UTC(2026, 0, 1) }
const PORTS: Layout = { kind: 'ports', basePort: 30_000 }

let scratch: string
let folder: string

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'almanac-testnet-'))
  folder = join(scratch, 'net')
})

afterEach(() => {
  rmSync(scratch, { recursive: true, force: true })
})

function write(flags: Record<string, unknown> = {}, layout: Layout = PORTS) {
  return writeNetwork({ folder, layout, resolved: resolveConfig({ flags: { validators: '4', ...flags } }) }, world)
}

const read = (path: string): string => readFileSync(path, 'utf8')
const settingsOf = (home: string) => resolveConfig({ file: parseConfigFile(read(join(home, 'config.toml'))) }).config

interface StakingSection {
  readonly validators: readonly { readonly consensus_pubkey: { readonly key: string } }[]
}

test('a network has a home for each node, one document, and keys that the document names', async () => {
  const { nodes, chain_id: chainId } = await write()
  expect(readdirSync(folder).sort()).toEqual(['genesis.json', 'node0', 'node1', 'node2', 'node3', 'testnet.json'])
  expect(chainId).toBe('almanac-localnet-1')
  const documents = nodes.map(({ home }) => read(join(home, 'genesis.json')))
  expect(new Set(documents).size).toBe(1)
  const { validators } = (JSON.parse(documents[0]!) as GenesisDocument).app_state[
    'staking'
  ] as unknown as StakingSection
  const own = nodes.map(({ home }) => JSON.parse(read(join(home, 'priv_validator_key.json'))).pub_key.value)
  expect(own).toEqual(validators.map((validator) => validator.consensus_pubkey.key))
  expect(new Set(own).size).toBe(4)
  for (const { home } of nodes) {
    for (const file of ['priv_validator_key.json', 'engine/config/node_key.json']) {
      expect(statSync(join(home, file)).mode & 0o777).toBe(0o600)
    }
  }
})

test('each node has the others as its peers, and ports of its own', async () => {
  const { nodes } = await write()
  for (const [i, { home }] of nodes.entries()) {
    const { consensus, rest, comet, jsonrpc, node } = settingsOf(home)
    expect(consensus).toMatchObject({
      engine: 'cometbft',
      peers: nodes
        .filter((_, other) => other !== i)
        .map(({ peer }) => peer)
        .join(','),
      p2p: `tcp://127.0.0.1:${30_005 + 10 * i}`,
      rpc: `http://127.0.0.1:${30_006 + 10 * i}`,
    })
    expect([rest.port, jsonrpc.port, jsonrpc.wsPort, comet.port]).toEqual([0, 2, 3, 4].map((n) => 30_000 + 10 * i + n))
    expect(node.moniker).toBe(`node${i}`)
  }
  expect(nodes[3]).toMatchObject({
    rest: 'http://127.0.0.1:30030',
    grpc: '127.0.0.1:30031',
    jsonrpc: 'http://127.0.0.1:30032',
    ws: 'ws://127.0.0.1:30033',
    comet: 'http://127.0.0.1:30034',
    validator: true,
  })
  expect(nodes[3]!.peer).toMatch(/^[0-9a-f]{40}@127\.0\.0\.1:30035$/)
})

test('a home opens by its own settings, as `almanac start --home` opens it', async () => {
  const { nodes } = await write({ profile: 'nibiru', 'block-time': '500ms', engine: '/opt/cometbft' })
  const home = nodes[2]!.home
  const text = read(join(home, 'config.toml'))
  expect(settingsOf(home)).toMatchObject({
    blocks: { time: '500ms' },
    consensus: { program: '/opt/cometbft' },
    api: { workers: 0 },
  })
  const undo: (() => unknown)[] = []
  const chain = openChain(
    { resolved: resolveConfig({ file: parseConfigFile(text) }), home },
    diskFiles,
    world.clock,
    undo,
  )
  await unwind(undo)
  expect(chain.home!.isNew).toBe(false)
  expect(chain.genesis.chain_id).toBe(JSON.parse(read(join(folder, 'testnet.json'))).chain_id)
  expect(chain.profile.name).toBe('nibiru')
  expect(chain.validatorKeys).toHaveLength(1)
})

test('nodes with an address each have the standard ports', async () => {
  const { nodes } = await write({ validators: '3' }, { kind: 'addresses', startingIp: '127.0.0.255' })
  expect(nodes.map(({ comet }) => comet)).toEqual([
    'http://127.0.0.255:26657',
    'http://127.0.1.0:26657',
    'http://127.0.1.1:26657',
  ])
  expect(settingsOf(nodes[1]!.home).consensus.p2p).toBe('tcp://127.0.1.0:26656')
})

test('a network of more validators than accounts has more accounts', async () => {
  const { nodes } = await write({ validators: '12' })
  expect(nodes).toHaveLength(12)
})

test('a full node is added to a network that was moved', async () => {
  await write({ validators: '2', 'block-time': '2' })
  const moved = join(scratch, 'moved')
  renameSync(folder, moved)
  const node = await addToNetwork(moved, world)
  expect(node).toMatchObject({ home: join(moved, 'node2'), comet: 'http://127.0.0.1:30024', validator: false })
  const { nodes } = readTestnet(moved, diskFiles)
  expect(nodes).toHaveLength(3)
  const { consensus, blocks } = settingsOf(node.home)
  expect(consensus.peers).toBe(`${nodes[0]!.peer},${nodes[1]!.peer}`)
  expect(blocks.time).toBe('2')
  expect(read(join(node.home, 'genesis.json'))).toBe(read(join(moved, 'node0/genesis.json')))
})

test('a node that begins at a snapshot needs one, and a node that answers', async () => {
  const { nodes } = await write({ 'snapshot-interval': '7' })
  const home = nodes[1]!.home
  expect(settingsOf(home).snapshots.interval).toBe(7)
  await expect(addToNetwork(folder, world, true)).rejects.toThrow('--state-sync: no node has a snapshot yet')
  const snapshot = openSnapshotFolder(join(home, 'snapshots')).begin(14n)
  snapshot.add(new Uint8Array(8))
  snapshot.finish()
  await expect(addToNetwork(folder, world, true)).rejects.toThrow('--state-sync: no node of the network answers')
  expect(readTestnet(folder, diskFiles).nodes).toHaveLength(4)
  const answers = createServer((request, response) => {
    expect(request.url).toBe('/commit?height=14')
    const commit = { block_id: { hash: 'AB'.repeat(32) } }
    response.end(JSON.stringify({ result: { signed_header: { commit } } }))
  })
  await new Promise<void>((resolve) => answers.listen(0, '127.0.0.1', resolve))
  const comet = `http://127.0.0.1:${(answers.address() as AddressInfo).port}`
  const found = readTestnet(folder, diskFiles)
  writeTestnet(
    folder,
    { ...found, nodes: found.nodes.map((node, i) => (i === 2 ? { ...node, comet } : node)) },
    diskFiles,
  )
  const added = await addToNetwork(folder, world, true)
  answers.close()
  expect(settingsOf(added.home)).toMatchObject({
    statesync: { enabled: true, rpcServers: [comet, comet], trustHeight: 14n, trustHash: 'AB'.repeat(32) },
    snapshots: { interval: 7 },
  })
})

test.each([
  ['a folder with content', {}, PORTS, /--output .*: is not empty/],
  ['no validator', { validators: '0' }, PORTS, /--validators: .*must be an integer from 1 to 100/],
  [
    'ports beyond the last',
    {},
    { kind: 'ports', basePort: 65_510 },
    /--base-port 65510: node 2 would have the ports 65530 to 65539/,
  ],
  ['port 0', {}, { kind: 'ports', basePort: 0 }, /--base-port 0/],
  [
    'an address of another machine',
    {},
    { kind: 'addresses', startingIp: '10.0.0.1' },
    /--starting-ip 10\.0\.0\.1: must be an address of this machine/,
  ],
  ['no address', {}, { kind: 'addresses', startingIp: 'localhost' }, /--starting-ip localhost: must be/],
  [
    'addresses beyond the last',
    {},
    { kind: 'addresses', startingIp: '127.255.255.253' },
    /--starting-ip .*node 2 would have 127\.255\.255\.255/,
  ],
  [
    'blocks without an interval',
    { 'block-time': 'manual' },
    PORTS,
    /--block-time manual: the blocks of a network have an interval/,
  ],
  ['a profile that does not exist', { profile: 'nobody' }, PORTS, /chain\.profile = "nobody"/],
] as const)('%s is refused, and nothing is written', async (name, flags, layout, expected) => {
  const isTaken = name === 'a folder with content'
  if (isTaken) {
    mkdirSync(folder)
    writeFileSync(join(folder, 'mine'), 'x')
  }
  await expect(async () => await write(flags, layout)).rejects.toThrow(expected)
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual(isTaken ? ['mine'] : [])
})

test('the flags of the layout exclude each other', () => {
  expect(() => parseLayout('127.0.0.2', '30000')).toThrow('--starting-ip and --base-port exclude each other')
  expect(() => parseLayout(undefined, 'x')).toThrow('--base-port x: must be a port')
  expect(parseLayout(undefined, undefined)).toEqual({ kind: 'ports', basePort: 20_000 })
})
