/** Limits of the built program that bundling can lose. */
import { expect, test } from 'vitest'
import { NOBODY } from './support/attacks/code.ts'
import { GREEDY_TRACER } from './support/attacks/execution.ts'
import { startProcess } from './support/process.ts'
import { ask } from './support/rpc.ts'

const MB = 1_000_000

test('a tracer script of the built program ends at its memory limit', async () => {
  await using node = await startProcess(['--ephemeral', '--evm-timeout', '100s'])
  const trace = (tracer: string) =>
    ask(node.config, 'debug_traceCall', [{ to: NOBODY }, 'latest', { tracer, timeout: '100s' }])
  await trace('callTracer')
  const idle = node.memoryBytes()
  let peak = idle
  const watch = setInterval(() => {
    peak = Math.max(peak, node.memoryBytes())
  }, 20)
  const answer = await trace(GREEDY_TRACER)
  clearInterval(watch)
  expect(answer.error?.message).toMatch(/memory/)
  expect(peak - idle).toBeLessThan(150 * MB)
})
