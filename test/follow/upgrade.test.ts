/** A replica follows upgrades of the chain that this build does not know, and has the stores that they add, delete and rename. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Upgrade } from '../../src/app/upgrades/types.ts'
import { type AssembledNode, assembleNode } from '../../src/node/assembly.ts'
import { resolveConfig } from '../../src/node/config.ts'
import { utf8 } from '../../src/primitives/bytes.ts'
import { type FakeNode, startFakeNode } from '../support/follow/fake-node.ts'
import { historyOfNode, type NodeHistory } from '../support/follow/node-history.ts'
import { startReplica } from '../support/follow/replica.ts'
import { endVoting, heightOf, mineTo, proposePlan, VOTING_SECONDS } from '../support/upgrade/governance.ts'

const NOON_MS = Date.UTC(2024, 0, 1, 12)

/** The upgrades: one adds a store and writes to it; the next deletes another, without a trace in the stream; the last renames the first. */
const upgrades: readonly Upgrade[] = [
  {
    name: 'notes',
    inPlace: true,
    stores: { added: ['notes'] },
    run(ctx, { name }, from) {
      ctx.store.set('notes', utf8('by'), utf8(name))
      return from
    },
  },
  { name: 'fewer', inPlace: true, stores: { deleted: ['crisis', 'feeibc'] }, run: (_ctx, _plan, from) => from },
  { name: 'again', inPlace: true, stores: { added: ['crisis'] }, run: (_ctx, _plan, from) => from },
  {
    name: 'memos',
    inPlace: true,
    stores: { renamed: [{ from: 'notes', to: 'memos' }] },
    run(ctx, { name }, from) {
      ctx.store.set('memos', utf8('then'), utf8(name))
      return from
    },
  },
]

let folder: string
let chain: NodeHistory
/** Heights of the upgrades. */
const at: number[] = []
let node: FakeNode
let replica: AssembledNode | undefined

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'almanac-upgraded-'))
  const own = await assembleNode({
    resolved: resolveConfig({
      flags: { 'voting-period': `${VOTING_SECONDS}s` },
      caller: {
        api: { workers: 0 },
        compute: { workers: 0 },
        feeder: { enabled: false },
        blocks: { time: 'arrival' },
        node: { silent: true },
      },
    }),
    home: undefined,
    freePorts: true,
    log: () => undefined,
    clock: () => NOON_MS,
    build: { upgrades },
  })
  try {
    const accounts = own.accounts.map(({ bech32, privateKey }) => ({
      bech32,
      private_key: privateKey as `0x${string}`,
    }))
    const { rest, jsonrpc } = own.urls as { rest: string; jsonrpc: string }
    const asked = { chain_id: own.chainId, accounts, urls: { rest, jsonrpc } }
    for (const { name } of upgrades) {
      const height = (await heightOf(asked)) + 8
      at.push(height)
      await proposePlan(asked, name, height)
      await endVoting(asked)
      await mineTo(asked, height + 3)
    }
    chain = await historyOfNode(own, own.nodeInfo.genesis())
  } finally {
    await own.stop()
  }
  node = await startFakeNode(chain, join(folder, 'stream'))
})

afterAll(async () => {
  await replica?.stop()
  await node?.close()
  rmSync(folder, { recursive: true, force: true })
})

test('the stores of upgrades are followed without a wipe, and read raw', async () => {
  const [notes, fewer, again, memos] = at as [number, number, number, number]
  node.advance(notes - 1)
  replica = await startReplica(node, join(folder, 'home'))
  await expect.poll(() => Number(replica!.height)).toBe(notes - 1)
  node.advance(chain.last)
  await expect.poll(() => Number(replica!.height)).toBe(chain.last)
  const { gateway } = replica
  const storesAt = (height: number) => gateway.withContext(BigInt(height), ({ store }) => store.stores!)
  const noteAt = (height: number, store: string) =>
    gateway.withContext(BigInt(height), (ctx) => ctx.store.get(store, utf8('by'))?.slice())
  expect(noteAt(notes, 'notes')).toEqual(utf8('notes'))
  expect(noteAt(memos - 1, 'notes')).toEqual(utf8('notes'))
  expect(noteAt(memos, 'memos')).toEqual(utf8('notes'))
  expect(storesAt(fewer - 1)).toEqual(expect.arrayContaining(['crisis', 'feeibc']))
  expect(storesAt(fewer)).not.toContain('crisis')
  expect(storesAt(again)).toContain('crisis')
  expect(storesAt(again)).not.toContain('feeibc')
  expect(storesAt(memos)).not.toContain('notes')
  const { proofs } = await gateway.prove(BigInt(memos), [{ store: 'memos', key: utf8('by') }])
  expect(proofs[0]!.value).toEqual(utf8('notes'))
  expect(gateway.driver.status().follow).toMatchObject({ verifiedHeight: BigInt(chain.last) })
})

test('a replica that starts again after the upgrades has their stores', async () => {
  await replica!.stop()
  replica = await startReplica(node, join(folder, 'home'))
  expect(Number(replica.height)).toBe(chain.last)
  const stores = replica.gateway.withContext(undefined, ({ store }) => store.stores)
  expect(stores).toEqual(expect.arrayContaining(['crisis', 'memos']))
  expect(stores).not.toContain('feeibc')
})
