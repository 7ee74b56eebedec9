import { expect, test } from 'vitest'
import { startNode } from '../src/index.ts'
import { post } from './support/rpc.ts'

/** Calls an address without code eight times, with a megabyte of zeros each. */
const CODE = '0x60085b5f5f621000005f5f60c15af150600190038060025700'
/** JUMPDEST, and a jump back to it. */
const ENDLESS = '0x5b5f56'

/** Traces a call of the code, and reads the answer after the time limit of the trace. */
async function readLate(code: string, options: object, timeoutMs: number): Promise<unknown> {
  await using node = await startNode({ compute: { workers: 1 }, evm: { timeout: '100s' } })
  const to = `0x${'c0'.repeat(20)}`
  // The first job includes the start of its thread.
  await (await post(node, 'debug_traceCall', [{ to }, 'latest', { ...options, timeout: '100s' }])).text()
  const config = { ...options, timeout: `${timeoutMs}ms`, stateOverrides: { [to]: { code } } }
  const begun = performance.now()
  const answer = await post(node, 'debug_traceCall', [{ to }, 'latest', config])
  await new Promise((resolve) => setTimeout(resolve, timeoutMs + 600 - (performance.now() - begun)))
  return ((await answer.json()) as { result: unknown }).result
}

test('a trace that ends in time arrives whole, even if its client reads it after the limit', async () => {
  const result = (await readLate(CODE, { tracer: 'callTracer' }, 6000)) as {
    calls: { input: string }[]
    error?: string
  }
  expect(result.error).toBeUndefined()
  expect(result.calls.map(({ input }) => input.length)).toEqual(Array(8).fill(2 + 2 * 2 ** 20))
})

test('a struct log that exceeds its time ends well-formed and reports it', async () => {
  const result = (await readLate(ENDLESS, { disableStack: true }, 4000)) as { structLogs: object[]; truncated: string }
  expect(result.truncated).toBe('execution timeout')
  expect(result.structLogs.length).toBeGreaterThan(1000)
})
