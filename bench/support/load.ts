/** A separate node process and signed transfers, for benchmarks of the running node. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { encodeTransaction } from '../../src/evm/transaction/encode.ts'
import { signTransaction } from '../../src/evm/transaction/sender.ts'
import { formatHex0x, hex } from '../../src/primitives/bytes.ts'

const root = resolve(import.meta.dirname, '../..')

interface ConfigOut {
  readonly chain_id: string
  readonly mnemonic: string
  readonly evm_chain_id: number
  readonly accounts: readonly { address: string; bech32: string; private_key: string; path: string }[]
  readonly urls: { rest: string; grpc: string; jsonrpc: string; ws: string; comet: string }
}

export interface NodeProcess {
  readonly child: ChildProcess
  readonly config: ConfigOut
  /** Time from the start of the process to the first answer. Unit: milliseconds. */
  readonly firstAnswerMs: number
  /** Returns the resident memory, that of API workers included. Unit: bytes. */
  rssBytes(): number
  /** Returns the same without mapped files, such as pages of the database that the system can take back. Unit: bytes. */
  ownBytes(): number
  /** Returns the processor time since the start, over all threads and API workers. Unit: seconds. */
  cpuSeconds(): number
  end(signal?: NodeJS.Signals): Promise<void>
}

/** Flags with which the system chooses every port, so that no port is in use. */
const FREE_PORTS = ['rest', 'grpc', 'jsonrpc-ws', 'comet'].flatMap((name) => [`--${name}-port`, '0'])

export const scratchFolder = (): string => mkdtempSync(join(tmpdir(), 'almanac-bench-'))
export const removeFolder = (path: string): void => rmSync(path, { recursive: true, force: true })

/** Returns a free port, so that the benchmark can query a node before it prints its ports. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

/** Returns the fields of `/proc/PID/stat` from the process state on. */
const statOf = (pid: number | string): string[] => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')

const cpuSecondsIn = (fields: readonly string[]): number => (Number(fields[11]) + Number(fields[12])) / 100

/** Returns the processor time of a process since its start, over all threads. Unit: seconds. */
export const cpuSecondsOf = ({ pid }: ChildProcess): number => cpuSecondsIn(statOf(pid!))

/** Returns the same for all living processes in the group of a detached process. */
export function cpuSecondsOfGroup({ pid }: ChildProcess): number {
  let sum = 0
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const fields = statOf(name)
      if (Number(fields[2]) === pid) sum += cpuSecondsIn(fields)
    } catch {
      // It has exited in the meantime.
    }
  }
  return sum
}

/** Returns the ids of a process and of those that it has started. */
function familyOf({ pid }: ChildProcess): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  return [pid!, ...children.map(Number)]
}

/** Returns a field of `/proc/PID/status` that is a size. Unit: bytes. */
const sizeOf = (pid: number, field: 'VmRSS' | 'RssAnon'): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024

/** Starts the program and waits for its first answer over JSON-RPC at a port. */
async function startProgram(args: readonly string[], port: number): Promise<Omit<NodeProcess, 'config'>> {
  const started = performance.now()
  const child = spawn(process.execPath, [join(root, 'dist/almanac.cjs'), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  for (;;) {
    if (child.exitCode !== null || performance.now() - started > 60_000) throw new Error('the node did not start')
    try {
      await call(`http://127.0.0.1:${port}`, 'eth_blockNumber', [])
      break
    } catch {
      await setTimeout(2)
    }
  }
  return {
    child,
    firstAnswerMs: performance.now() - started,
    rssBytes: () => familyOf(child).reduce((sum, pid) => sum + sizeOf(pid, 'VmRSS'), 0),
    ownBytes: () => familyOf(child).reduce((sum, pid) => sum + sizeOf(pid, 'RssAnon'), 0),
    cpuSeconds: () => familyOf(child).reduce((sum, pid) => sum + cpuSecondsIn(statOf(pid)), 0),
    async end(signal = 'SIGINT') {
      child.kill(signal)
      await ended
    },
  }
}

/** Starts `almanac start` and waits for its first answer over JSON-RPC. */
export async function startNodeProcess(flags: readonly string[]): Promise<NodeProcess> {
  const scratch = scratchFolder()
  const configOut = join(scratch, 'config.json')
  const port = await freePort()
  const args = ['start', '--silent', '--jsonrpc-port', String(port), '--config-out', configOut, ...FREE_PORTS, ...flags]
  const program = await startProgram(args, port)
  while (!existsSync(configOut)) await setTimeout(2)
  const config = JSON.parse(readFileSync(configOut, 'utf8')) as ConfigOut
  removeFolder(scratch)
  return { ...program, config }
}

export interface DevProcess extends Omit<NodeProcess, 'config'> {
  readonly url: string
}

/** Starts `almanac dev` without its log, and waits for its first answer over JSON-RPC. */
export async function startDevProcess(flags: readonly string[] = []): Promise<DevProcess> {
  const [jsonrpc, rest, grpc, comet] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const ports = ['--port', jsonrpc, '--rest-port', rest, '--grpc-port', grpc, '--comet-port', comet].map(String)
  const program = await startProgram(['dev', '--quiet', ...ports, ...flags], jsonrpc)
  return { ...program, url: `http://127.0.0.1:${jsonrpc}` }
}

export interface ReplicaProcess extends Omit<NodeProcess, 'config'> {
  readonly ports: { readonly rest: number; readonly jsonrpc: number; readonly ws: number }
}

/** Starts `almanac follow` and waits for its first answer over JSON-RPC. */
export async function startReplicaProcess(flags: readonly string[]): Promise<ReplicaProcess> {
  const [rest, jsonrpc, ws] = [await freePort(), await freePort(), await freePort()]
  const ports = ['--rest-port', rest, '--jsonrpc-port', jsonrpc, '--jsonrpc-ws-port', ws].map(String)
  const program = await startProgram(
    ['follow', '--silent', '--log-level', 'warn', ...FREE_PORTS, ...ports, ...flags],
    jsonrpc,
  )
  return { ...program, ports: { rest, jsonrpc, ws } }
}

/** Sends one JSON-RPC call. Throws its error. */
export async function call(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const answer = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (answer.error) throw new Error(`${method}: ${answer.error.message}`)
  return answer.result
}

export interface Receipt {
  /** `0x1` for success. */
  readonly status: string
  readonly contractAddress: string | null
}

/** Resolves with the receipt of a transaction as soon as it is in a block. */
export async function receiptOf(url: string, hash: string): Promise<Receipt> {
  for (;;) {
    const receipt = (await call(url, 'eth_getTransactionReceipt', [hash])) as Receipt | null
    if (receipt) return receipt
    await setTimeout(20)
  }
}

export interface TransferSeries {
  readonly privateKey: string
  readonly chainId: number
  readonly firstNonce: number
  readonly count: number
}

/** Signs transfers of 1 wei to the accounts of a small set in turn. Returns them as hexadecimal text. */
export function signTransfers({ privateKey, chainId, firstNonce, count }: TransferSeries): string[] {
  const key = hex(privateKey)
  return Array.from({ length: count }, (_, i) => {
    const to = new Uint8Array(20)
    to[0] = 0xaa
    to[19] = i % 200
    const signed = signTransaction(
      {
        type: 2,
        chainId: BigInt(chainId),
        nonce: BigInt(firstNonce + i),
        gasLimit: 21_000n,
        to,
        valueWei: 1_000_000_000_000n,
        data: new Uint8Array(0),
        maxPriorityFeePerGasWei: 0n,
        maxFeePerGasWei: 2_000_000_000_000n,
        accessList: [],
      },
      key,
    )
    return formatHex0x(encodeTransaction(signed))
  })
}
