/** A JavaScript tracer that counts opcodes: steps per second in the sandbox, the interpreter's time included. */
import { startNode } from '../src/index.ts'
import { loopOf } from './evm/loop.ts'

const STEPS = 2_000_000
const LIMIT_MS = 300

await using node = await startNode(
  { compute: { workers: 1 }, evm: { timeout: '60s', gasCap: 1_000_000_000n } } as object,
  {},
)

async function traceCall(steps: number, options: object): Promise<{ result?: unknown; error?: { message: string } }> {
  const to = `0x${'c0'.repeat(20)}`
  const params = [
    { to, gas: '0x3b9aca00' },
    'latest',
    { timeout: '60s', ...options, stateOverrides: { [to]: { code: loopOf(steps) } } },
  ]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_traceCall', params })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(node.urls.jsonrpc, { method: 'POST', headers, body })
  return (await answer.json()) as { result?: unknown; error?: { message: string } }
}

const TRACERS = {
  'one counter': '{n: 0, step: function () { this.n++ }, fault: function () {}, result: function () { return this.n }}',
  'a counter for each opcode':
    '{n: {}, step: function (log) { var op = log.op.toString(); this.n[op] = (this.n[op] || 0) + 1 }, fault: function () {}, result: function () { return this.n }}',
  'the top of the stack':
    '{n: 0, step: function (log) { if (log.stack.length() > 0) this.n += log.stack.peek(0).valueOf() & 1 }, fault: function () {}, result: function () { return this.n }}',
  opcountTracer: 'opcountTracer',
}

await traceCall(1000, { tracer: 'opcountTracer' })
for (const [name, tracer] of Object.entries(TRACERS)) {
  const begun = performance.now()
  const { error } = await traceCall(STEPS, { tracer })
  if (error) throw new Error(error.message)
  const ms = performance.now() - begun
  console.log(`${name}: ${(STEPS / ms / 1000).toFixed(2)} million steps per second`)
}

for (const [name, body] of Object.entries({
  'an endless loop': 'for (;;) {}',
  'one operation that does not end': "'a'.repeat(28).concat('b').match(/^(a+)+$/)",
})) {
  const tracer = `{step: function () { ${body} }, fault: function () {}, result: function () {}}`
  const begun = performance.now()
  let slowest = 0
  const answers = (async () => {
    while (performance.now() - begun < LIMIT_MS) {
      const asked = performance.now()
      await fetch(`${node.urls.rest}/chain/evm/v1/params`)
      slowest = Math.max(slowest, performance.now() - asked)
    }
  })()
  const { error } = await traceCall(1000, { tracer, timeout: `${LIMIT_MS}ms` })
  const late = performance.now() - begun - LIMIT_MS
  await answers
  console.log(
    `${name}: gone ${late.toFixed(0)} ms behind its timeout (${error?.message}); the slowest other answer took ${slowest.toFixed(1)} ms`,
  )
}
