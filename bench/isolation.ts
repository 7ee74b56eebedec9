/**
 * Intervals of 1 s blocks while clients keep one compute worker busy, against the same node idle. Writes them to `bench/data/`, from which
 * `npm run charts` draws.
 */
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { startProcess } from '../test/support/process.ts'
import { loopOf } from './evm/loop.ts'
import { receiptOf } from './support/load.ts'

const SECONDS = Number(process.argv[2] ?? 60)
const STEPS = 100_000
const { abi, bytecode } = createRequire(import.meta.url)(
  '@openzeppelin/contracts/build/contracts/ERC20PresetFixedSupply.json',
)
const MNEMONIC_KEY: Hex = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const agent = new Agent({ keepAlive: true })

await using node = await startProcess(['--ephemeral', '--block-time', '1s', '--compute-workers', '1'])
const { jsonrpc, comet } = (node.config as unknown as { urls: Record<string, string> }).urls

/** Sends a request and reads the answer to its end. Resolves with its length, and its text if that is short. */
function ask(method: string, params: readonly unknown[]): Promise<{ readonly bytes: number; readonly text: string }> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const asked = request(jsonrpc!, { method: 'POST', agent, headers }, (answer) => {
      let bytes = 0
      let text = ''
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes < 10_000) text += chunk.toString()
      })
      answer.on('end', () => resolve({ bytes, text }))
      answer.on('error', reject)
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

async function result<Result>(method: string, params: readonly unknown[]): Promise<Result> {
  return (JSON.parse((await ask(method, params)).text) as { result: Result }).result
}

async function deployToken(): Promise<Hex> {
  const owner = privateKeyToAccount(MNEMONIC_KEY)
  const data = encodeDeployData({ abi, bytecode, args: ['Gold', 'GLD', 10n ** 24n, owner.address] })
  const chainId = Number(await result<Hex>('eth_chainId', []))
  const fields = { type: 'legacy', chainId, nonce: 0, gas: 2_000_000n, gasPrice: 10n ** 12n, data } as const
  const hash = await result<Hex>('eth_sendRawTransaction', [await owner.signTransaction(fields)])
  return (await receiptOf(jsonrpc!, hash)).contractAddress as Hex
}

const token = await deployToken()
const balanceOf = encodeFunctionData({
  abi,
  functionName: 'balanceOf',
  args: [privateKeyToAccount(MNEMONIC_KEY).address],
})

/** Address of code that loops until its gas is used up. */
const spin = `0x${'c1'.repeat(20)}`
const LOADS: Readonly<
  Record<string, { readonly connections: number; readonly ask: () => Promise<{ bytes: number; text: string }> }>
> = {
  idle: { connections: 0, ask: () => Promise.resolve({ bytes: 0, text: '' }) },
  'endless eth_call': {
    connections: 16,
    ask: () => ask('eth_call', [{ to: spin }, 'latest', { [spin]: { code: '0x5b5f56' } }]),
  },
  'eth_call of balanceOf': { connections: 16, ask: () => ask('eth_call', [{ to: token, data: balanceOf }, 'latest']) },
  'traces of 100,000 steps': {
    connections: 8,
    ask: () =>
      ask('debug_traceCall', [{ to: spin }, 'latest', { stateOverrides: { [spin]: { code: loopOf(STEPS) } } }]),
  },
}

/** Returns the times of the blocks from one height to another. Unit: milliseconds. */
async function blockTimes(from: number, to: number): Promise<number[]> {
  const times: number[] = []
  for (let low = from; low <= to; low += 20) {
    const high = Math.min(to, low + 19)
    const answer = await fetch(`${comet}/blockchain?minHeight=${low}&maxHeight=${high}`)
    const { result: page } = (await answer.json()) as { result: { block_metas: { header: { time: string } }[] } }
    times.push(...page.block_metas.map(({ header }) => Date.parse(header.time)).reverse())
  }
  return times
}

async function measure({ connections, ask: once }: (typeof LOADS)[string]) {
  const end = performance.now() + SECONDS * 1000
  let answers = 0
  let bytes = 0
  const failures = new Map<string, number>()
  const first = Number(await result<Hex>('eth_blockNumber', [])) + 1
  const work = Array.from({ length: connections }, async () => {
    while (performance.now() < end) {
      const answer = await once()
      bytes += answer.bytes
      answers++
      if (answer.text.includes('"error"')) failures.set(answer.text, (failures.get(answer.text) ?? 0) + 1)
    }
  })
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000))
  await Promise.all(work)
  for (const [text, times] of failures) console.log(`  ${times} times ${text.slice(0, 200)}`)
  const last = Number(await result<Hex>('eth_blockNumber', []))
  const times = await blockTimes(first, last)
  const intervalsMs = times.slice(1).map((time, i) => time - times[i]!)
  const intervals = [...intervalsMs].sort((a, b) => a - b)
  const at = (share: number): number => intervals[Math.min(intervals.length - 1, Math.floor(intervals.length * share))]!
  return { intervalsMs, p50: at(0.5), p99: at(0.99), answers: answers / SECONDS, megabytes: bytes / 1e6 / SECONDS }
}

let idle = 0
const measured: { readonly load: string; readonly connections: number; readonly intervalsMs: readonly number[] }[] = []
for (const [name, load] of Object.entries(LOADS)) {
  const { intervalsMs, p50, p99, answers, megabytes } = await measure(load)
  idle ||= p99
  measured.push({ load: name, connections: load.connections, intervalsMs })
  const rates = load.connections === 0 ? '' : `, ${answers.toFixed(0)} answers and ${megabytes.toFixed(0)} MB a second`
  console.log(`${name}: interval ${p50} ms, p99 ${p99} ms, ${(p99 / idle).toFixed(3)} of idle${rates}`)
}
agent.destroy()
writeFileSync(join(import.meta.dirname, 'data/isolation.json'), `${JSON.stringify(measured)}\n`)
