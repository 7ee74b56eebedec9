/** Chains whose build changes: node processes with their own homes, their output, and queries to them. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { FREE_PORTS, type NodeProcess, startProcess } from '../process.ts'
import { rpc } from '../rpc.ts'
import { bundle } from './bundle.ts'
import { endVoting, heightOf, mineTo, proposePlan, VOTING_SECONDS } from './governance.ts'

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface Lab {
  /** The folder of a chain. */
  homeOf(name: string): string
  /** Path of its `upgrade-info.json`. */
  fileOf(name: string): string
  /** Starts the named build on a home; '' is the unchanged build, which has no handler. */
  start(home: string, build?: string, more?: readonly string[]): Promise<NodeProcess>
  /** Starts a build that is expected to exit. */
  run(home: string, build?: string, more?: readonly string[]): Promise<Ended>
  /** Runs a command of a build to its end. */
  command(build: string, ...words: readonly string[]): Promise<Ended>
  close(): void
}

/** Creates the lab. `name` separates test files that run at the same time. */
export async function openLab(name: string): Promise<Lab> {
  const scratch = mkdtempSync(join(tmpdir(), `almanac-${name}-`))
  const path = await bundle(name)
  const homeOf = (home: string) => join(scratch, home)
  const flagsOf = (home: string, more: readonly string[]) => [
    ...[
      '--home',
      homeOf(home),
      '--voting-period',
      `${VOTING_SECONDS}s`,
      '--compute-workers',
      '0',
      '--api-workers',
      '0',
      ...more,
    ],
  ]
  const command: Lab['command'] = (build, ...words) =>
    new Promise((done) => {
      execFile(process.execPath, [path, ...words], { env: { ...process.env, TEST_BUILD: build } }, (error, out, err) =>
        done({ code: error ? Number(error.code) : 0, out, err }),
      )
    })
  return {
    homeOf,
    fileOf: (home) => join(homeOf(home), 'data/upgrade-info.json'),
    start: (home, build = '', more = []) =>
      startProcess(flagsOf(home, more), { path, environment: { TEST_BUILD: build } }),
    run: (home, build = '', more = []) =>
      command(build, 'start', '--silent', '--no-feeder', ...FREE_PORTS, ...flagsOf(home, more)),
    command,
    close: () => rmSync(scratch, { recursive: true, force: true }),
  }
}

/** Polls the output of a process, which can arrive later than its answers. */
export const wrote = (text: () => string) => expect.poll(text)

/** Returns the `upgrade-info.json` of a plan without info. */
export const plainFile = (name: string, height: number): string =>
  `{"name":"${name}","time":"0001-01-01T00:00:00Z","height":${height}}`

export const textOf = (path: string): string => readFileSync(path, 'utf8')

/** Plans an upgrade for the tenth block from now and makes the blocks before it. Resolves with its height. */
export async function planned({ config }: NodeProcess, name = 'v2', info = ''): Promise<number> {
  const height = (await heightOf(config)) + 10
  await proposePlan(config, name, height, info)
  await endVoting(config)
  await mineTo(config, height - 1)
  return height
}

/** Sends a transaction, whose arrival makes a block. */
export function transfer({ config }: NodeProcess): Promise<unknown> {
  const [from, to] = config.accounts.map(({ address }) => address)
  return rpc(config, 'eth_sendTransaction', [{ from, to, value: '0x1' }])
}

/** Returns the reason for which a build without the handler halts at a height. */
export const needed = (height: number): string =>
  `upgrade "v2" is needed at height ${height}, and this build has no handler for it; ` +
  'run the release with the handler "v2" on the same home'
