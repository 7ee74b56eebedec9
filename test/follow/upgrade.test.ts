/** A replica follows an upgrade of the chain that this build does not know, and keeps its new store. */
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

const upgrade: Upgrade = {
  name: 'notes',
  inPlace: true,
  stores: { added: ['notes'] },
  run(ctx, { name }, from) {
    ctx.store.set('notes', utf8('by'), utf8(name))
    return from
  },
}

let folder: string
let chain: NodeHistory
let at: number
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
    build: { upgrades: [upgrade] },
  })
  try {
    const accounts = own.accounts.map(({ bech32, privateKey }) => ({
      bech32,
      private_key: privateKey as `0x${string}`,
    }))
    const { rest, jsonrpc } = own.urls as { rest: string; jsonrpc: string }
    const asked = { chain_id: own.chainId, accounts, urls: { rest, jsonrpc } }
    at = (await heightOf(asked)) + 8
    await proposePlan(asked, upgrade.name, at)
    await endVoting(asked)
    await mineTo(asked, at + 3)
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

test('the store of an upgrade is followed without a wipe, and read raw', async () => {
  node.advance(at - 1)
  replica = await startReplica(node, join(folder, 'home'))
  await expect.poll(() => Number(replica!.height)).toBe(at - 1)
  node.advance(chain.last)
  await expect.poll(() => Number(replica!.height)).toBe(chain.last)
  const { gateway } = replica
  const noteAt = (height: number) =>
    gateway.withContext(BigInt(height), ({ store }) => store.get('notes', utf8('by'))?.slice())
  expect(noteAt(chain.last)).toEqual(utf8('notes'))
  expect(noteAt(at)).toEqual(utf8('notes'))
  const { proofs } = await gateway.prove(BigInt(at), [{ store: 'notes', key: utf8('by') }])
  expect(proofs[0]!.value).toEqual(utf8('notes'))
  expect(gateway.driver.status().follow).toMatchObject({ verifiedHeight: BigInt(chain.last) })
})

test('a replica that starts again after the upgrade has the store', async () => {
  await replica!.stop()
  replica = await startReplica(node, join(folder, 'home'))
  expect(Number(replica.height)).toBe(chain.last)
  expect(replica.gateway.withContext(undefined, ({ store }) => store.stores)).toContain('notes')
})
