/** An upgrade that four validators vote for, under the real engine; one of them is upgraded late. Skipped without CometBFT. */
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ENGINE, NO_ENGINE, writeNetwork } from '../network/processes.ts'
import { type NodeProcess, startProcess } from '../support/process.ts'
import { rpc } from '../support/rpc.ts'
import { bundle } from '../support/upgrade/bundle.ts'
import { appliedAt, heightOf, lastProposal, planOf, proposePlan, voteFor } from '../support/upgrade/governance.ts'

if (!ENGINE) process.stderr.write(`test/upgrade/network: ${NO_ENGINE}\n`)

let network: ReturnType<typeof writeNetwork>
let path: string
const running: NodeProcess[] = []
beforeAll(async () => {
  if (!ENGINE) return
  network = writeNetwork('--block-time', '300ms', '--voting-period', '10s')
  path = await bundle('network-upgrade')
})
afterAll(async () => {
  await Promise.all(running.map((node) => node[Symbol.asyncDispose]()))
  network?.remove()
})

async function start(home: string, build: string): Promise<NodeProcess> {
  const node = await startProcess(['--home', home, '--compute-workers', '0', '--api-workers', '0'], {
    path,
    environment: { TEST_BUILD: build },
  })
  running.push(node)
  return node
}

/** Resolves once a node has a height. */
async function reach({ config }: NodeProcess, height: number): Promise<void> {
  while ((await heightOf(config)) < height) await setTimeout(100)
}

test.skipIf(!ENGINE)(
  'all halt at the plan, three go on with the next build, and the fourth follows later',
  async () => {
    const homes = network.testnet().nodes.map(({ home }) => home)
    const nodes = await Promise.all(homes.map((home) => start(home, '')))
    const { config } = nodes[0]!
    const height = (await heightOf(config)) + 60
    await proposePlan(config, 'v2', height)
    const { id } = (await lastProposal(config))!
    const voters = config.accounts.slice(1, 4)
    await Promise.all(voters.map((account) => voteFor({ ...config, accounts: [account] }, id)))
    expect(await Promise.all(nodes.map(({ ended }) => ended))).toEqual([3, 3, 3, 3])
    for (const node of nodes) expect(node.stdout()).toBe(`UPGRADE "v2" NEEDED at height: ${height}: \n`)

    const upgraded = await Promise.all(homes.slice(0, 3).map((home) => start(home, 'v2')))
    for (const node of upgraded) await reach(node, height + 3)
    expect([await appliedAt(upgraded[0]!.config, 'v2'), await planOf(upgraded[0]!.config)]).toEqual([
      String(height),
      null,
    ])

    const late = await start(homes[3]!, 'v2')
    await reach(late, height + 3)
    const block = [`0x${(height + 3).toString(16)}`, false]
    const [own, other] = await Promise.all(
      [late, upgraded[0]!].map((one) => rpc(one.config, 'eth_getBlockByNumber', block)),
    )
    expect(own).toEqual(other)
  },
)
