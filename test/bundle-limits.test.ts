/** Limits of the built program that bundling can lose. */
import { expect, test } from 'vitest'
import { startProcess } from './support/process.ts'
import { ask } from './support/rpc.ts'

const MB = 1_000_000

/** A tracer that allocates without end while it is set up. */
const GREEDY =
  '{setup: function() { var all = []; for (;;) all.push(new Uint8Array(1 << 20)) }, fault: function() {}, result: function() {}}'

test('a tracer script of the built program ends at its memory limit', async () => {
  await using node = await startProcess(['--ephemeral', '--evm-timeout', '100s'])
  const trace = (tracer: string) =>
    ask(node.config, 'debug_traceCall', [{ to: `0x${'c0'.repeat(20)}` }, 'latest', { tracer, timeout: '100s' }])
  await trace('callTracer')
  const idle = node.memoryBytes()
  let peak = idle
  const watch = setInterval(() => {
    peak = Math.max(peak, node.memoryBytes())
  }, 20)
  const answer = await trace(GREEDY)
  clearInterval(watch)
  expect(answer.error?.message).toMatch(/memory/)
  expect(peak - idle).toBeLessThan(150 * MB)
})
