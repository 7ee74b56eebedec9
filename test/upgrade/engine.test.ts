/** An upgrade voted by governance on a chain whose blocks the real engine decides. Skipped without CometBFT. */
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ENGINE, NO_ENGINE } from '../network/processes.ts'
import { appliedAt, heightOf, planOf, proposePlan } from '../support/upgrade/governance.ts'
import { type Lab, openLab, plainFile, textOf } from '../support/upgrade/lab.ts'

if (!ENGINE) process.stderr.write(`test/upgrade/engine: ${NO_ENGINE}\n`)

/** Ports of the engine, different for processes that run at once. */
const port = 32_000 + (process.pid % 300) * 2
const FLAGS = [
  ...['--consensus', 'cometbft', '--engine', ENGINE ?? '', '--engine-rpc', `http://127.0.0.1:${port}`],
  ...['--p2p', `tcp://127.0.0.1:${port + 1}`, '--block-time', '300ms', '--voting-period', '3s', '--insecure-keys'],
]

let lab: Lab
beforeAll(async () => {
  lab = await openLab('engine')
})
afterAll(() => lab.close())

test.skipIf(!ENGINE)(
  'no block follows the plan, engine and node end, and the next build goes on from there',
  async () => {
    const node = await lab.start('chain', '', FLAGS)
    const height = (await heightOf(node.config)) + 25
    await proposePlan(node.config, 'v2', height, '')
    expect(await node.ended).toBe(3)
    expect(node.stdout()).toBe(`UPGRADE "v2" NEEDED at height: ${height}: \n`)
    expect(textOf(lab.fileOf('chain'))).toBe(plainFile('v2', height))
    // The engine has ended with the node.
    await expect(fetch(`http://127.0.0.1:${port}/status`)).rejects.toThrow()

    await using next = await lab.start('chain', 'v2', FLAGS)
    while ((await heightOf(next.config)) < height + 2) await setTimeout(100)
    expect([await appliedAt(next.config, 'v2'), await planOf(next.config)]).toEqual([String(height), null])
  },
)
