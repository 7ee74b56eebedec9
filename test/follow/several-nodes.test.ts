/** A replica with the RPC of several nodes, of which one misbehaves. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { AssembledNode } from '../../src/node/assembly.ts'
import { type FakeNode, startFakeNode } from '../support/follow/fake-node.ts'
import type { NodeHistory } from '../support/follow/node-history.ts'
import { ownChain } from '../support/follow/own-chain.ts'
import { startReplica } from '../support/follow/replica.ts'

const LAST = 12

let chain: NodeHistory
let folder: string
let good: FakeNode
let bad: FakeNode
let replica: AssembledNode | undefined

beforeAll(async () => {
  chain = await ownChain(LAST)
})

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'almanac-several-'))
  good = await startFakeNode(chain, join(folder, 'stream'))
  bad = await startFakeNode(chain, join(folder, 'unused'))
  for (const node of [good, bad]) node.advance(LAST)
})

afterEach(async () => {
  await replica?.stop()
  replica = undefined
  for (const node of [good, bad]) await node.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Starts a replica that asks the bad node first, with the genesis document of the chain. */
async function start(): Promise<AssembledNode> {
  const genesis = join(folder, 'genesis.json')
  writeFileSync(genesis, JSON.stringify(chain.genesis))
  replica = await startReplica(good, join(folder, 'home'), { genesis, rpc: `${bad.url},${good.url}` })
  return replica
}

/** Waits until the replica has all blocks, and no reason to stop. */
async function reachLast({ gateway }: AssembledNode): Promise<void> {
  await expect.poll(() => gateway.blocks.latestHeight()).toBe(BigInt(LAST))
  await expect.poll(() => gateway.driver.status().follow?.stopped).toBeUndefined()
}

test('a node of another chain is left for the next one', async () => {
  bad.history = { ...chain, chainId: 'other-1' }
  await reachLast(await start())
})

test('a node whose blocks are not signed is left for the next one', async () => {
  bad.answer = (method, _, result) => {
    if (method !== 'commit') return undefined
    const found = structuredClone(result()) as { signed_header: { commit: { signatures: { signature: string }[] } } }
    for (const one of found.signed_header.commit.signatures) one.signature = Buffer.alloc(64, 1).toString('base64')
    return found
  }
  await reachLast(await start())
})

test('a node that answers with what is no block is left for the next one', async () => {
  bad.answer = (method) => (method === 'block' ? { block: { header: 'none' } } : undefined)
  await reachLast(await start())
})

test('a node that has pruned the block is left for the next one', async () => {
  bad.answer = (method, params) =>
    method === 'block' && Number(params['height']) < 9
      ? Promise.reject(new Error(`height ${params['height']} is not available, lowest height is 9`))
      : undefined
  await reachLast(await start())
})

test('a node that is behind is left for the next one, and nothing is taken back', async () => {
  bad.latest = 5
  const begun = await start()
  await reachLast(begun)
  expect(begun.gateway.driver.status().rollbacks).toBe(0)
})
