/** Attacks as processes of their own. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { NodeProcess } from '../process.ts'
import type { AttackName } from './all.ts'
import type { Counts } from './target.ts'

export type CountsByAttack = Partial<Record<AttackName, Counts>>

export interface RunningAttacks {
  readonly names: readonly AttackName[]
  /** Returns the counts of each, up to half a second old. */
  counts(): CountsByAttack
  /** Ends the attacks. Resolves with the counts of each. */
  stop(): Promise<CountsByAttack>
}

/** Time in which a process of attacks ends. Beyond: it is killed, and the stop rejects. */
const LONGEST_STOP_MS = 60_000

/** Starts attacks in a process of low priority. Resolves once they are prepared; rejects with their output if one fails. */
export async function startAttacks(
  { config }: Pick<NodeProcess, 'config'>,
  names: readonly AttackName[],
): Promise<RunningAttacks> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, 'run.ts'), ...names], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let lines = 0
  let latest = '{}'
  const isReady = new Promise<boolean>((resolve) => {
    createInterface({ input: child.stdout })
      .on('line', (line) => {
        if (lines++ === 0) resolve(true)
        else latest = line
      })
      .once('close', () => resolve(false))
  })
  const errors = text(child.stderr)
  // The input stays open until the stop, and ends with this process.
  child.stdin.on('error', () => {})
  child.stdin.write(`${JSON.stringify(config)}\n`)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  if (!(await isReady)) throw new Error(`attacks ${names.join(', ')}: ${await errors}`)
  return {
    names,
    counts: () => JSON.parse(latest),
    async stop() {
      child.stdin.end()
      const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_STOP_MS)
      await ended
      clearTimeout(timer)
      if (child.signalCode !== null) throw new Error(`attacks ${names.join(', ')} did not end`)
      if (child.exitCode !== 0) throw new Error(`attacks ${names.join(', ')}: ${await errors}`)
      return JSON.parse(latest)
    },
  }
}
