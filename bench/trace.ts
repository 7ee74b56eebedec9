/**
 * Traces against anvil's, same run, same machine: one transaction of about 100,000 steps, as struct log without memory and by callTracer.
 * Ours is traced in this process and its result parsed as text; anvil has recorded the steps (`--steps-tracing`) and answers over JSON-RPC.
 * Then ten million steps, and what memory they took. `npm run bench -- trace [PATH OF ANVIL]`; without a path `npx @foundry-rs/anvil`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { rulesOf } from '../src/evm/forks.ts'
import { createEvm } from '../src/evm/host.ts'
import type { Tracer } from '../src/evm/trace.ts'
import { traceFactoryOf } from '../src/evm/tracers/create.ts'
import { createOutput } from '../src/evm/tracers/output.ts'
import { concat, encodeUint, formatHex0x, hex, utf8 } from '../src/primitives/bytes.ts'
import { keccak256 } from '../src/primitives/hash.ts'
import { createMemoryState } from '../test/evm/memory-state.ts'
import { compileWorkloads } from './evm/solidity.ts'

const CONTRACT = hex('2222222222222222222222222222222222222222')
const GAS = 1n << 40n
const TX_GAS = 16_000_000n
const PORT = 20_000 + (process.pid % 20_000)
const ROUNDS = 9
const BLOCK = {
  number: 1n,
  timestamp: 1n,
  coinbase: new Uint8Array(20),
  gasLimit: GAS,
  prevRandao: new Uint8Array(32),
  difficulty: 0n,
  baseFee: 0n,
  blobBaseFee: 1n,
  chainId: 1n,
}

const code = compileWorkloads()
const rules = rulesOf('Prague')
const dataOf = (width: bigint, height: bigint): Uint8Array =>
  concat(keccak256(utf8('render(uint256,uint256)')).slice(0, 4), encodeUint(width, 32), encodeUint(height, 32))
const DATA = dataOf(16n, 3n)

interface Measured {
  readonly ms: number
  readonly bytes: number
}

/** Runs the workload under a tracer, and counts what it writes. */
function ours(name: string, caller: Uint8Array, data: Uint8Array, config?: object): Measured {
  const state = createMemoryState()
  state.put(CONTRACT, { nonce: 1n, code })
  let bytes = 0
  const start = performance.now()
  const output = createOutput((chunk) => {
    bytes += chunk.length
  })
  const trace = traceFactoryOf(name)({ config, context: { blockNumber: 1n }, output, heldBytes: 1 << 28 })
  const { tracer }: { tracer: Tracer } = trace
  const tx = { origin: caller, gasPrice: 0n, blobHashes: [] }
  const evm = createEvm({ state, rules, block: BLOCK, tx, precompiles: new Map(), tracer })
  const { success, gasLeft, output: returned } = evm.call({ caller, to: CONTRACT, valueWei: 0n, data, gas: GAS })
  tracer.end?.({ success, gasUsed: GAS - gasLeft, output: returned }, evm.journal)
  trace.finish()
  output.flush()
  return { ms: performance.now() - start, bytes }
}

async function ask(method: string, params: readonly unknown[]): Promise<{ result: unknown; text: string }> {
  const response = await fetch(`http://127.0.0.1:${PORT}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const text = await response.text()
  if (text.length > 1 << 20) return { result: undefined, text }
  const { result, error } = JSON.parse(text) as { result?: unknown; error?: { message: string } }
  if (error) throw new Error(error.message)
  return { result, text }
}

async function theirs(hash: string, options: object): Promise<Measured> {
  const start = performance.now()
  const { text } = await ask('debug_traceTransaction', [hash, options])
  return { ms: performance.now() - start, bytes: text.length }
}

function startAnvil(path: string | undefined): ChildProcess {
  const flags = ['--port', `${PORT}`, '--hardfork', 'prague', '--gas-limit', '30000000', '--steps-tracing', '--silent']
  return path
    ? spawn(path, flags, { stdio: 'inherit' })
    : spawn('npx', ['--yes', '@foundry-rs/anvil@1.7.1', ...flags], { stdio: 'inherit', detached: true })
}

async function ready(): Promise<void> {
  for (let i = 0; i < 600; i++) {
    try {
      await ask('eth_chainId', [])
      return
    } catch {
      await setTimeout(100)
    }
  }
  throw new Error('anvil did not start')
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!
const shown = ({ ms, bytes }: Measured): string => `${ms.toFixed(1)} ms, ${(bytes / 1e6).toFixed(1)} MB`

async function compareWithAnvil(): Promise<void> {
  const [sender] = (await ask('eth_accounts', [])).result as string[]
  await ask('anvil_setCode', [formatHex0x(CONTRACT), formatHex0x(code)])
  const call = { from: sender, to: formatHex0x(CONTRACT), data: formatHex0x(DATA), gas: `0x${TX_GAS.toString(16)}` }
  const hash = (await ask('eth_sendTransaction', [call])).result as string
  const caller = hex(sender!.slice(2))
  const cases = [
    { name: '', about: 'struct log without memory', theirOptions: { disableMemory: true } },
    { name: 'callTracer', about: 'callTracer', theirOptions: { tracer: 'callTracer' } },
  ]
  for (const { name, about, theirOptions } of cases) {
    ours(name, caller, DATA)
    await theirs(hash, theirOptions)
    const rounds: { mine: Measured; other: Measured }[] = []
    for (let i = 0; i < ROUNDS; i++)
      rounds.push({ mine: ours(name, caller, DATA), other: await theirs(hash, theirOptions) })
    const mine = { ms: median(rounds.map((round) => round.mine.ms)), bytes: rounds[0]!.mine.bytes }
    const other = { ms: median(rounds.map((round) => round.other.ms)), bytes: rounds[0]!.other.bytes }
    process.stdout.write(`${about}: ours ${shown(mine)}; anvil ${shown(other)}\n`)
    process.stdout.write(`  ${(other.ms / mine.ms).toFixed(2)} times as fast as anvil\n`)
  }
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

/** The most that this process ever took is what counts: before, everything has run once. */
function measureMemory(): void {
  const data = dataOf(240n, 18n)
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
const path = process.argv[2]
const anvil = startAnvil(path)
try {
  await ready()
  await compareWithAnvil()
} finally {
  // npx runs anvil below itself: the whole group ends.
  if (path) anvil.kill()
  else if (anvil.pid !== undefined) process.kill(-anvil.pid)
}
