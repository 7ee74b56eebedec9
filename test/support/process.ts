/** The built program as a separate process, for tests that measure or kill it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

interface ConfigOut {
  readonly chain_id: string
  readonly evm_chain_id: number
  readonly mnemonic: string
  readonly accounts: readonly { address: `0x${string}`; bech32: string; private_key: `0x${string}`; path: string }[]
  readonly urls: { rest: string; grpc: string; jsonrpc: string; ws: string; comet: string; metrics?: string }
}

export interface NodeProcess extends AsyncDisposable {
  readonly child: ChildProcess
  readonly config: ConfigOut
  /** Returns everything written to standard output so far. */
  readonly stdout: () => string
  /** Returns everything written to standard error so far. */
  readonly stderr: () => string
  /** Returns the resident sets of the process and of its API workers together. Unit: bytes. */
  readonly memoryBytes: () => number
  /** Returns the resident sets of the process and of its API workers, by process id. Without `/proc` that of the process alone. Unit: bytes. */
  readonly memoryByProcess: () => ReadonlyMap<number, number>
  /**
   * Returns the used heap after a full collection, without the EVM's linear memory. Blocks the process for seconds. Unit:
   * bytes.
   */
  readonly liveHeapBytes: () => Promise<number>
  /** Exit code; null if a signal ended the process. */
  readonly ended: Promise<number | null>
  readonly kill: (signal: NodeJS.Signals) => Promise<void>
}

/** Flags with which the system chooses every port, so that no port is in use. */
export const FREE_PORTS = ['rest', 'grpc', 'jsonrpc', 'jsonrpc-ws', 'comet'].flatMap((name) => [`--${name}-port`, '0'])

/** A build of the node, `dist/` by default, and its environment. */
interface Program {
  readonly path?: string
  /** The command and the flags that every test gives it; `start` without its feeder by default. */
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

const START = ['start', '--silent', '--no-feeder', ...FREE_PORTS]
/** The development chain on free ports, with its banner. */
export const DEV_WITH_BANNER = [
  'dev',
  ...['port', 'rest-port', 'grpc-port', 'comet-port'].flatMap((name) => [`--${name}`, '0']),
]

/** Limit that only ends a hanging start. */
const LONGEST_START_MS = 100_000

/**
 * Starts `almanac start --no-feeder`, or another command, with the given flags on free ports, and waits until it has printed its URLs.
 * Throws with its exit code and output if it exits first.
 */
export async function startProcess(flags: readonly string[], program: Program = {}): Promise<NodeProcess> {
  const scratch = mkdtempSync(join(tmpdir(), 'almanac-test-'))
  const configOut = join(scratch, 'config.json')
  const args = [...(program.command ?? START), '--config-out', configOut, ...flags]
  const path = program.path ?? join(root, 'dist/almanac.cjs')
  const child = spawn(
    process.execPath,
    ['--heapsnapshot-signal=SIGUSR2', `--diagnostic-dir=${scratch}`, path, ...args],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Temporary files of a killed node are removed with this folder.
      env: { ...process.env, TMPDIR: scratch, ...program.environment },
    },
  )
  let stdout = ''
  child.stdout!.on('data', (chunk) => {
    stdout = (stdout + chunk).slice(-100_000)
  })
  let stderr = ''
  child.stderr!.on('data', (chunk) => {
    stderr = (stderr + chunk).slice(-100_000)
  })
  const ended = new Promise<number | null>((done) => {
    child.once('close', (code) => {
      rmSync(scratch, { recursive: true, force: true })
      done(code)
    })
  })
  const kill = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await ended
  }
  const refuseEnded = () => {
    if (child.exitCode === null && child.signalCode === null) return
    throw new Error(`the node exited with ${child.exitCode ?? child.signalCode}: ${stderr}`)
  }
  const begun = performance.now()
  while (!existsSync(configOut)) {
    if (performance.now() - begun > LONGEST_START_MS) await kill('SIGKILL')
    refuseEnded()
    await new Promise((done) => setTimeout(done, 25))
  }
  return {
    child,
    config: JSON.parse(readFileSync(configOut, 'utf8')),
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    memoryBytes: () => [child.pid!, ...childrenOf(child.pid!)].reduce((sum, pid) => sum + residentBytes(pid), 0),
    memoryByProcess: () => new Map([child.pid!, ...childrenOf(child.pid!)].map((pid) => [pid, residentBytes(pid)])),
    async liveHeapBytes() {
      child.kill('SIGUSR2')
      let name: string | undefined
      while (!name || !isWhole(join(scratch, name))) {
        refuseEnded()
        await new Promise((done) => setTimeout(done, 100))
        name = readdirSync(scratch).find((entry) => entry.endsWith('.heapsnapshot'))
      }
      const bytes = snapshotBytes(join(scratch, name))
      rmSync(join(scratch, name))
      return bytes
    },
    kill,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await kill('SIGKILL')
    },
  }
}

/** Returns the resident set of a process, 0 once it has ended: from `/proc` on Linux, since not every Linux has `ps`, else from `ps`. */
function residentBytes(pid: number): number {
  const file = `/proc/${pid}/status`
  const kilobytes = existsSync(file)
    ? (/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? 0)
    : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
  return Number(kilobytes) * 1024
}

/** Returns the ids of the processes that a process has started; none without `/proc`. */
export function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number) : []
}

const LINEAR_MEMORY_BYTES = 32 * 2 ** 20

/** Whether a heap snapshot is complete. */
function isWhole(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const end = Buffer.alloc(4)
    readSync(file, end, 0, end.length, Math.max(0, fstatSync(file).size - end.length))
    return end.toString('latin1').trimEnd().endsWith(']}')
  } finally {
    closeSync(file)
  }
}

/** Returns the sum of the sizes in a heap snapshot. */
function snapshotBytes(path: string): number {
  const { snapshot, nodes } = JSON.parse(readFileSync(path, 'utf8')) as {
    snapshot: { meta: { node_fields: string[] } }
    nodes: number[]
  }
  const fields = snapshot.meta.node_fields
  let bytes = 0
  for (let i = fields.indexOf('self_size'); i < nodes.length; i += fields.length) {
    if (nodes[i]! < LINEAR_MEMORY_BYTES) bytes += nodes[i]!
  }
  return bytes
}
