/** A node that lies about what its blocks did: nothing of it stays, and the replica goes on when the truth is told. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { AssembledNode } from '../../src/node/assembly.ts'
import { type FakeNode, startFakeNode } from '../support/follow/fake-node.ts'
import type { NodeHistory } from '../support/follow/node-history.ts'
import { ownChain } from '../support/follow/own-chain.ts'
import { startReplica } from '../support/follow/replica.ts'

const LAST = 12

type Json = Record<string, unknown>

let chain: NodeHistory
let folder: string
let node: FakeNode
let replica: AssembledNode | undefined

beforeAll(async () => {
  chain = await ownChain(LAST)
})

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'almanac-dishonest-'))
  node = await startFakeNode(chain, join(folder, 'stream'))
})

afterEach(async () => {
  await replica?.stop()
  replica = undefined
  await node.close()
  rmSync(folder, { recursive: true, force: true })
})

async function start(rpc = node.url): Promise<AssembledNode> {
  replica = await startReplica(node, join(folder, 'home'), { rpc })
  return replica
}

const stoppedOf = (one: AssembledNode) => one.gateway.driver.status().follow?.stopped

async function reasonOf(one: AssembledNode): Promise<string> {
  await expect.poll(() => stoppedOf(one)).toBeDefined()
  return stoppedOf(one)!
}

const reach = (one: AssembledNode, height: number) => expect.poll(() => Number(one.height)).toBe(height)

/** Makes the node answer a method at a height with another result. */
function lie(method: string, height: number, change: (result: never) => void): void {
  node.answer = (asked, params, result) => {
    if (asked !== method || params['height'] !== String(height)) return undefined
    const found = structuredClone(result())
    change(found as never)
    return found
  }
}

const wrongGas = (results: Json): void => {
  for (const result of results['txs_results'] as Json[]) result['gas_used'] = '7'
}

test('results that the next header does not have are never taken, and the true ones are', async () => {
  lie('block_results', 4, wrongGas)
  node.advance(8)
  const one = await start()
  expect(await reasonOf(one)).toMatch(/^block 4 of the node is not verified: its results do not have the hash/)
  expect(Number(one.height)).toBe(3)
  node.answer = () => undefined
  node.advance(LAST)
  await reach(one, LAST)
  expect(stoppedOf(one)).toBeUndefined()
})

test('results at the tip that the next header contradicts are taken back', async () => {
  lie('block_results', 4, wrongGas)
  node.advance(4)
  const one = await start()
  await reach(one, 4)
  expect(one.gateway.blocks.block(4n)!.results[0]!.gasUsed).toBe(7n)
  node.advance(5)
  expect(await reasonOf(one)).toMatch(/^block 4 of the node is not verified: its results do not have the hash/)
  expect(Number(one.height)).toBe(3)
  node.answer = () => undefined
  node.advance(LAST)
  await reach(one, LAST)
  expect(one.gateway.blocks.block(4n)!.results[0]!.gasUsed).not.toBe(7n)
})

test('a lie about results costs nothing where another node tells the truth', async () => {
  const honest = await startFakeNode(chain, join(folder, 'honest'))
  try {
    lie('block_results', 4, wrongGas)
    node.advance(LAST)
    honest.advance(LAST)
    await reach(await start(`${node.url},${honest.url}`), LAST)
  } finally {
    await honest.close()
  }
})

test('signatures of the block before that its header does not cover are refused', async () => {
  lie('block', 6, ({ block }: { block: { last_commit: { signatures: Json[] } } }) => {
    block.last_commit.signatures[0]!['timestamp'] = '2030-01-01T00:00:00Z'
  })
  node.advance(8)
  const one = await start()
  expect(await reasonOf(one)).toMatch(
    /^block 6 of the node is not verified: its signatures of the block before do not have their hash/,
  )
  expect(Number(one.height)).toBe(5)
})

test('parts of a block that nobody signed are refused', async () => {
  lie('block', 6, ({ block_id: id }: { block_id: Json }) => {
    id['parts'] = { total: 3, hash: 'AB'.repeat(32) }
  })
  node.advance(8)
  expect(await reasonOf(await start())).toMatch(
    /^block 6 of the node is not verified: its parts are not those that were signed/,
  )
})

test('a node that tells of another block, and then gives the same one, takes nothing back', async () => {
  node.advance(8)
  const one = await start()
  await reach(one, 8)
  const heights: number[] = []
  one.gateway.driver.onRollback!(() => heights.push(Number(one.height)))
  let asked = 0
  node.answer = (method, params, result) => {
    if (method === 'status') {
      const found = structuredClone(result()) as { sync_info: Json }
      found.sync_info['latest_block_hash'] = 'AB'.repeat(32)
      return found
    }
    if (method !== 'block' || params['height'] !== '8' || ++asked > 1) return undefined
    return { ...result(), block_id: { hash: 'AB'.repeat(32), parts: { total: 1, hash: 'AB'.repeat(32) } } }
  }
  await reasonOf(one)
  expect(heights).toEqual([])
  node.answer = () => undefined
  node.advance(LAST)
  await reach(one, LAST)
})
