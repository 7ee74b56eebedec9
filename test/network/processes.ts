/** A network of the built program with the real engine, on free ports of this machine. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { versionOf } from '../../src/node/engine/engine-version.ts'
import type { Testnet, TestnetNode } from '../../src/node/testnet/manifest.ts'

const PROGRAM = resolve(import.meta.dirname, '../../dist/almanac.cjs')

const ON_PATH = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'cometbft'))

/** The program of CometBFT: that of `ALMANAC_ENGINE` (see `surroundings.ts`), or `cometbft` on PATH; undefined without either. */
export const ENGINE = [process.env['COMETBFT'] ?? '', ...ON_PATH].find((path) => path !== '' && existsSync(path))

/** The program of CometBFT 0.37: that of `ALMANAC_ENGINE_037`, or `cometbft` on PATH if it is of that line; undefined without either. */
export const ENGINE_037 = [process.env['COMETBFT_037'] ?? '', ...ON_PATH].find(
  (path) => path !== '' && existsSync(path) && versionOf(path).startsWith('0.37.'),
)

export const NO_ENGINE = 'skipped: no cometbft on PATH, and none in ALMANAC_ENGINE'

/** Runs a command of the program to its end, and returns its output. */
export function almanac(...args: string[]): string {
  return execFileSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8' })
}

/** A command of the program that runs on. */
export interface Running {
  readonly child: ChildProcess
  readonly output: () => string
  readonly ended: Promise<number | null>
}

export function startAlmanac(...args: string[]): Running {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-100_000)
    })
  }
  const ended = new Promise<number | null>((done) => child.once('exit', done))
  return { child, output: () => output, ended }
}

/** Ports of a test, below those that the system hands out, and different for processes that run at once. */
const portOf = (pid: number): number => 21_000 + (pid % 180) * 60

/** Writes a network; `flags` can name another engine than `ENGINE`. */
export function writeNetwork(...flags: string[]): {
  readonly folder: string
  readonly testnet: () => Testnet
  remove(): void
} {
  const scratch = mkdtempSync(join(tmpdir(), 'almanac-network-'))
  const folder = join(scratch, 'net')
  const engine = flags.includes('--engine') ? [] : ['--engine', ENGINE!]
  almanac('testnet', '--output', folder, ...engine, '--base-port', String(portOf(process.pid)), ...flags)
  return {
    folder,
    testnet: () => JSON.parse(readFileSync(join(folder, 'testnet.json'), 'utf8')) as Testnet,
    remove: () => rmSync(scratch, { recursive: true, force: true }),
  }
}

/** Returns the process ids of a node and of its engine. */
export function processesOf({ home }: TestnetNode): { readonly node: number; readonly engine: number } {
  const number = (path: string) => Number.parseInt(readFileSync(join(home, path), 'utf8'), 10)
  return { node: number('lock'), engine: number('engine/engine.pid') }
}

/** Asks the CometBFT RPC of a node. Resolves with undefined if it does not answer. */
export async function askComet<T>({ comet }: TestnetNode, path: string): Promise<T | undefined> {
  try {
    const answer = await fetch(`${comet}/${path}`, { signal: AbortSignal.timeout(5000) })
    return ((await answer.json()) as { readonly result?: T }).result
  } catch {
    return undefined
  }
}

interface Status {
  readonly sync_info: { readonly latest_block_height: string; readonly catching_up: boolean }
}

/** Returns the height of a node; -1 if it does not answer. */
export async function heightOf(node: TestnetNode): Promise<number> {
  const status = await askComet<Status>(node, 'status')
  return status ? Number(status.sync_info.latest_block_height) : -1
}

/** Limit that only ends a hanging network. */
const LONGEST_WAIT_MS = 150_000

/** Resolves once a node has a height. Rejects with what `explain` returns if it does not get there. */
export async function reachHeight(node: TestnetNode, height: number, explain: () => string): Promise<void> {
  const begun = performance.now()
  for (let found = -1; found < height; found = await heightOf(node)) {
    if (performance.now() - begun > LONGEST_WAIT_MS) {
      throw new Error(`${node.home} is at ${found} and not at ${height}: ${explain().slice(-5000)}`)
    }
    await new Promise((done) => setTimeout(done, 200))
  }
}

interface Metas {
  readonly block_metas: readonly {
    readonly header: Readonly<Record<'height' | 'app_hash' | 'last_results_hash', string>>
  }[]
}

/** Headers in one answer. */
const HEADERS = 20

/** Returns the hashes of the state and of the results that a node has in the headers of a range, by height. */
export async function hashesOf(node: TestnetNode, first: number, last: number): Promise<ReadonlyMap<number, string>> {
  const hashes = new Map<number, string>()
  for (let from = first; from <= last; from += HEADERS) {
    const to = Math.min(last, from + HEADERS - 1)
    const found = await askComet<Metas>(node, `blockchain?minHeight=${from}&maxHeight=${to}`)
    if (found?.block_metas.length !== to - from + 1) throw new Error(`${node.comet} lacks headers of ${from} to ${to}`)
    for (const { header } of found.block_metas) {
      hashes.set(Number(header.height), `${header.app_hash} ${header.last_results_hash}`)
    }
  }
  return hashes
}
