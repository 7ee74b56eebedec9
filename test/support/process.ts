/** The built program as a process of its own, for tests that measure or kill it. */
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
  /** Everything it has written to its output. */
  readonly stdout: () => string
  /** Everything it has written to its error output. */
  readonly stderr: () => string
  /** Resident set, bytes. */
  readonly memoryBytes: () => number
  /** What is in use on its heap after a full collection, bytes; the linear memory of the EVM is left out. Stops it for seconds. */
  readonly liveHeapBytes: () => Promise<number>
  /** Its exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>
  readonly kill: (signal: NodeJS.Signals) => Promise<void>
}

/** The system chooses every port, so that nothing is ever in the way. */
export const FREE_PORTS = ['rest', 'grpc', 'jsonrpc', 'jsonrpc-ws', 'comet'].flatMap((name) => [`--${name}-port`, '0'])

/** A build of the node, that of `dist/` by default, and what it is told by its environment. */
interface Program {
  readonly path?: string
  readonly environment?: Readonly<Record<string, string>>
}

/** Only ends what hangs. */
const LONGEST_START_MS = 100_000

/**
 * Starts `almanac start --no-feeder` with the given flags on ports of its own, and waits until it has said where it listens.
 * Throws its exit code and what it wrote when it ends first.
 */
export async function startProcess(flags: readonly string[], program: Program = {}): Promise<NodeProcess> {
  const scratch = mkdtempSync(join(tmpdir(), 'almanac-test-'))
  const configOut = join(scratch, 'config.json')
  const args = ['start', '--silent', '--no-feeder', '--config-out', configOut, ...FREE_PORTS, ...flags]
  const path = program.path ?? join(root, 'dist/almanac.cjs')
  const child = spawn(
    process.execPath,
    ['--heapsnapshot-signal=SIGUSR2', `--diagnostic-dir=${scratch}`, path, ...args],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      // What it leaves in the folder for temporary files when it is killed goes with the rest.
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
    throw new Error(`the node ended with ${child.exitCode ?? child.signalCode}: ${stderr}`)
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
    memoryBytes: () => residentBytes(child.pid!),
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

/** Resident set of a process. Not every Linux has `ps`, and nothing else has `/proc`. */
function residentBytes(pid: number): number {
  const file = `/proc/${pid}/status`
  const kilobytes = existsSync(file)
    ? /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(file, 'utf8'))![1]
    : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
  return Number(kilobytes) * 1024
}

const LINEAR_MEMORY_BYTES = 32 * 2 ** 20

/** Whether a heap snapshot has been written to its end. */
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

/** The sizes of a heap snapshot added up. */
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
