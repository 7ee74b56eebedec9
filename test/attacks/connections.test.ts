/** Clients that hold connections open or disconnect, against the built program. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectCleanStop, startDefault, survive } from '../support/attacks/survive.ts'
import type { NodeProcess } from '../support/process.ts'

let node: NodeProcess
beforeAll(async () => {
  node = await startDefault()
})
afterAll(() => expectCleanStop(node))

test('1,500 half-open connections do not lock out other clients', async () => {
  const { counts } = await survive(node, 'halfOpen')
  expect(counts['opened']).toBeGreaterThanOrEqual(1500)
})

test('aborted requests write no line each into the log', async () => {
  const before = node.stderr().length
  const { counts } = await survive(node, 'abortedPosts')
  expect(counts['aborted']).toBeGreaterThan(50)
  expect(node.stderr().length - before).toBeLessThan(5000)
})

test('requests of millions of fields over gRPC are refused before they become objects', async () => {
  const { counts } = await survive(node, 'manyFields')
  expect(Object.keys(counts)).toEqual(['code 3'])
})
