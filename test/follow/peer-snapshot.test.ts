/** A replica of a replica that does not have the first block: it begins with a snapshot, which it fetches from its peer. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { storesOf } from '../../src/app/stores.ts'
import { almanac } from '../../src/identity/profiles/almanac.ts'
import { type AssembledNode, assembleNode } from '../../src/node/assembly.ts'
import { resolveConfig } from '../../src/node/config.ts'
import { homePaths } from '../../src/node/home-paths.ts'
import { makeSnapshot } from '../../src/node/snapshots/home-snapshots.ts'
import { startFakeNode } from '../support/follow/fake-node.ts'
import { historyOfNode } from '../support/follow/node-history.ts'

const quiet = { api: { workers: 0 }, compute: { workers: 0 } }
let folder: string
const running: AssembledNode[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'almanac-peer-snapshot-'))
})

afterEach(async () => {
  for (const node of running.splice(0).reverse()) await node.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function open(options: Pick<Parameters<typeof assembleNode>[0], 'resolved' | 'home'>): Promise<AssembledNode> {
  const node = await assembleNode({ ...options, freePorts: true, log: () => undefined })
  running.push(node)
  return node
}

async function stop(node: AssembledNode): Promise<void> {
  running.splice(running.indexOf(node), 1)
  await node.stop()
}

const startOrigin = (): Promise<AssembledNode> =>
  open({
    resolved: resolveConfig({ caller: { ...quiet, feeder: { enabled: false }, blocks: { time: 'manual' } } }),
    home: join(folder, 'origin'),
  })

const startReplica = (name: string, flags: Readonly<Record<string, string>>): Promise<AssembledNode> =>
  open({
    resolved: resolveConfig({ flags: { consensus: 'follow', ...flags }, caller: quiet }),
    home: join(folder, name),
  })

/** Makes a snapshot of a home whose node is stopped. Returns its height. */
async function snapshotOf(name: string): Promise<bigint> {
  const { data, snapshots } = homePaths(join(folder, name))
  const stores = storesOf(almanac)
  return (await makeSnapshot({ data, snapshots, stores, height: undefined })).record.height
}

async function makeBlocks(node: AssembledNode, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await node.production!.nextBlock()
}

const appHashAt = (node: AssembledNode, height: bigint) => node.gateway.blocks.block(height)!.nextAppHash

/** Starts a chain, and a replica of it that began with a snapshot. Returns the replica's first height, too. */
async function startLate() {
  const early = await startOrigin()
  await makeBlocks(early, 6)
  await stop(early)
  const height = await snapshotOf('origin')
  const origin = await startOrigin()
  await makeBlocks(origin, 3)
  const late = await startReplica('late', {
    snapshot: homePaths(join(folder, 'origin')).snapshots,
    from: origin.urls.comet!,
  })
  await expect.poll(() => late.height).toBe(origin.height)
  return { origin, late, height }
}

test('a replica begins with the newest snapshot of a peer that does not have the first block', async () => {
  const { origin, late, height } = await startLate()
  expect(late.gateway.blocks.block(height)).toBeUndefined()
  await expect(startReplica('second', { from: late.urls.comet! })).rejects.toThrow(
    'the peer has neither the first block nor a snapshot: set snapshots.interval (--snapshot-interval) there',
  )
  await stop(late)
  const newer = await snapshotOf('late')
  await makeBlocks(origin, 2)
  const again = await startReplica('late', { from: origin.urls.comet! })
  await expect.poll(() => again.height).toBe(origin.height)
  const second = await startReplica('second', { from: again.urls.comet! })
  await makeBlocks(origin, 2)
  await expect.poll(() => second.height).toBe(origin.height)
  for (let at = newer + 1n; at <= origin.height; at++) expect(appHashAt(second, at)).toEqual(appHashAt(origin, at))
  expect(second.gateway.blocks.block(newer)).toBeUndefined()
  expect(existsSync(`${homePaths(join(folder, 'second')).data}-archive`)).toBe(false)
})

test('whose turn it is to propose after a snapshot is asked of the node, since the state does not record it', async () => {
  const early = await startOrigin()
  await makeBlocks(early, 4)
  await stop(early)
  const height = await snapshotOf('origin')
  const origin = await startOrigin()
  await makeBlocks(origin, 5)
  const node = await startFakeNode(await historyOfNode(origin, origin.nodeInfo.genesis()), join(folder, 'stream'))
  const asked = new Set<number>()
  try {
    node.answer = (method, params) => {
      if (method === 'validators') asked.add(Number(params['height']) - Number(height))
      return undefined
    }
    node.advance(Number(origin.height))
    const { snapshots } = homePaths(join(folder, 'origin'))
    const late = await startReplica('late', { snapshot: snapshots, stream: node.stream, rpc: node.url })
    await expect.poll(() => late.height).toBe(origin.height)
    // The restore writes the sets of two heights after the snapshot.
    expect([...asked].sort()).toEqual([1, 2])
  } finally {
    await node.close()
  }
})

test('a peer lists its snapshots, and names them for a chunk that it does not have', async () => {
  const { origin, height } = await startLate()
  const ask = async (path: string): Promise<Record<string, unknown>> =>
    (await (await fetch(`${origin.urls.comet}/${path}`)).json()) as Record<string, unknown>
  const { result } = await ask('snapshots')
  expect(result).toEqual({
    snapshots: [
      {
        height: String(height),
        format: 3,
        hash: expect.stringMatching(/^[0-9A-F]{64}$/),
        chunk_hashes: [expect.stringMatching(/^[0-9A-F]{64}$/)],
      },
    ],
  })
  for (const [wanted, chunk] of [
    [height, 1],
    [height, -1],
    [height + 1n, 0],
  ]) {
    expect((await ask(`snapshot_chunk?height=${wanted}&chunk=${chunk}`))['error']).toMatchObject({
      data: `there is no chunk ${chunk} of a snapshot of height ${wanted}; this node has snapshots of the heights ${height}`,
    })
  }
})

test('a chunk that is not the listed one is refused, and nothing is restored', async () => {
  const { origin } = await startLate()
  await stop(running.at(-1)!)
  await expect(startThrough(origin, (result) => ({ ...result, data: 'AAAA' }))).rejects.toThrow(
    /^the answer of the peer is wrong: chunk 0 of the snapshot of height \d+ does not have the hash [0-9A-F]{64}$/,
  )
  expect(existsSync(join(homePaths(join(folder, 'through')).data, 'data.mdb'))).toBe(false)
})

/** Starts a replica of a peer without its first blocks, whose chunks are replaced on the way. */
async function startThrough(
  origin: AssembledNode,
  replace: (result: Record<string, unknown>) => Record<string, unknown>,
): Promise<AssembledNode> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const body = Buffer.concat(pieces).toString('utf8')
    const answer = await fetch(origin.urls.comet!, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const found = (await answer.json()) as { result?: Record<string, unknown> }
    const { method } = JSON.parse(body) as { method?: string }
    if (method === 'snapshot_chunk') found.result = replace(found.result!)
    if (method === 'status') (found.result!['sync_info'] as Record<string, string>)['earliest_block_height'] = '5'
    response.end(JSON.stringify(found))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  try {
    const { port } = server.address() as AddressInfo
    return await startReplica('through', { from: `http://127.0.0.1:${port}` })
  } finally {
    server.close()
    server.closeAllConnections()
  }
}
