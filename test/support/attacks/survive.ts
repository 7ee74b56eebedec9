/** Short attacks on a node as a user starts it, with what each of them must leave unharmed. */
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { type NodeProcess, startProcess } from '../process.ts'
import type { AttackName } from './all.ts'
import { type Report, startHonest } from './honest.ts'
import { startAttacks } from './start.ts'
import { answersIn, type Counts } from './target.ts'

export const MB = 1_000_000
/** Limit of the growth of a process under any attack. */
export const GROWTH_LIMIT_BYTES = 512 * MB
/** Time of an attack in a short test, and the longest for one that the node has not answered: on a busy machine attackers come last. */
const ATTACK_MS = 4000
const LONGEST_ATTACK_MS = 20_000
const LOOK_MS = 200
/** An honest read waits at most so long, or on a busy machine this many times as long as the longest one before the attack. */
const LONGEST_READ_MS = 2500
const MOST_TIMES = 10
/** Without budgets no block is made until the attack ends. The chain has a block each second. */
const LONGEST_HEAD_GAP_MS = 8000
/** Time in which a node stops. */
const STOP_MS = 10_000

/** Starts the built program with its default settings on a temporary chain, on which its feeder votes and makes a block each second. */
export const startDefault = (flags: readonly string[] = []): Promise<NodeProcess> =>
  startProcess(['--ephemeral', '--feeder', 'true', ...flags])

/** The report of the honest clients and the counts of the attackers. */
export interface Outcome {
  readonly report: Report
  readonly counts: Counts
}

/** Runs an attack on a node with honest clients beside it, and expects that they are served and the memory stays bounded. */
export async function survive(node: NodeProcess, name: AttackName, attackMs = ATTACK_MS): Promise<Outcome> {
  const quiet = await startHonest(node)
  const idleBytes = node.memoryByProcess()
  const attacks = await startAttacks(node, [name])
  const idle = await quiet.stop()
  const honest = await startHonest(node, { idleBytes })
  const begun = performance.now()
  await wait(attackMs)
  while (answersIn(attacks.counts()[name] ?? {}) === 0 && performance.now() - begun < LONGEST_ATTACK_MS)
    await wait(LOOK_MS)
  const report = await honest.stop()
  const counts = (await attacks.stop())[name]!
  expect(report.failures).toEqual([])
  expect(report.peakBytes).toBeLessThan(GROWTH_LIMIT_BYTES)
  expect(report.reads.longest).toBeLessThan(Math.max(LONGEST_READ_MS, MOST_TIMES * idle.reads.longest))
  expect(report.longestHeadGapMs).toBeLessThan(LONGEST_HEAD_GAP_MS)
  expect(node.child.exitCode).toBeNull()
  return { report, counts }
}

/** Returns the lines of a node's log of a level. */
export const linesOf = (node: NodeProcess, level: 'warn' | 'error'): string[] =>
  (node.stderr() + node.stdout()).split('\n').filter((line) => line.includes(` ${level} `))

/** Expects that a node has logged no error and stops within seconds. */
export async function expectCleanStop(node: NodeProcess): Promise<void> {
  expect(linesOf(node, 'error')).toEqual([])
  node.child.kill('SIGTERM')
  expect(await Promise.race([node.ended, wait(STOP_MS, 'still running')])).toBe(0)
}
