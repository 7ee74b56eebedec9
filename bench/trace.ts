/**
 * Traces against anvil's in the same run, both over JSON-RPC (`debug_traceTransaction`): one transaction of about 100,000 steps,
 * as struct log without memory and by callTracer. Anvil recorded the steps when it executed them (`--steps-tracing`); our node
 * executes them again. Then the memory for ten million steps in this process, and for the longest `eth_call` through the node.
 * `npm run bench -- trace [PATH OF ANVIL]`; without a path `npx @foundry-rs/anvil`.
 */
import { rulesOf } from '../src/evm/forks.ts'
import { createEvm } from '../src/evm/host.ts'
import type { Tracer } from '../src/evm/trace.ts'
import { traceFactoryOf } from '../src/evm/tracers/create.ts'
import { createOutput } from '../src/evm/tracers/output.ts'
import { formatHex0x } from '../src/primitives/bytes.ts'
import { createMemoryState } from '../test/support/evm/memory-state.ts'
import { BLOCK, CONTRACT, GAS, renderData } from './evm/block.ts'
import { compileWorkloads } from './evm/solidity.ts'
import { startAnvil } from './support/anvil.ts'
import { call, type NodeProcess, receiptOf, startNodeProcess } from './support/load.ts'
import { median } from './support/median.ts'

const TX_GAS = 2_000_000n
const ROUNDS = 9

const code = compileWorkloads()
const rules = rulesOf('Prague')
const DATA = renderData(16n, 3n)

interface Measured {
  readonly ms: number
  readonly bytes: number
}

/** Runs the workload under a tracer and counts its output. */
function ours(name: string, caller: Uint8Array, data: Uint8Array, config?: object): Measured {
  const state = createMemoryState()
  state.put(CONTRACT, { nonce: 1n, code })
  let bytes = 0
  const start = performance.now()
  const output = createOutput((chunk) => {
    bytes += chunk.length
  })
  const trace = traceFactoryOf(name)({ config, context: { blockNumber: 1n }, output, memoryBytes: 1 << 28 })
  const { tracer }: { tracer: Tracer } = trace
  const tx = { origin: caller, gasPrice: 0n, blobHashes: [] }
  const evm = createEvm({ state, rules, block: BLOCK, tx, precompiles: new Map(), tracer })
  const { success, gasLeft, output: returned } = evm.call({ caller, to: CONTRACT, valueWei: 0n, data, gas: GAS })
  tracer.end?.({ success, gasUsed: GAS - gasLeft, output: returned }, evm.journal)
  trace.finish()
  output.flush()
  return { ms: performance.now() - start, bytes }
}

/** Requests a trace and counts the answer without storing it. Throws if it is an error. */
async function traceOver(url: string, method: string, params: readonly unknown[]): Promise<Measured> {
  const start = performance.now()
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  let bytes = 0
  let beginning = ''
  for await (const chunk of response.body!) {
    if (beginning.length < 200) beginning += Buffer.from(chunk as Uint8Array).toString('latin1')
    bytes += (chunk as Uint8Array).length
  }
  if (beginning.includes('"error":{')) throw new Error(beginning.slice(0, 300))
  return { ms: performance.now() - start, bytes }
}

const shown = ({ ms, bytes }: Measured): string => `${ms.toFixed(1)} ms, ${(bytes / 1e6).toFixed(1)} MB`

/** Deploys the contract and sends the transaction. Returns its hash once it is in a block. */
async function prepare(url: string): Promise<string> {
  const [from] = (await call(url, 'eth_accounts', [])) as string[]
  await call(url, 'anvil_setCode', [formatHex0x(CONTRACT), formatHex0x(code)])
  const message = { from, to: formatHex0x(CONTRACT), data: formatHex0x(DATA), gas: `0x${TX_GAS.toString(16)}` }
  const hash = (await call(url, 'eth_sendTransaction', [message])) as string
  const { status } = await receiptOf(url, hash)
  if (status !== '0x1') throw new Error('the transaction failed')
  return hash
}

async function compare(mineUrl: string, otherUrl: string): Promise<void> {
  const [mineHash, otherHash] = [await prepare(mineUrl), await prepare(otherUrl)]
  const cases = [
    { about: 'struct log without memory', mineOptions: {}, otherOptions: { disableMemory: true } },
    { about: 'callTracer', mineOptions: { tracer: 'callTracer' }, otherOptions: { tracer: 'callTracer' } },
  ]
  for (const { about, mineOptions, otherOptions } of cases) {
    const mine = () => traceOver(mineUrl, 'debug_traceTransaction', [mineHash, mineOptions])
    const other = () => traceOver(otherUrl, 'debug_traceTransaction', [otherHash, otherOptions])
    await mine()
    await other()
    const rounds: { mine: Measured; other: Measured }[] = []
    for (let i = 0; i < ROUNDS; i++) rounds.push({ mine: await mine(), other: await other() })
    const middle = (side: 'mine' | 'other'): Measured => ({
      ms: median(rounds.map((round) => round[side].ms)),
      bytes: rounds[0]![side].bytes,
    })
    process.stdout.write(`${about}: ours ${shown(middle('mine'))}; anvil ${shown(middle('other'))}\n`)
    process.stdout.write(`  ${(middle('other').ms / middle('mine').ms).toFixed(2)} times as fast as anvil\n`)
  }
}

/** Measures the node's memory while it traces the longest possible call. */
async function measureNode({ config, rssBytes }: NodeProcess): Promise<void> {
  const before = rssBytes()
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, rssBytes())
  }, 20)
  const message = { to: formatHex0x(CONTRACT), data: formatHex0x(renderData(240n, 11n)) }
  const result = await traceOver(config.urls.jsonrpc, 'debug_traceCall', [message, 'latest', { timeout: '60s' }])
  clearInterval(watch)
  const above = ((most - before) / 2 ** 20).toFixed(0)
  process.stdout.write(`struct log of a call through the node: ${shown(result)}, ${above} MiB above idle at most\n`)
}

/** Counts the steps of a run. */
function stepsOf(data: Uint8Array): number {
  let steps = 0
  const state = createMemoryState()
  state.put(CONTRACT, { nonce: 1n, code })
  const caller = new Uint8Array(20)
  const tracer: Tracer = {
    reads: () => ({ stack: false, memory: false }),
    steps: ({ start, end, format }) => {
      for (let at = start; at < end; ) {
        const { count, next } = format(at, { withStack: false, open: 'none' }, Number.POSITIVE_INFINITY)
        steps += count
        at = next
      }
    },
  }
  const tx = { origin: caller, gasPrice: 0n, blobHashes: [] }
  createEvm({ state, rules, block: BLOCK, tx, precompiles: new Map(), tracer }).call({
    caller,
    to: CONTRACT,
    valueWei: 0n,
    data,
    gas: GAS,
  })
  return steps
}

/** Measures the peak memory of a long struct log in this process, after one run for warming up. */
function measureMemory(): void {
  const data = renderData(240n, 18n)
  const steps = stepsOf(data)
  ours('', new Uint8Array(20), DATA)
  globalThis.gc?.()
  const before = process.resourceUsage().maxRSS
  const result = ours('', new Uint8Array(20), data)
  const above = (process.resourceUsage().maxRSS - before) / 1024
  process.stdout.write(
    `struct log of ${(steps / 1e6).toFixed(1)} million steps: ${shown(result)}, ${above.toFixed(0)} MiB above idle at most\n`,
  )
}

process.stdout.write(`the transaction has ${stepsOf(DATA)} steps\n`)
measureMemory()
const anvil = await startAnvil(process.argv[2], ['--hardfork', 'prague', '--gas-limit', '30000000', '--steps-tracing'])
const node = await startNodeProcess(['--ephemeral', '--evm-timeout', '60s'])
try {
  await compare(node.config.urls.jsonrpc, anvil.url)
  await measureNode(node)
} finally {
  await node.end()
  anvil.end()
}
