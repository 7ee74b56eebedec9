/** Work that clients make a default node do: checks, simulations, batches, traces and calls without end, against the built program. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectCleanStop, startDefault, survive } from '../support/attacks/survive.ts'
import type { NodeProcess } from '../support/process.ts'

let node: NodeProcess
beforeAll(async () => {
  node = await startDefault()
})
afterAll(() => expectCleanStop(node))

test('check_tx of an unsigned transaction with 25,000 messages executes none and is refused', async () => {
  const { counts } = await survive(node, 'checkUnsigned')
  expect(counts['refused']).toBeGreaterThan(0)
  expect(counts).not.toHaveProperty('admitted')
  expect(counts).not.toHaveProperty('executed')
})

test('check_tx of an EVM loop, replayed in batches on four connections, executes nothing', async () => {
  const { counts } = await survive(node, 'checkLoops')
  expect(counts['admitted']).toBeGreaterThan(10)
  expect(counts).not.toHaveProperty('executed')
})

test('simulations of an EVM loop run beside the blocks', async () => {
  const { counts } = await survive(node, 'simulateLoops')
  expect(counts['status 200']).toBeGreaterThan(0)
})

test('calls without end run beside the blocks', async () => {
  const { counts } = await survive(node, 'endlessCalls')
  expect(counts['refused']).toBeGreaterThan(0)
})

test('batches of 1,000 raw transactions let other requests through', async () => {
  const { counts } = await survive(node, 'rawBatches')
  expect(counts['refused']).toBeGreaterThan(0)
  expect(counts).not.toHaveProperty('admitted')
})

test('a tracer that allocates without end stops at its memory limit', async () => {
  const { counts } = await survive(node, 'greedyTracers')
  expect(counts['refused']).toBeGreaterThan(0)
})

test('a call that prints without end writes a bounded log', async () => {
  const before = node.stderr().length
  await survive(node, 'printingCalls')
  // The text that a test keeps is bounded too.
  expect(node.stderr().length - before).toBeLessThan(50_000)
})
