/** Clients that request long answers over any protocol and do not read them, against the built program. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectCleanStop, startDefault, survive } from '../support/attacks/survive.ts'
import { answersIn } from '../support/attacks/target.ts'
import type { NodeProcess } from '../support/process.ts'

/** The buffers of the system take the first megabytes. */
const ATTACK_MS = 5000

let node: NodeProcess
beforeAll(async () => {
  // One page of accounts is longer than what a client takes without reading.
  node = await startDefault(['--accounts', '300'])
})
afterAll(() => expectCleanStop(node))

test('300 HTTP clients that never read cannot fill the memory, and others are answered', async () => {
  const { counts } = await survive(node, 'unreadHttp', ATTACK_MS)
  expect(counts['opened']).toBeGreaterThanOrEqual(300)
  expect(answersIn(counts)).toBeGreaterThan(0)
})

test('20 HTTP clients that pipeline requests without end cannot fill the memory, and others are answered', async () => {
  const { counts } = await survive(node, 'pipelined', ATTACK_MS)
  expect(answersIn(counts)).toBeGreaterThan(0)
})

test('40 WebSocket clients that never read cannot fill the memory, and others are answered', async () => {
  const { counts } = await survive(node, 'unreadWebSocket', ATTACK_MS)
  expect(answersIn(counts)).toBeGreaterThan(0)
})

test('40 CometBFT WebSocket clients that never read events and answers cannot fill the memory, and others are answered', async () => {
  const { counts } = await survive(node, 'unreadEvents', ATTACK_MS)
  expect(answersIn(counts)).toBeGreaterThan(0)
})

test('40 gRPC clients with 250 calls each that take no byte cannot fill the memory, and others are answered', async () => {
  const { counts } = await survive(node, 'unreadGrpc', ATTACK_MS)
  expect(answersIn(counts)).toBeGreaterThan(0)
})
