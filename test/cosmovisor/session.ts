/**
 * A session with the real supervisor: governance plans an upgrade, the node halts at its height, the supervisor swaps the build and
 * the chain continues. Runs once for each way to halt, and once with CometBFT if it is on PATH or in `ALMANAC_ENGINE`.
 * `npm run test:cosmovisor`; needs Go, which builds the supervisor.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { ENGINE } from '../network/processes.ts'
import { freePort } from '../support/ports.ts'
import { rpc } from '../support/rpc.ts'
import { bundle } from '../support/upgrade/bundle.ts'
import {
  appliedAt,
  type Chain,
  endVoting,
  heightOf,
  mineTo,
  planOf,
  proposePlan,
  VOTING_SECONDS,
} from '../support/upgrade/governance.ts'

const MODULE = 'cosmossdk.io/tools/cosmovisor'
const VERSION = 'v1.5.0'
const PATIENCE_MS = 120_000

const say = (text: string) => console.log(`--- ${text}`)

/** Builds the supervisor once, into a folder that is not checked in. */
function supervisor(): string {
  const program = resolve(import.meta.dirname, '../../build/cosmovisor', `cosmovisor-${VERSION}`)
  if (existsSync(program)) return program
  say(`building ${MODULE} ${VERSION}`)
  const { Dir } = JSON.parse(
    execFileSync('go', ['mod', 'download', '-json', `${MODULE}@${VERSION}`], { encoding: 'utf8' }),
  )
  execFileSync('go', ['build', '-C', Dir, '-o', program, './cmd/cosmovisor'], { stdio: 'inherit' })
  return program
}

/** Writes an executable that runs a build of the node. */
function install(folder: string, path: string, build: string): void {
  mkdirSync(folder, { recursive: true })
  const script = `#!/bin/sh\nTEST_BUILD=${build} exec '${process.execPath}' '${path}' "$@"\n`
  writeFileSync(join(folder, 'almanac'), script, { mode: 0o755 })
}

async function until<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const end = performance.now() + PATIENCE_MS
  while (performance.now() < end) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error(`timed out waiting for ${what}`)
}

/** Differences between the sessions: flags of the node, and the way to the block of the plan. */
interface Kind {
  readonly name: string
  readonly flags: readonly string[]
  /** Blocks from the proposal to the plan. */
  readonly blocks: number
  /** Ends the voting, and makes the block of the plan, which halts the node. */
  readonly reach: (chain: Chain, height: number) => Promise<void>
  /** Makes the block of the plan with the next build. */
  readonly goOn: (chain: Chain, height: number) => Promise<unknown>
}

/** Returns the session of the embedded engine, whose blocks the session makes. */
function embedded(halt: 'exit' | 'serve'): Kind {
  return {
    name: `start --halt ${halt}`,
    flags: ['--halt', halt, '--no-feeder', '--voting-period', `${VOTING_SECONDS}s`],
    blocks: 10,
    async reach(chain, height) {
      await endVoting(chain)
      await mineTo(chain, height - 1)
      say(`making block ${height}`)
      await assert.rejects(rpc(chain, 'evm_mine'), /the chain has halted: upgrade "v2" is needed/)
    },
    goOn: (chain) => rpc(chain, 'evm_mine'),
  }
}

/** Returns the session of CometBFT, which makes the blocks. */
async function underCometBft(engine: string): Promise<Kind> {
  const [rpcPort, p2pPort] = [await freePort(), await freePort()]
  return {
    name: 'start --consensus cometbft',
    flags: [
      ...['--consensus', 'cometbft', '--engine', engine, '--engine-rpc', `http://127.0.0.1:${rpcPort}`],
      ...['--p2p', `tcp://127.0.0.1:${p2pPort}`, '--block-time', '300ms', '--voting-period', '3s', '--insecure-keys'],
    ],
    blocks: 30,
    reach: async () => undefined,
    goOn: (chain, height) =>
      until(`block ${height}`, async () => ((await heightOf(chain)) >= height ? true : undefined)),
  }
}

async function session(program: string, path: string, { name, flags, blocks, reach, goOn }: Kind): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'almanac-cosmovisor-'))
  install(join(home, 'cosmovisor/genesis/bin'), path, '')
  install(join(home, 'cosmovisor/upgrades/v2/bin'), path, 'v2')
  // The supervisor watches this file from the start.
  mkdirSync(join(home, 'data'))
  const configOut = join(home, 'urls.json')
  const ports = ['rest', 'grpc', 'jsonrpc', 'jsonrpc-ws', 'comet'].flatMap((name) => [`--${name}-port`, '0'])
  const common = ['--silent', '--compute-workers', '0', '--api-workers', '0', '--config-out', configOut, ...ports]
  const args = ['run', 'start', ...common, ...flags]
  const { ALMANAC_HOME: _, ALMANAC_ENGINE: __, ...environment } = process.env
  const child = spawn(program, args, {
    env: { ...environment, DAEMON_HOME: home, DAEMON_NAME: 'almanac', ALMANAC_HOME: home, DAEMON_SHUTDOWN_GRACE: '5s' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const ended = new Promise((done) => child.once('exit', done))
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
      process.stdout.write(chunk)
    })
  }
  const answering = () =>
    until('a node that answers', () => {
      if (child.exitCode !== null) throw new Error(`the supervisor exited with ${child.exitCode}`)
      return existsSync(configOut) ? readConfig(configOut) : undefined
    })
  try {
    say(`cosmovisor run ${name}`)
    const old = await answering()
    const height = (await heightOf(old)) + blocks
    say(`proposing "v2" for height ${height}, and voting for it`)
    await proposePlan(old, 'v2', height)
    rmSync(configOut)
    await reach(old, height)
    const next = await answering()
    await goOn(next, height)
    assert.equal(await appliedAt(next, 'v2'), String(height))
    assert.equal(await planOf(next), null)
    assert.equal(basename(readlinkSync(join(home, 'cosmovisor/current'))), 'v2')
    const info = JSON.parse(readFileSync(join(home, 'data/upgrade-info.json'), 'utf8'))
    assert.deepEqual([info.name, info.height], ['v2', height])
    assert.match(output, new RegExp(`UPGRADE "v2" NEEDED at height: ${height}: `))
    assert.match(output, /pre-upgrade successful/)
    say(`block ${height} was made by the build v2`)
  } finally {
    const node = runningIn(home)
    child.kill('SIGTERM')
    await ended
    await endOf(node)
    rmSync(home, { recursive: true, force: true })
  }
}

/** Returns the process id of the node running in a home, from its lock. */
function runningIn(home: string): number | undefined {
  const lock = join(home, 'lock')
  return existsSync(lock) ? Number.parseInt(readFileSync(lock, 'utf8'), 10) : undefined
}

/** Ends a node: a supervisor that has swapped builds forwards its own signal to the previous process. */
async function endOf(pid: number | undefined): Promise<void> {
  if (pid === undefined) return
  await until('the end of the node', () => {
    try {
      process.kill(pid, 'SIGTERM')
    } catch {
      return true
    }
  })
}

function readConfig(path: string): Chain {
  return JSON.parse(readFileSync(path, 'utf8')) as Chain
}

if (spawnSync('go', ['version']).status !== 0) {
  say('skipped: this session needs Go (https://go.dev) to build the supervisor, and there is no `go` here')
} else {
  const program = supervisor()
  const path = await bundle('cosmovisor')
  for (const halt of ['exit', 'serve'] as const) await session(program, path, embedded(halt))
  const engine = process.env['ALMANAC_ENGINE'] ?? ENGINE
  if (engine) await session(program, path, await underCometBft(engine))
  else say('skipped: the session with the engine needs cometbft on PATH or in ALMANAC_ENGINE')
  say('passed')
}
