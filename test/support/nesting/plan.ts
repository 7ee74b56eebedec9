/** A plan of generated blocks, and its run in other processes. */
import { execFile } from 'node:child_process'
import { join, resolve } from 'node:path'

export interface NestingPlan {
  /** Depths of nestings of one container, and of each pair. */
  readonly depths: readonly number[]
  /** Depths of nestings of each triple. */
  readonly tripleDepths: readonly number[]
  readonly randomBlocks: number
  /** Blocks of another chain that the process executes before, so that its code is compiled. */
  readonly warmBlocks: number
  readonly seed: number
}

export interface NestingRun {
  readonly digest: string
  /** Number of results by codespace and code. */
  readonly outcomes: Readonly<Record<string, number>>
}

const root = resolve(import.meta.dirname, '../../..')

/** Executes a plan in a process of a Node binary with the given flags. */
export function runNesting(
  plan: NestingPlan,
  flags: readonly string[] = [],
  node = process.execPath,
): Promise<NestingRun> {
  const args = [...flags, '--import', 'tsx', join(root, 'test/support/nesting/main.ts'), JSON.stringify(plan)]
  return new Promise((done, fail) => {
    execFile(node, args, { cwd: root, maxBuffer: 10 ** 8 }, (error, stdout, stderr) => {
      if (error) fail(new Error(`${node} ${flags.join(' ')}: ${error.message.slice(0, 300)}\n${stderr.slice(-4000)}`))
      else done(JSON.parse(stdout) as NestingRun)
    })
  })
}

/** Returns further Node binaries to compare with: the paths in ALMANAC_NODES, separated by colons. */
export function otherNodes(): readonly string[] {
  return (process.env['ALMANAC_NODES'] ?? '').split(':').filter((path) => path !== '')
}
