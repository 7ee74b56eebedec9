/** A replica of another Almanac, and of a replica: the changes come over its RPC. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { encodeRecords } from '../../src/consensus/follow/peer/change-records.ts'
import { type AssembledNode, assembleNode } from '../../src/node/assembly.ts'
import { resolveConfig } from '../../src/node/config.ts'
import type { Log } from '../../src/node/log.ts'
import { encodePair, startFakeNode, streamFile } from '../support/follow/fake-node.ts'
import { historyOfNode } from '../support/follow/node-history.ts'

const quiet = { api: { workers: 0 }, compute: { workers: 0 } }
let folder: string
const running: AssembledNode[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'almanac-peer-'))
})

afterEach(async () => {
  for (const node of running.splice(0).reverse()) await node.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function open(
  options: Pick<Parameters<typeof assembleNode>[0], 'resolved' | 'home'> & { readonly log?: Log },
): Promise<AssembledNode> {
  const node = await assembleNode({ log: () => undefined, ...options, freePorts: true })
  running.push(node)
  return node
}

const startOrigin = (store: { keep?: number } = {}): Promise<AssembledNode> =>
  open({
    resolved: resolveConfig({ caller: { ...quiet, store, feeder: { enabled: false }, blocks: { time: 'manual' } } }),
    home: undefined,
  })

const startReplica = (name: string, flags: Readonly<Record<string, string>>): Promise<AssembledNode> =>
  open({
    resolved: resolveConfig({ flags: { consensus: 'follow', ...flags }, caller: quiet }),
    home: join(folder, name),
  })

async function makeBlocks(node: AssembledNode, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await node.production!.nextBlock()
}

async function expectSame(replica: AssembledNode, origin: AssembledNode): Promise<void> {
  await expect.poll(() => replica.height).toBe(origin.height)
  for (let height = 1n; height <= origin.height; height++) {
    const [ours, theirs] = [replica, origin].map((node) => node.gateway.blocks.block(height)!)
    expect(ours!.nextAppHash).toEqual(theirs!.nextAppHash)
    expect(ours!.hash).toEqual(theirs!.hash)
  }
}

async function ask(node: AssembledNode, params: string): Promise<Record<string, unknown>> {
  const answer = await fetch(`${node.urls.comet}/changes?${params}`)
  return (await answer.json()) as Record<string, unknown>
}

test('a replica follows another Almanac from its first block on, and a second one follows the replica', async () => {
  const origin = await startOrigin()
  await makeBlocks(origin, 20)
  const first = await startReplica('first', { from: origin.urls.comet! })
  await expectSame(first, origin)
  const second = await startReplica('second', { from: first.urls.comet! })
  await expectSame(second, origin)
  await makeBlocks(origin, 5)
  await expectSame(first, origin)
  await expectSame(second, origin)
})

test('what a stream lacks comes from the peer', async () => {
  const origin = await startOrigin()
  await makeBlocks(origin, 9)
  const node = await startFakeNode(await historyOfNode(origin, origin.nodeInfo.genesis()), join(folder, 'stream'))
  try {
    node.file = (height, content) => (height === 4 || height === 6 ? undefined : content)
    node.advance(10)
    const flags = { stream: node.stream, rpc: node.url, from: origin.urls.comet! }
    const replica = await startReplica('replica', flags)
    await expectSame(replica, origin)
  } finally {
    await node.close()
  }
})

test('a file that is wrong is taken from the peer, and the log says what was wrong', async () => {
  const origin = await startOrigin()
  await makeBlocks(origin, 9)
  const node = await startFakeNode(await historyOfNode(origin, origin.nodeInfo.genesis()), join(folder, 'stream'))
  const said: string[] = []
  try {
    node.file = (height, content) => {
      if (height === 4) return Uint8Array.from([...content, 7])
      return height === 6 ? content.with(content.length - 1, content.at(-1)! ^ 1) : content
    }
    node.advance(10)
    const replica = await open({
      resolved: resolveConfig({
        flags: { consensus: 'follow', stream: node.stream, rpc: node.url, from: origin.urls.comet! },
        caller: quiet,
      }),
      home: join(folder, 'replica'),
      log: (level, message, facts) => {
        if (level === 'warn' && /from the peer/.test(message)) said.push(`${facts?.['height']}: ${facts?.['reason']}`)
      },
    })
    await expectSame(replica, origin)
    expect(replica.gateway.driver.status().follow?.stopped).toBeUndefined()
    expect(said).toEqual([
      expect.stringMatching(/^4: .*block-4-data is no file of the change stream: it has \d+ bytes after a length of/),
      expect.stringMatching(/^6: block 6 of the node is not verified: .*the first difference is in store staking/),
    ])
  } finally {
    await node.close()
  }
})

test('a block that the peer has wrong too is executed here', async () => {
  const origin = await startOrigin()
  await makeBlocks(origin, 9)
  const history = await historyOfNode(origin, origin.nodeInfo.genesis())
  const node = await startFakeNode(history, join(folder, 'stream'))
  try {
    const wrong = (height: number) => history.blocks.get(height)!.changes.slice(1)
    node.file = (height, content) => (height === 6 ? streamFile(wrong(6)) : content)
    node.answer = (method, { from }) => {
      if (method !== 'changes') return undefined
      return {
        blocks: [{ height: String(from), changes: Buffer.from(encodeRecords(wrong(Number(from)))).toString('base64') }],
      }
    }
    node.advance(10)
    await expectSame(await startReplica('replica', { stream: node.stream, rpc: node.url, from: node.url }), origin)
  } finally {
    await node.close()
  }
})

test('an answer has at most 500 blocks, and says which heights it does not have', async () => {
  const origin = await startOrigin({ keep: 5 })
  await makeBlocks(origin, 12)
  const heightsOf = ({ result }: Record<string, unknown>) =>
    (result as { blocks: { height: string }[] }).blocks.map(({ height }) => Number(height))
  expect(heightsOf(await ask(origin, 'from=9&count=500'))).toEqual([9, 10, 11, 12, 13])
  expect(heightsOf(await ask(origin, 'from=9&count=2'))).toEqual([9, 10])
  expect(heightsOf(await ask(origin, ''))).toEqual([13])
  expect((await ask(origin, 'from=9&count=501'))['error']).toMatchObject({
    data: 'count must be 1 to 500, but got 501',
  })
  expect((await ask(origin, 'from=14'))['error']).toMatchObject({
    data: 'height 14 must be less than or equal to the current blockchain height 13',
  })
  expect(JSON.stringify((await ask(origin, 'from=2'))['error'])).toMatch(/lowest|earliest|pruned/)
})

test('heights whose changes the peer has pruned are executed', async () => {
  const origin = await startOrigin({ keep: 5 })
  await makeBlocks(origin, 12)
  await expectSame(await startReplica('late', { from: origin.urls.comet! }), origin)
})

test('records are those of a file of the stream', () => {
  const changes = [
    { store: 'bank', key: Uint8Array.of(1, 2), value: new Uint8Array(200).fill(3) },
    { store: 'evm', key: Uint8Array.of(9), value: new Uint8Array(0) },
    { store: 'oracle', key: Uint8Array.of(7), value: undefined },
  ]
  expect(Buffer.from(encodeRecords(changes))).toEqual(Buffer.concat(changes.map(encodePair)))
})
