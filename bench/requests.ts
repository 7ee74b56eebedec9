/**
 * Processor time of plain requests from 16 connections, in the process that answers them. `npm run bench -- requests [ROUNDS]
 * [API_WORKERS] [CHECKOUTS]`; CHECKOUTS are paths of built checkouts with commas, whose nodes run beside this one and answer in
 * turns with it. Prints the lowest of the rounds, and its ratio to that of this checkout.
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type NodeProcess, startProcess } from '../test/support/process.ts'
import { type RawLoad, rawLoad } from './support/raw-load.ts'

const ROUNDS = Number(process.argv[2] ?? 4)
const WORKERS = process.argv[3] ?? '0'
const OWN = resolve(import.meta.dirname, '..')
const CHECKOUTS = [OWN, ...(process.argv[4]?.split(',') ?? [])]
const CONNECTIONS = 16
const SECONDS = 1
/** Duration of a tick of the system's clock, in which it counts processor time. */
const TICK_US = 10_000

type Source = Pick<RawLoad, 'port' | 'paths' | 'bodies'>

const body = (method: string, params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

/** Returns the requests by name. */
function sourcesOf({ config }: NodeProcess): Readonly<Record<string, Source>> {
  const [rest, jsonrpc] = [config.urls.rest, config.urls.jsonrpc].map((url) => Number(new URL(url).port))
  const [account] = config.accounts
  const identity = '0x0000000000000000000000000000000000000004'
  return {
    'REST params': { port: rest!, paths: ['/sdk/bank/v1beta1/params'] },
    'REST balances': { port: rest!, paths: [`/sdk/bank/v1beta1/balances/${account!.bech32}`] },
    eth_getBalance: { port: jsonrpc!, bodies: [body('eth_getBalance', [account!.address, 'latest'])] },
    'eth_call of a precompile, cached': {
      port: jsonrpc!,
      bodies: [body('eth_call', [{ to: identity, data: '0x1234' }, 'latest'])],
    },
  }
}

/** Returns the processor time of the process that answers: the API worker if there is one. Unit: microseconds. */
function spentUs(node: NodeProcess): number {
  const pid = [...node.memoryByProcess().keys()].at(-1)
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_US
}

/** Sends requests for a second. Resolves with the processor time of each. Unit: microseconds. */
async function measure(node: NodeProcess, source: Source): Promise<number> {
  const before = spentUs(node)
  const { perSecond, failed } = await rawLoad({ ...source, connections: CONNECTIONS, seconds: SECONDS })
  if (failed > 0) throw new Error(`${failed} requests failed`)
  return (spentUs(node) - before) / (perSecond * SECONDS)
}

const nodes: NodeProcess[] = []
try {
  for (const checkout of CHECKOUTS) {
    const flags = ['--ephemeral', '--block-time', 'manual', '--api-workers', WORKERS]
    nodes.push(await startProcess(flags, { path: join(checkout, 'dist/almanac.cjs') }))
  }
  for (const name of Object.keys(sourcesOf(nodes[0]!))) {
    const lowest = nodes.map(() => Number.POSITIVE_INFINITY)
    // The first round only warms up.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [i, node] of nodes.entries()) {
        const us = await measure(node, sourcesOf(node)[name]!)
        if (round > 0) lowest[i] = Math.min(lowest[i]!, us)
      }
    }
    const others = CHECKOUTS.slice(1).map(
      (checkout, i) =>
        `; ${checkout}: ${lowest[i + 1]!.toFixed(1)} µs, ratio ${(lowest[0]! / lowest[i + 1]!).toFixed(2)}`,
    )
    console.log(`${name}: ${lowest[0]!.toFixed(1)} µs${others.join('')}`)
  }
} finally {
  for (const node of nodes) await node.kill('SIGKILL')
}
