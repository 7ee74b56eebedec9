/** The root hashes of a node's stores, by which a replica names the first that differs. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storesOf } from '../../src/app/stores.ts'
import { createNodeRpc, type NodeRpc } from '../../src/consensus/follow/rpc/node-rpc.ts'
import { storeRootOf } from '../../src/consensus/follow/rpc/store-roots.ts'
import { almanac } from '../../src/identity/profiles/almanac.ts'
import { type Node, testNode } from '../../src/index.ts'
import { formatHex } from '../../src/primitives/bytes.ts'
import { merkleRoot, storeLeaf } from '../../src/store/tree/multi-store.ts'

let node: Node
let rpc: NodeRpc
const { signal } = new AbortController()

beforeAll(async () => {
  const started = await testNode({ ports: true })
  node = started
  rpc = createNodeRpc({ urls: [started.urls.comet] })
  for (let block = 0; block < 3; block++) await started.nextBlock()
})
afterAll(() => node?.stop())

test('the roots of all stores give the app hash in the next header', async () => {
  const names = [...storesOf(almanac).hashedStores].sort()
  const roots = await Promise.all(names.map((name) => storeRootOf(rpc, 2n, name, signal)))
  const { header } = (await rpc.call('header', { height: '3' }, signal)) as { header: { app_hash: string } }
  const hash = merkleRoot(names.map((name, i) => storeLeaf(name, roots[i]!)))
  expect(formatHex(hash).toUpperCase()).toBe(header.app_hash)
})

test('a store or height without a proof has no root', async () => {
  expect(await storeRootOf(rpc, 2n, 'nothing', signal)).toBeUndefined()
  expect(await storeRootOf(rpc, 99n, 'bank', signal)).toBeUndefined()
})
