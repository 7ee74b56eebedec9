/** What the benchmarks of the running node share: a node process of their own, and signed transfers. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { encodeTransaction } from '../src/evm/transaction/encode.ts'
import { signTransaction } from '../src/evm/transaction/sender.ts'
import { formatHex0x, hex } from '../src/primitives/bytes.ts'

const root = resolve(import.meta.dirname, '..')

export interface ConfigOut {
  readonly chain_id: string
  readonly evm_chain_id: number
  readonly accounts: readonly { address: string; bech32: string; private_key: string; path: string }[]
  readonly urls: { rest: string; grpc: string; jsonrpc: string; ws: string; comet: string }
}

export interface NodeProcess {
  readonly child: ChildProcess
  readonly config: ConfigOut
  /** Milliseconds from the start of the process to the first answer. */
  readonly firstAnswerMs: number
  /** Resident memory, bytes. */
  rssBytes(): number
  end(signal?: NodeJS.Signals): Promise<void>
}

let nextOffset = 20_000 + (process.pid % 50) * 400

export const scratchFolder = (): string => mkdtempSync(join(tmpdir(), 'almanac-bench-'))
export const removeFolder = (path: string): void => rmSync(path, { recursive: true, force: true })

/** Starts `almanac start` and waits for its first answer to `/status`-like request over JSON-RPC. */
export async function startNodeProcess(flags: readonly string[]): Promise<NodeProcess> {
  const scratch = scratchFolder()
  const configOut = join(scratch, 'config.json')
  const offset = nextOffset++
  const args = ['start', '--silent', '--port-offset', String(offset), '--config-out', configOut, ...flags]
  const started = performance.now()
  const child = spawn(process.execPath, [join(root, 'dist/almanac.js'), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  const url = `http://127.0.0.1:${8545 + offset}`
  for (;;) {
    if (child.exitCode !== null || performance.now() - started > 60_000) throw new Error('the node did not start')
    try {
      await call(url, 'eth_blockNumber', [])
      break
    } catch {
      await new Promise((done) => setTimeout(done, 5))
    }
  }
  const firstAnswerMs = performance.now() - started
  while (!existsSync(configOut)) await new Promise((done) => setTimeout(done, 5))
  const config = JSON.parse(readFileSync(configOut, 'utf8')) as ConfigOut
  removeFolder(scratch)
  return {
    child,
    config,
    firstAnswerMs,
    rssBytes: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024,
    async end(signal = 'SIGINT') {
      child.kill(signal)
      await ended
    },
  }
}

/** One JSON-RPC call. Throws its error. */
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

export interface TransferSeries {
  readonly privateKey: string
  readonly chainId: number
  readonly firstNonce: number
  readonly count: number
}

/** Raw transfers of 1 wei, each to another account of a small set, as hexadecimal text. */
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
