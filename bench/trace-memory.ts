/** Memory of a node while it traces 10 million steps, above its idle memory. The client reads the answer as it arrives. */
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { startProcess } from '../test/support/process.ts'
import { loopOf } from './evm/loop.ts'

const STEPS = 10_000_000
const MAX_MEGABYTES = 128

await using node = await startProcess([
  '--ephemeral',
  '--compute-workers',
  '1',
  '--evm-gas-cap',
  '200000000',
  '--evm-timeout',
  '300s',
])
const { jsonrpc } = node.config.urls
const to = `0x${'c0'.repeat(20)}`

/** Reads a trace to its end. */
function trace(steps: number, options: object): Promise<{ readonly bytes: number; readonly end: string }> {
  const config = { ...options, timeout: '300s', stateOverrides: { [to]: { code: loopOf(steps) } } }
  const params = [{ to, gas: '0xbebc200' }, 'latest', config]
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const asked = request(jsonrpc, { method: 'POST', headers }, (answer) => {
      let bytes = 0
      let end = ''
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        end = chunk.subarray(-200).toString()
      })
      answer.on('end', () => resolve({ bytes, end }))
      answer.on('error', reject)
    })
    asked.on('error', reject)
    asked.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_traceCall', params }))
  })
}

/** Returns the resident set from `/proc`, without starting a process. Unit: megabytes. */
const resident = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${node.child.pid}/status`, 'utf8'))![1]) / 1024

const SCRIPT = '{n: 0, step: function () { this.n++ }, fault: function () {}, result: function () { return this.n }}'
for (const [name, options] of Object.entries({
  'struct log': {},
  callTracer: { tracer: 'callTracer' },
  'a JavaScript counter': { tracer: SCRIPT },
})) {
  await trace(1000, options)
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const idle = resident()
  let most = idle
  const timer = setInterval(() => {
    most = Math.max(most, resident())
  }, 20)
  const begun = performance.now()
  const { bytes, end } = await trace(STEPS, options)
  clearInterval(timer)
  if (end.includes('"error"')) throw new Error(end)
  const above = most - idle
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  const verdict = above < MAX_MEGABYTES ? 'within' : 'above'
  console.log(
    `${name}: ${above.toFixed(0)} MB above idle (${idle.toFixed(0)} MB), ${verdict} ${MAX_MEGABYTES}; ${(bytes / 1e6).toFixed(0)} MB of answer in ${seconds} s`,
  )
}
