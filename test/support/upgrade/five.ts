/** A chain upgraded five times by governance in one process, whose recorded reads are repeated and compared. */
import { Agent, get } from 'node:http'
import { labModules, labUpgrades, labVersions } from '../../../src/app/upgrades/testing/modules.ts'
import { startNode } from '../../../src/index.ts'
import { rpc } from '../rpc.ts'
import { heightOf, proposePlan, VOTING_SECONDS } from './governance.ts'
import { operationsOf } from './operations.ts'

export interface FiveOptions {
  /** Minimum number of blocks between two upgrades. */
  readonly blocks: number
  /** Operations queried at each new height; all by default. */
  readonly perHeight?: number
  /** Number of recorded pairs of operation and height that are queried again. */
  readonly pairs: number
  readonly readsPerSecond: number
  readonly seed: number
}

export interface FiveReport {
  readonly operations: number
  readonly recorded: number
  /** Reads during the upgrades, and their duration. */
  readonly reads: number
  readonly seconds: number
  /** Reads that failed or differed. */
  readonly failed: readonly string[]
  /** Repeated pairs with a different answer. */
  readonly different: readonly string[]
  /** Heights of the upgrades. */
  readonly applied: readonly number[]
  /** Recorded answers by status. */
  readonly statuses: Readonly<Record<number, number>>
}

/** Concurrent reads. */
const MAX_AT_ONCE = 64

interface Answer {
  readonly status: number
  readonly body: string
}

function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

export async function upgradeFiveTimes(options: FiveOptions): Promise<FiveReport> {
  const below = seeded(options.seed)
  await using node = await startNode(
    { chain: { votingPeriod: `${VOTING_SECONDS}s` }, evm: { timeout: '100s' } },
    { build: { modules: labModules, upgrades: labUpgrades, firstVersions: labVersions } },
  )
  const chain = {
    chain_id: node.chainId,
    urls: node.urls,
    accounts: node.accounts.map(({ bech32, privateKey }) => ({ bech32, private_key: privateKey })),
  }
  const operations = operationsOf(node.accounts[0]!)

  const { hostname, port } = new URL(node.urls.rest)
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const ask = (path: string, height: number): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = { 'x-sdk-block-height': String(height) }
      get({ hostname, port, path, agent, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => resolve({ status: response.statusCode!, body: Buffer.concat(chunks).toString() }))
        response.on('error', reject)
      }).on('error', reject)
    })

  const recorded: { path: string; height: number; answer: Answer }[] = []
  const statuses: Record<number, number> = {}
  /** Queries operations at the latest height for the first time, and records the answers. */
  async function record(): Promise<void> {
    const height = Number(node.height)
    const { perHeight = operations.length } = options
    for (let i = 0; i < perHeight; i++) {
      const path = operations[perHeight === operations.length ? i : below(operations.length)]!
      const answer = await ask(path, height)
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
      recorded.push({ path, height, answer })
    }
  }

  const failed: string[] = []
  let reads = 0
  let isOver = false
  const begun = performance.now()
  /** Sends reads at a fixed rate, of recorded pairs and of the latest height, independently of the chain. */
  async function readOn(): Promise<void> {
    const running = new Set<Promise<void>>()
    while (!isOver) {
      const behind = Math.floor(((performance.now() - begun) / 1000) * options.readsPerSecond) - reads
      const due = Math.min(behind, MAX_AT_ONCE - running.size)
      for (let i = 0; i < due; i++) {
        reads++
        const read = readOne().catch((error) => void failed.push(String(error)))
        running.add(read)
        void read.finally(() => running.delete(read))
      }
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await Promise.all(running)
  }
  async function readOne(): Promise<void> {
    const known = recorded[below(recorded.length)]
    if (known && below(2) === 0) {
      const { status, body } = await ask(known.path, known.height)
      if (body !== known.answer.body) failed.push(`${known.path} at ${known.height}: ${status} ${body}`)
      return
    }
    const path = operations[below(operations.length)]!
    const { status, body } = await ask(path, 0)
    if (status >= 500 && !body.includes('is not part of the chain at height')) failed.push(`${path}: ${status} ${body}`)
  }

  const reading = readOn()
  const applied: number[] = []
  const mine = async (): Promise<void> => {
    await rpc(chain, 'evm_mine')
    await record()
  }
  /** Waits for a tenth of a second's worth of reads, so that every stretch is read on any machine. */
  const beRead = async (): Promise<void> => {
    const enough = reads + options.readsPerSecond / 10
    while (reads < enough) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  for (const { name } of labUpgrades) {
    const start = await heightOf(chain)
    // Two blocks to propose and vote, one to end the vote.
    const height = start + Math.max(options.blocks, 4)
    await proposePlan(chain, name, height)
    await rpc(chain, 'evm_increaseTime', [VOTING_SECONDS + 1])
    await beRead()
    while ((await heightOf(chain)) < height) await mine()
    applied.push(height)
  }
  await beRead()
  for (let i = 0; i < options.blocks; i++) await mine()
  isOver = true
  await reading
  const seconds = (performance.now() - begun) / 1000

  const different: string[] = []
  for (let i = 0; i < options.pairs; i++) {
    const { path, height, answer } = recorded[below(recorded.length)]!
    const now = await ask(path, height)
    if (now.status !== answer.status || now.body !== answer.body) {
      different.push(`${path} at ${height}: ${now.status} ${now.body} instead of ${answer.status} ${answer.body}`)
    }
  }
  return {
    operations: operations.length,
    ...{ recorded: recorded.length, reads, seconds, failed, different, applied, statuses },
  }
}
