/** How a replica begins: with a trusted block, or where the stream does. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { AssembledNode } from '../../src/node/assembly.ts'
import { type FakeNode, startFakeNode } from '../support/follow/fake-node.ts'
import type { NodeHistory } from '../support/follow/node-history.ts'
import { ownChain } from '../support/follow/own-chain.ts'
import { startReplica } from '../support/follow/replica.ts'

const LAST = 14

let chain: NodeHistory
let folder: string
let node: FakeNode
let replica: AssembledNode | undefined

beforeAll(async () => {
  chain = await ownChain(LAST)
})

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'almanac-begin-'))
  node = await startFakeNode(chain, join(folder, 'stream'))
  node.advance(LAST)
})

afterEach(async () => {
  await replica?.stop()
  replica = undefined
  await node.close()
  rmSync(folder, { recursive: true, force: true })
})

async function begin(flags: Readonly<Record<string, string>>): Promise<AssembledNode> {
  replica = await startReplica(node, join(folder, 'home'), flags)
  return replica
}

const trustIn = (height: number, hash = chain.blocks.get(height)!.hash) => ({
  'trust-height': String(height),
  'trust-hash': hash,
})

test('a trusted block vouches for the first one, and the rest is linked to it', async () => {
  const begun = await begin(trustIn(9))
  await expect.poll(() => begun.height).toBe(BigInt(LAST))
})

test('a node whose block is not the trusted one is refused, and nothing is followed', async () => {
  await expect(begin(trustIn(9, 'ab'.repeat(32)))).rejects.toThrow(
    /^block 9 of the node is not verified: its hash is [0-9A-F]{64}, and the trusted one is (AB){32}: the node is of another chain, or --trust-hash is not of block 9/,
  )
})

test('a node that has other blocks before the trusted one is refused', async () => {
  const other = await ownChain(LAST, 4)
  // The chain with another block 4 has the trusted block 9 of this one.
  node.answer = (method, params) => {
    const height = Number(params['height'])
    return method === 'commit' && height > 4 ? chain.blocks.get(height)!.commit : undefined
  }
  node.history = other
  await expect(begin(trustIn(9))).rejects.toThrow('block 4 of the node is not verified: it is not the block before 5')
})

test('a home of another chain than the trusted one does not start', async () => {
  const begun = await begin({})
  await expect.poll(() => begun.height).toBe(BigInt(LAST))
  await begun.stop()
  replica = undefined
  await expect(begin(trustIn(9, 'cd'.repeat(32)))).rejects.toThrow(
    /^block 9 of this replica is [0-9A-F]{64}, and follow\.trust_hash \(--trust-hash\) is (CD){32}: the home is of another chain/,
  )
  await begin(trustIn(9))
})
