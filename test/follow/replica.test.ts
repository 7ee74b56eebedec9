/** A replica beside a node of our own: it takes over what it has verified, and says what is wrong with the rest. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createRestHandler } from '../../src/api/rest/rest.ts'
import type { AssembledNode } from '../../src/node/assembly.ts'
import { type FakeNode, startFakeNode, streamFile } from '../support/follow/fake-node.ts'
import { withForeignChange } from '../support/follow/foreign-chain.ts'
import type { NodeHistory } from '../support/follow/node-history.ts'
import { ownChain } from '../support/follow/own-chain.ts'
import { startReplica } from '../support/follow/replica.ts'

const LAST = 24

let chain: NodeHistory
let folder: string
let node: FakeNode
const replicas: AssembledNode[] = []

beforeAll(async () => {
  chain = await ownChain(LAST)
})

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'almanac-replica-'))
  node = await startFakeNode(chain, join(folder, 'stream'))
})

afterEach(async () => {
  for (const replica of replicas.splice(0)) await replica.stop()
  await node.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Starts a replica of the node. A second start of the same home continues. */
async function start(flags: Readonly<Record<string, string>> = {}): Promise<AssembledNode> {
  const replica = await startReplica(node, join(folder, 'home'), flags)
  replicas.push(replica)
  return replica
}

async function stop(replica: AssembledNode): Promise<void> {
  replicas.splice(replicas.indexOf(replica), 1)
  await replica.stop()
}

const statusOf = (replica: AssembledNode) => replica.gateway.driver.status()
const stoppedOf = (replica: AssembledNode) => statusOf(replica).follow?.stopped

/** Waits until a replica is at a height, and checks that it has the app hash of the chain there. */
async function reach(replica: AssembledNode, height: number, of: NodeHistory = chain): Promise<void> {
  await expect.poll(() => Number(replica.height)).toBe(height)
  expect(appHashAt(replica, height)).toBe(of.blocks.get(height)!.appHashAfter)
}

const appHashAt = (replica: AssembledNode, height: number): string =>
  Buffer.from(replica.gateway.blocks.block(BigInt(height))!.nextAppHash).toString('hex')

/** Waits for the reason of which a replica has stopped. */
async function reasonOf(replica: AssembledNode): Promise<string> {
  await expect.poll(() => stoppedOf(replica)).toBeDefined()
  return stoppedOf(replica)!
}

const changed = (content: Uint8Array): Uint8Array => {
  const bytes = Uint8Array.from(content)
  bytes[bytes.length - 1]! ^= 1
  return bytes
}

test('every block of the stream is verified and answers, from genesis on', async () => {
  node.advance(10)
  const replica = await start()
  await reach(replica, 10)
  node.advance(LAST)
  await reach(replica, LAST)
  for (let height = 1; height <= LAST; height++)
    expect(appHashAt(replica, height)).toBe(chain.blocks.get(height)!.appHashAfter)
  await expect.poll(() => statusOf(replica).follow?.nodeHeight).toBe(BigInt(LAST))
  const { follow } = statusOf(replica)
  expect(follow).toMatchObject({ lagBlocks: 0n, lagSeconds: 0, verifiedHeight: BigInt(LAST), nodeHeight: BigInt(LAST) })
  // The last height is in no header yet.
  expect(follow!.confirmedHeight).toBe(BigInt(LAST - 1))
  const answer = await createRestHandler(replica.gateway)('/sdk/bank/v1beta1/supply', {
    headers: { 'x-cosmos-block-height': '3' },
  })
  expect(answer.status).toBe(200)
})

test('a replica that catches up writes several blocks at once, and tells of each', async () => {
  node.advance(2)
  const replica = await start()
  await reach(replica, 2)
  const told: (readonly [number, number])[] = []
  replica.gateway.driver.onBlock(({ header }) => told.push([Number(header.height), Number(replica.height)]))
  // It catches up once it knows that the node is further.
  let answerBlocks = (): void => undefined
  const isBehind = new Promise<void>((resolve) => {
    answerBlocks = resolve
  })
  node.answer = async (method, params) => {
    if (method === 'block' && params['height'] === '3') await isBehind
    return undefined
  }
  node.advance(LAST)
  await expect.poll(() => statusOf(replica).follow?.nodeHeight).toBe(BigInt(LAST))
  answerBlocks()
  await reach(replica, LAST)
  await expect.poll(() => told.map(([height]) => height)).toEqual(Array.from({ length: LAST - 2 }, (_, i) => i + 3))
  expect(told.some(([height, tip]) => tip > height)).toBe(true)
})

test('a replica that starts again continues with the next block', async () => {
  node.advance(12)
  const first = await start()
  await reach(first, 12)
  await stop(first)
  const asked: string[] = []
  node.answer = (method, params) => {
    if (method === 'block') asked.push(String(params['height']))
    return undefined
  }
  node.advance(15)
  const second = await start()
  await reach(second, 15)
  expect(asked.map(Number).every((height) => height > 12)).toBe(true)
})

test('a file that is written in pieces is taken once it is whole', async () => {
  node.advance(5)
  const replica = await start()
  await reach(replica, 5)
  const whole = streamFile(chain.blocks.get(6)!.changes)
  node.file = (height, content) => (height === 6 ? content.subarray(0, content.length - 9) : content)
  node.advance(6)
  await new Promise((resolve) => setTimeout(resolve, 400))
  expect([Number(replica.height), stoppedOf(replica)]).toEqual([5, undefined])
  writeFileSync(join(node.stream, 'block-6-data'), whole)
  await reach(replica, 6)
})

test('a file without a length, of a tool that renames it, is read too', async () => {
  node.file = (_, content) => content.subarray(8)
  node.advance(LAST)
  writeFileSync(join(node.stream, 'block-25-data.partial'), 'half')
  await reach(await start(), LAST)
})

test('a block whose file is wrong is executed here, and the log says what was wrong', async () => {
  node.file = (height, content) => {
    if (height === 4) return Uint8Array.from([...content, 7])
    return height === 8 ? changed(content) : content
  }
  node.advance(LAST)
  const said: string[] = []
  const replica = await startReplica(node, join(folder, 'home'), {}, (level, message, facts) => {
    if (level === 'warn' && /^executed/.test(message)) said.push(`${facts?.['height']}: ${facts?.['reason']}`)
  })
  replicas.push(replica)
  await reach(replica, LAST)
  expect(said).toEqual([
    expect.stringMatching(/^4: .*block-4-data is no file of the change stream: it has \d+ bytes after a length of/),
    expect.stringMatching(
      /^8: block 8 of the node is not verified: the app hash after it is [0-9A-F]{64}, and the changes of the stream give [0-9A-F]{64}; the first difference is in store staking, key 0x60: the stream has a change that the block does not make$/,
    ),
  ])
  expect(stoppedOf(replica)).toBeUndefined()
})

test('a wrong byte in a block that cannot be executed stops the replica at its height, until the file is mended', async () => {
  node.history = await withForeignChange(chain, 8)
  node.file = (height, content) => (height === 8 ? changed(content) : content)
  node.advance(LAST)
  const replica = await start()
  expect(await reasonOf(replica)).toMatch(
    /^block 8 of the node is not verified: the app hash after it is [0-9A-F]{64}, and the changes of the stream give [0-9A-F]{64}; the block wrote to .*bank, .*, and the node does not tell which differs$/,
  )
  expect(Number(replica.height)).toBe(7)
  writeFileSync(join(node.stream, 'block-8-data'), streamFile(node.history.blocks.get(8)!.changes))
  await reach(replica, LAST, node.history)
  expect(stoppedOf(replica)).toBeUndefined()
})

test('a parameter that its operator cannot change causes no warning', async () => {
  node.history = await ownChain(3, Infinity, 'almanac', 4)
  node.advance(3)
  const warnings: string[] = []
  const replica = await startReplica(node, join(folder, 'home'), {}, (level, message) => {
    if (level === 'warn') warnings.push(message)
  })
  replicas.push(replica)
  await reach(replica, 3, node.history)
  expect(warnings).toEqual([])
})

test('a stream that ends while the node goes on is named in the log, once', async () => {
  node.file = (height, content) => (height > 5 ? undefined : content)
  node.advance(LAST)
  const said: string[] = []
  const replica = await startReplica(node, join(folder, 'home'), {}, (level, message, facts) => {
    if (level === 'warn') said.push(`${message} ${facts?.['height']} of ${facts?.['node_height']}`)
  })
  replicas.push(replica)
  await reach(replica, 5)
  const line = `waits for the changes of a block: does the node stream them, and here? 6 of ${LAST}`
  await expect.poll(() => said).toContain(line)
  for (let height = 6; height <= LAST; height++)
    writeFileSync(join(node.stream, `block-${height}-data`), streamFile(chain.blocks.get(height)!.changes))
  await reach(replica, LAST)
  expect(said.filter((one) => one === line)).toHaveLength(1)
})

test('a proof at the tip of a replica that has stopped is refused at once, with the reason', async () => {
  node.history = await withForeignChange(chain, 8)
  node.file = (height, content) => (height === 8 ? changed(content) : content)
  node.advance(LAST)
  const replica = await start()
  await reasonOf(replica)
  await expect(replica.gateway.driver.nextHeader(7n)).rejects.toThrow(
    /^the header after height 7 has its app hash, and is not here \(block 8 of the node is not verified: .*\): height 6 can be proved$/,
  )
  await replica.gateway.driver.nextHeader(6n)
})

test('bytes that are no change are named with their file, if the block cannot be executed', async () => {
  node.history = await withForeignChange(chain, 4)
  node.file = (height, content) => (height === 4 ? Uint8Array.from([...content, 7]) : content)
  node.advance(6)
  const replica = await start()
  expect(await reasonOf(replica)).toMatch(
    /block-4-data is no file of the change stream: it has \d+ bytes after a length of .* executing block 4 here does not give its app hash: copy the files of heights 4 to 4/,
  )
  expect(Number(replica.height)).toBe(3)
})

test('blocks whose files are missing or cut off are executed here', async () => {
  node.file = (height, content) =>
    height === 7 || height === 8 ? undefined : height === 12 ? content.subarray(0, 20) : content
  node.advance(LAST)
  await reach(await start(), LAST)
})

test('a block that cannot be executed here names the gap and what fills it', async () => {
  node.advance(6)
  const replica = await start()
  await reach(replica, 6)
  // The node's state after block 7 is another than this build's, as for a transaction that it cannot execute.
  const seven = chain.blocks.get(7)!
  const results = { ...seven.results, app_hash: Buffer.alloc(32, 0xab).toString('base64') }
  node.history = { ...chain, blocks: new Map([...chain.blocks, [7, { ...seven, results }]]) }
  node.file = (height, content) => (height === 7 ? undefined : content)
  node.advance(9)
  expect(await reasonOf(replica)).toMatch(
    /block-7-data is missing, and executing block 7 here does not give its app hash: copy the files of heights 7 to 7 from another node/,
  )
  expect(Number(replica.height)).toBe(6)
})

test('a node of another chain is refused by its name', async () => {
  node.advance(6)
  const replica = await start()
  await reach(replica, 6)
  node.history = { ...chain, chainId: 'other-1' }
  expect(await reasonOf(replica)).toBe(`the node is of chain other-1, and this replica of ${chain.chainId}`)
})

test('a node that has pruned the next block is named with its first one', async () => {
  node.advance(6)
  const replica = await start()
  await reach(replica, 6)
  node.history = { ...chain, first: 12, blocks: new Map([...chain.blocks].filter(([height]) => height >= 12)) }
  node.latest = 20
  writeFileSync(join(node.stream, 'block-7-data'), streamFile(chain.blocks.get(7)!.changes))
  expect(await reasonOf(replica)).toMatch(
    /^the node has blocks from height 12 on, and the next one here is 7: name a node with more of them/,
  )
})

test('a block without the signatures of two thirds is not taken', async () => {
  node.answer = (method, params, result) => {
    if (method !== 'commit' || params['height'] !== '5') return undefined
    const found = structuredClone(result()) as { signed_header: { commit: { signatures: { signature: string }[] } } }
    for (const one of found.signed_header.commit.signatures) one.signature = Buffer.alloc(64, 1).toString('base64')
    return found
  }
  node.advance(8)
  const replica = await start()
  expect(await reasonOf(replica)).toMatch(
    /^block 5 of the node is not verified: validators with 0 of \d+ power have signed it/,
  )
  expect(Number(replica.height)).toBe(4)
})

test('a transaction that the block does not cover is not taken', async () => {
  node.answer = (method, params, result) => {
    if (params['height'] !== '4') return undefined
    const found = structuredClone(result()) as { block?: { data: { txs: string[] } }; txs_results?: unknown[] }
    if (method === 'block') found.block!.data.txs = ['AAAA']
    if (method === 'block_results') found.txs_results = [{ code: 0 }]
    return method === 'commit' || method === 'validators' ? undefined : (found as Record<string, unknown>)
  }
  node.advance(6)
  expect(await reasonOf(await start())).toMatch(
    /^block 4 of the node is not verified: its transactions do not have their hash/,
  )
})

test('another URL is used when the first one does not answer', async () => {
  node.advance(LAST)
  await reach(await start({ rpc: `http://127.0.0.1:1,${node.url}` }), LAST)
})

test('an RPC that answers nothing is waited for', async () => {
  node.advance(9)
  const replica = await start()
  await reach(replica, 9)
  node.answer = () => Promise.reject(new Error('the node is busy'))
  node.advance(LAST)
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect([Number(replica.height), stoppedOf(replica)]).toEqual([9, undefined])
  node.answer = () => undefined
  await reach(replica, LAST)
})

test('a replica goes back with its node, and follows the other branch', async () => {
  const other = await ownChain(LAST, 11)
  expect(other.blocks.get(10)!.hash).toBe(chain.blocks.get(10)!.hash)
  expect(other.blocks.get(12)!.hash).not.toBe(chain.blocks.get(12)!.hash)
  node.advance(16)
  const replica = await start()
  await reach(replica, 16)
  node.history = other
  for (let height = 11; height <= 16; height++) rmSync(join(node.stream, `block-${height}-data`))
  node.latest = 10
  node.advance(18)
  await reach(replica, 18, other)
  expect(statusOf(replica).rollbacks).toBe(1)
  expect(appHashAt(replica, 14)).toBe(other.blocks.get(14)!.appHashAfter)
})

test('a node that went back is followed before it reaches the height of the replica again', async () => {
  const other = await ownChain(LAST, 11)
  node.advance(16)
  const replica = await start()
  await reach(replica, 16)
  node.history = other
  for (let height = 11; height <= 16; height++) rmSync(join(node.stream, `block-${height}-data`))
  node.latest = 10
  node.advance(12)
  await reach(replica, 12, other)
  expect(statusOf(replica).follow).toMatchObject({ nodeHeight: 12n, lagBlocks: 0n })
})

test('files of durable heights are deleted on demand, but the newest hundred', async () => {
  const long = await ownChain(130)
  node.history = long
  node.advance(130)
  const replica = await start({ 'delete-files': 'true' })
  await reach(replica, 130, long)
  await expect.poll(() => readdirSync(node.stream).length).toBe(100)
  expect(readFileSync(join(node.stream, 'block-31-data')).length).toBeGreaterThan(8)
})

test('transactions go on to a node, or are refused with the reason', async () => {
  node.advance(5)
  const refusing = await start()
  await expect(refusing.gateway.driver.submit(Uint8Array.of(1))).rejects.toThrow('this replica takes no transactions')
  await stop(refusing)
  const replica = await start({ forward: node.url })
  expect(await replica.gateway.driver.submit(Uint8Array.of(1, 2, 3))).toMatchObject({ code: 0 })
  expect(node.sent).toEqual([Buffer.from([1, 2, 3]).toString('base64')])
})

test('what waits in the pool of the node is pending here, until it leaves', async () => {
  const { block } = chain.blocks.get(2)!.block as { block: { data: { txs: string[] } } }
  let waiting = block.data.txs.slice(0, 1)
  const tx = Uint8Array.from(Buffer.from(waiting[0]!, 'base64'))
  // One that this build cannot check is not shown, and does not keep the others away.
  const unknown = Buffer.from([1, 2, 3]).toString('base64')
  node.answer = (method) => {
    if (method !== 'unconfirmed_txs') return undefined
    const txs = [unknown, ...waiting]
    return { n_txs: String(txs.length), total: String(txs.length), total_bytes: '3', txs }
  }
  node.advance(1)
  const replica = await start()
  const { driver } = replica.gateway
  const seen: Uint8Array[] = []
  driver.onPending(({ bytes }) => seen.push(bytes))
  const pending = () => driver.pool!.pending().map(({ bytes }) => Buffer.from(bytes))
  await expect.poll(pending).toEqual([Buffer.from(tx)])
  expect(seen).toEqual([tx])
  waiting = []
  await expect.poll(pending).toEqual([])
  waiting = block.data.txs.slice(0, 1)
  await expect.poll(pending).toHaveLength(1)
  node.advance(2)
  await reach(replica, 2)
  expect(pending()).toEqual([])
})

test('a client that waits for its transaction gets the block that includes it', async () => {
  node.advance(1)
  const replica = await start({ forward: node.url })
  const { block } = chain.blocks.get(2)!.block as { block: { data: { txs: string[] } } }
  const tx = Uint8Array.from(Buffer.from(block.data.txs[0]!, 'base64'))
  const waiting = replica.gateway.driver.submitAndWait(tx, 20_000)
  await expect.poll(() => node.sent.length).toBe(1)
  node.advance(2)
  expect(await waiting).toMatchObject({ admission: { code: 0 }, inclusion: { height: 2n, index: 0 } })
})

test.each([
  [{ stream: '' }, /follow\.stream \(--stream\) is empty/],
  [{ rpc: 'localhost:26657' }, /follow\.rpc \(--rpc\) is "localhost:26657": it must be http:\/\/HOST:PORT/],
  [{ stream: '/nowhere/at/all' }, /there is no folder \/nowhere\/at\/all: set write_dir/],
  [
    { profile: 'nibiru' },
    /chain\.profile \(--profile\) is nibiru, whose accounts begin with nibi1, and those of chain/,
  ],
  [{ 'trust-height': '5' }, /--trust-height\) and follow\.trust_hash \(--trust-hash\) belong together/],
] as const)('settings with which it cannot follow are refused: %o', async (flags, message) => {
  node.advance(2)
  await expect(start(flags)).rejects.toThrow(message)
})
