/** Subscriptions and filters that cost the node more than their clients, against the built program. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectCleanStop, startDefault, survive } from '../support/attacks/survive.ts'
import type { NodeProcess } from '../support/process.ts'
import { rpc } from '../support/rpc.ts'

let node: NodeProcess
beforeAll(async () => {
  node = await startDefault()
})
afterAll(() => expectCleanStop(node))

test('an id of 0.9 MB is refused, so that no event repeats it', async () => {
  const { counts } = await survive(node, 'longIds')
  expect(counts['short']).toBeGreaterThan(0)
  expect(counts).not.toHaveProperty('echoed')
})

test('500 clients cannot have 200 subscriptions each', async () => {
  const { counts } = await survive(node, 'manyHeads', 6000)
  expect(counts['refusedSubscriptions']).toBeGreaterThan(0)
  expect(counts['subscriptions']).toBeLessThanOrEqual(5000)
})

test('filters of one client leave room for those of others', async () => {
  const { counts } = await survive(node, 'manyFilters')
  expect(counts['refused']).toBeGreaterThan(0)
  expect(await rpc(node.config, 'eth_newBlockFilter')).toMatch(/^0x/)
})
