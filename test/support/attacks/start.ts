/** Attacks as processes of their own. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { NodeProcess } from '../process.ts'
import type { AttackName } from './all.ts'
import type { Counts } from './target.ts'

export interface RunningAttacks {
  /** Ends the attacks. Resolves with the counts of each. */
  stop(): Promise<Partial<Record<AttackName, Counts>>>
}

/** Starts attacks in a process of low priority. Resolves once they are prepared; rejects with their output if one fails. */
export async function startAttacks(
  { config }: Pick<NodeProcess, 'config'>,
  names: readonly AttackName[],
): Promise<RunningAttacks> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, 'run.ts'), ...names], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const output = child.stdout.pipe(new PassThrough())
  const whole = text(child.stdout)
  const errors = text(child.stderr)
  // The input stays open until the stop, and ends with this process.
  child.stdin.on('error', () => {})
  child.stdin.write(`${JSON.stringify(config)}\n`)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const isReady = new Promise<boolean>((resolve) => {
    output.once('data', () => resolve(true))
    void ended.then(() => resolve(false))
  })
  if (!(await isReady)) throw new Error(`attacks ${names.join(', ')}: ${await errors}`)
  return {
    async stop() {
      child.stdin.end()
      await ended
      const [, counts] = (await whole).trim().split('\n')
      if (counts === undefined) throw new Error(`attacks ${names.join(', ')}: ${await errors}`)
      return JSON.parse(counts)
    },
  }
}
