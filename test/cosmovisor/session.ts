/**
 * A session with the real supervisor: governance plans an upgrade, the node halts at its height, the supervisor swaps the build and
 * the chain continues. Runs once for each way to halt. `npm run test:cosmovisor`; needs Go, which builds the supervisor.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
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

async function session(program: string, path: string, halt: 'exit' | 'serve'): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'almanac-cosmovisor-'))
  install(join(home, 'cosmovisor/genesis/bin'), path, '')
  install(join(home, 'cosmovisor/upgrades/v2/bin'), path, 'v2')
  // The supervisor watches this file from the start.
  mkdirSync(join(home, 'data'))
  const configOut = join(home, 'urls.json')
  const ports = ['rest', 'grpc', 'jsonrpc', 'jsonrpc-ws', 'comet'].flatMap((name) => [`--${name}-port`, '0'])
  const flags = [
    '--silent',
    '--no-feeder',
    '--compute-workers',
    '0',
    '--api-workers',
    '0',
    '--voting-period',
    `${VOTING_SECONDS}s`,
  ]
  const args = ['run', 'start', '--halt', halt, '--config-out', configOut, ...ports, ...flags]
  const { ALMANAC_HOME: _, ...environment } = process.env
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
    say(`cosmovisor run start --halt ${halt}`)
    const old = await answering()
    const height = (await heightOf(old)) + 10
    say(`proposing "v2" for height ${height}, and voting for it`)
    await proposePlan(old, 'v2', height)
    await endVoting(old)
    await mineTo(old, height - 1)
    rmSync(configOut)
    say(`making block ${height}`)
    await assert.rejects(rpc(old, 'evm_mine'), /the chain has halted: upgrade "v2" is needed/)
    const next = await answering()
    await rpc(next, 'evm_mine')
    assert.equal(await appliedAt(next, 'v2'), String(height))
    assert.equal(await planOf(next), null)
    assert.equal(basename(readlinkSync(join(home, 'cosmovisor/current'))), 'v2')
    const { name, height: written } = JSON.parse(readFileSync(join(home, 'data/upgrade-info.json'), 'utf8'))
    assert.deepEqual([name, written], ['v2', height])
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
  for (const halt of ['exit', 'serve'] as const) await session(program, path, halt)
  say('passed')
}
