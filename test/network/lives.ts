/** Nodes of a network with their engines as processes of a test: killed, stopped, frozen, wiped and started again. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { TestnetNode } from '../../src/node/testnet/manifest.ts'
import { trustOf } from '../../src/node/testnet/trust.ts'
import { heightOf, type Running, startAlmanac } from './processes.ts'

/** Process that a kill ends; the other ends by itself. */
export type Victim = 'node' | 'engine' | 'both'

export interface Life {
  readonly node: TestnetNode
  /** Number of times that it was killed. */
  kills(): number
  start(...flags: string[]): void
  /** Resolves once it answers and has a height, 0 by default. Rejects if it ends instead. */
  reach(height?: number): Promise<void>
  kill(victim: Victim): Promise<void>
  /** Stops it with its engine. */
  stop(): Promise<void>
  /** Freezes it with its engine. Returns a function that lets them go on. */
  freeze(): () => void
  /** Deletes the chain's data of node and engine, and starts again at a snapshot of others. */
  startOver(others: readonly TestnetNode[]): Promise<void>
}

/** Limit that only ends a hanging test. */
const LONGEST_MS = 300_000

/** Creates the life of a node, whose starts have some flags in common. */
export function createLife(node: TestnetNode, common: readonly string[]): Life {
  let running: Running | undefined
  let kills = 0

  /** Returns the process id of the engine; undefined if it has ended. Its file outlives it, so the command line decides. */
  function engine(): number | undefined {
    try {
      const pid = Number.parseInt(readFileSync(join(node.home, 'engine/engine.pid'), 'utf8'), 10)
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(node.home) ? pid : undefined
    } catch {
      return undefined
    }
  }

  const requireRunning = (): Running => {
    if (!running) throw new Error(`${node.home} does not run`)
    return running
  }

  /** Sends a signal to the processes that are there. */
  function signal(name: NodeJS.Signals, victim: Victim): void {
    const { child } = requireRunning()
    const pid = engine()
    if (victim !== 'engine') child.kill(name)
    if (victim !== 'node' && pid !== undefined) process.kill(pid, name)
  }

  const life: Life = {
    node,
    kills: () => kills,
    start(...flags) {
      running = startAlmanac('start', '--home', node.home, '--silent', '--insecure-keys', ...common, ...flags)
    },
    async reach(height = 0) {
      const limit = performance.now() + LONGEST_MS
      for (let found = -1; found < height; found = await heightOf(node)) {
        const { child, output } = requireRunning()
        const hasEnded = child.exitCode !== null || child.signalCode !== null
        if (hasEnded || performance.now() > limit) {
          const what = hasEnded ? 'has ended' : `is at ${found} and not at ${height}`
          throw new Error(`${node.home} ${what}: ${output().slice(-3000)}`)
        }
        await wait(100)
      }
    },
    async kill(victim) {
      const hasEngine = engine() !== undefined
      signal('SIGKILL', victim === 'engine' && !hasEngine ? 'both' : victim)
      await requireRunning().ended
      kills++
    },
    async stop() {
      if (!running) return
      running.child.kill('SIGTERM')
      await running.ended
    },
    freeze() {
      signal('SIGSTOP', 'both')
      return () => signal('SIGCONT', 'both')
    },
    async startOver(others) {
      await life.stop()
      const engine = join(node.home, 'engine/data')
      const databases = readdirSync(engine).filter((name) => name !== 'priv_validator_state.json')
      const gone = [
        join(node.home, 'data'),
        join(node.home, 'snapshots'),
        ...databases.map((name) => join(engine, name)),
      ]
      for (const path of gone) rmSync(path, { recursive: true })
      const { rpcServers, height, hash } = await trustOf(others)
      life.start(
        ...['--state-sync', '--state-sync-rpc-servers', rpcServers.join(',')],
        ...['--state-sync-trust-height', String(height), '--state-sync-trust-hash', hash],
      )
    },
  }
  return life
}
