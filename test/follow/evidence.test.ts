/** A chain whose validators misbehave: a replica verifies the evidence in its blocks, and serves it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRestHandler } from '../../src/api/rest/rest.ts'
import { storesOf } from '../../src/app/stores.ts'
import { recordedEvidence } from '../../src/consensus/follow/testing/evidence.ts'
import { identityOf } from '../../src/identity/profiles.ts'
import { type AssembledNode, assembleNode } from '../../src/node/assembly.ts'
import { resolveConfig } from '../../src/node/config.ts'
import { type FakeNode, startFakeNode } from '../support/follow/fake-node.ts'
import { foreignChain } from '../support/follow/foreign-chain.ts'
import { ownChain } from '../support/follow/own-chain.ts'
import { startReplica } from '../support/follow/replica.ts'

const LAST = 6
/** The height with evidence. */
const CAUGHT = 4
const { evidence } = recordedEvidence.at(-1)![1]

let folder: string
let node: FakeNode
const replicas: AssembledNode[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'almanac-evidence-'))
  const history = await foreignChain({
    base: await ownChain(LAST),
    stores: storesOf(identityOf('almanac')),
    blocks: new Map([[CAUGHT, { evidence }]]),
  })
  node = await startFakeNode(history, join(folder, 'stream'))
})

afterEach(async () => {
  for (const replica of replicas.splice(0)) await replica.stop()
  await node.close()
  rmSync(folder, { recursive: true, force: true })
})

async function follow(): Promise<AssembledNode> {
  const replica = await startReplica(node, join(folder, 'home'))
  replicas.push(replica)
  return replica
}

test('the evidence in a block is served, also by a replica of the replica', async () => {
  node.advance(LAST)
  const first = await follow()
  await expect.poll(() => Number(first.height)).toBe(LAST)
  await replicas.pop()!.stop()
  const again = await assembleNode({
    resolved: resolveConfig({
      flags: { consensus: 'follow', stream: node.stream, rpc: node.url },
      caller: { api: { workers: 0 }, compute: { workers: 0 } },
    }),
    home: join(folder, 'home'),
    freePorts: true,
    log: () => undefined,
  })
  replicas.push(again)
  const second = await startReplica({ stream: '', url: '' }, join(folder, 'second'), {
    from: again.urls.comet!,
    rpc: '',
  })
  replicas.push(second)
  // The last block comes once a next header confirms it, or the application reports its hash.
  await expect.poll(() => Number(second.height)).toBe(LAST)
  for (const height of [CAUGHT, LAST]) {
    const answer = (await (await fetch(`${again.urls.comet}/block?height=${height}`)).json()) as {
      result: { block: { evidence: unknown } }
    }
    expect(answer.result.block.evidence).toEqual({ evidence: height === CAUGHT ? evidence : [] })
  }
  for (const replica of [again, second]) {
    const { body } = await createRestHandler(replica.gateway)(`/sdk/base/tendermint/v1beta1/blocks/${CAUGHT}`)
    const [vote, attack] = (JSON.parse(body) as { block: { evidence: { evidence: Record<string, never>[] } } }).block
      .evidence.evidence
    expect(vote).toMatchObject({ duplicate_vote_evidence: { validator_power: '10', vote_a: { height: '7' } } })
    expect(attack).toMatchObject({ light_client_attack_evidence: { common_height: '8', total_voting_power: '30' } })
  }
})

test('a node that keeps evidence back, or makes it up, is not followed', async () => {
  let given: readonly unknown[] = []
  let height = CAUGHT
  node.answer = (method, params, result) => {
    if (method !== 'block' || params['height'] !== String(height)) return undefined
    const found = structuredClone(result()) as { block: { evidence: unknown } }
    found.block.evidence = { evidence: given }
    return found
  }
  node.advance(LAST)
  const replica = await follow()
  const { driver } = replica.gateway
  const reason = 'of the node is not verified: its evidence does not have its hash'
  await expect.poll(() => driver.status().follow?.stopped).toBe(`block ${CAUGHT} ${reason}`)
  given = evidence
  height = CAUGHT + 1
  await expect.poll(() => driver.status().follow?.stopped, { timeout: 15_000 }).toBe(`block ${CAUGHT + 1} ${reason}`)
  expect(Number(replica.height)).toBe(CAUGHT)
})
