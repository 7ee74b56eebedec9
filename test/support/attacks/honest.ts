/** Honest clients of a node under attack: what they wait, whether their transactions land, and the memory of the node meanwhile. */

import { setTimeout as wait } from 'node:timers/promises'
import { type Client, credentials, Metadata, makeClientConstructor } from '@grpc/grpc-js'
import { createPublicClient, createWalletClient, type Hex, http, webSocket } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { NodeProcess } from '../process.ts'
import { call, callAt, LONGEST_ANSWER_MS, send } from './target.ts'
import { type Spent, watchThread } from './thread-time.ts'

const HONEST_ADDRESS = '127.0.0.1'
/** Pauses between two requests of a kind. */
const READ_PAUSE_MS = 20
const TRANSFER_PAUSE_MS = 500
const MEMORY_PAUSE_MS = 50

/** Times of one kind of request. Unit: milliseconds. */
export interface Waits {
  readonly requests: number
  readonly p50: number
  readonly p99: number
  readonly longest: number
}

export interface Report {
  /** Reads over REST, JSON-RPC and gRPC, together and apart. */
  readonly reads: Waits
  readonly rest: Waits
  readonly jsonrpc: Waits
  readonly grpc: Waits
  /** Requests to a bare server, if one is given. */
  readonly bare: Waits
  /** Processor time of the thread that answers between the request and the answer of a read, whatever it worked for. */
  readonly worked: Waits
  /** Time in which that thread was ready and waited for a processor, between the request and the answer of a read. */
  readonly queued: Waits
  /** Transfers, from the request to the receipt. */
  readonly transfers: Waits
  /** Requests that were answered by an error, or wrongly, or not at all. */
  readonly failures: readonly string[]
  /**
   * The largest growth of the resident set of one process over the idle one, at its peak. A process that the node starts later counts
   * from the memory of an idle API worker.
   */
  readonly peakBytes: number
  /** The longest time between two new heads of the subscription, or since the last one. */
  readonly longestHeadGapMs: number
  readonly heads: number
}

function waitsOf(times: readonly number[]): Waits {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { requests: sorted.length, p50: at(0.5), p99: at(0.99), longest: sorted.at(-1) ?? 0 }
}

interface BalanceClient extends Client {
  params(
    request: Buffer,
    metadata: Metadata,
    options: { deadline: number },
    done: (error: Error | null, answer?: Buffer) => void,
  ): void
}

const passBytes = (bytes: Buffer): Buffer => bytes

const Query = makeClientConstructor(
  {
    params: {
      path: '/chain.evm.v1.Query/Params',
      requestStream: false,
      responseStream: false,
      requestSerialize: passBytes,
      requestDeserialize: passBytes,
      responseSerialize: passBytes,
      responseDeserialize: passBytes,
    },
  },
  'chain.evm.v1.Query',
)

interface HonestOptions {
  /** Memory of each process before. Unit: bytes. */
  readonly idleBytes?: ReadonlyMap<number, number>
  readonly readPauseMs?: number
  /** Port of a bare server, which is read at the same pace. */
  readonly barePort?: number | undefined
}

/** Starts honest clients. They connect before the attack, read and transfer at a steady pace, and follow new heads. */
export async function startHonest(
  node: Pick<NodeProcess, 'config' | 'memoryByProcess'>,
  { idleBytes = node.memoryByProcess(), readPauseMs = READ_PAUSE_MS, barePort }: HonestOptions = {},
): Promise<{ stop(): Promise<Report> }> {
  const { config } = node
  // The API worker is the first process after the main one.
  const idleWorkerBytes = [...idleBytes.values()][1] ?? 0
  const spentBy = watchThread([...node.memoryByProcess().keys()][1]!)
  const [sender, receiver] = config.accounts
  const chain = {
    id: config.evm_chain_id,
    name: config.chain_id,
    nativeCurrency: { name: 'native', symbol: 'NATIVE', decimals: 18 },
    rpcUrls: { default: { http: [config.urls.jsonrpc] } },
  }
  const transport = http(config.urls.jsonrpc, { timeout: LONGEST_ANSWER_MS, retryCount: 0 })
  const account = privateKeyToAccount(sender!.private_key)
  const wallet = createWalletClient({ account, chain, transport })
  const client = createPublicClient({ chain, transport, pollingInterval: readPauseMs, cacheTime: 0 })
  const follower = createPublicClient({
    chain,
    transport: webSocket(config.urls.ws, { timeout: LONGEST_ANSWER_MS, retryCount: 0 }),
  })
  const grpc = new Query(config.urls.grpc, credentials.createInsecure()) as unknown as BalanceClient
  const from = { from: HONEST_ADDRESS }

  const failures: string[] = []
  const reads = { rest: [] as number[], jsonrpc: [] as number[], grpc: [] as number[] }
  const bare: number[] = []
  const spent: Spent[] = []
  const transfers: number[] = []
  let peakBytes = 0
  let heads = 0
  let lastHead = performance.now()
  let longestHeadGapMs = 0
  let isStopped = false
  const stop = new AbortController()
  const noteHead = (): void => {
    const now = performance.now()
    longestHeadGapMs = Math.max(longestHeadGapMs, now - lastHead)
    lastHead = now
  }
  const fail = (what: string, error: unknown): void => {
    failures.push(`${what}: ${error instanceof Error ? error.message : error}`)
  }

  /** Repeats a request until the stop and notes how long each takes. */
  async function loop(what: string, times: number[], pauseMs: number, ask: () => Promise<unknown>): Promise<void> {
    while (!isStopped) {
      const begun = performance.now()
      const before = spentBy?.()
      try {
        await ask()
        times.push(performance.now() - begun)
        const after = times === transfers || times === bare ? undefined : spentBy?.()
        if (before && after) {
          spent.push({ workedMs: after.workedMs - before.workedMs, queuedMs: after.queuedMs - before.queuedMs })
        }
      } catch (error) {
        fail(what, error)
      }
      await wait(pauseMs, undefined, { signal: stop.signal }).catch(() => undefined)
    }
  }

  const readRest = async (): Promise<void> => {
    const { status, text } = await send(from, `${config.urls.rest}/sdk/bank/v1beta1/balances/${receiver!.bech32}`)
    if (status !== 200 || !text.includes('"balances"')) throw new Error(`${status} ${text.slice(0, 200)}`)
  }
  const readBare = async (): Promise<void> => void (await send(from, `http://127.0.0.1:${barePort}`))
  const readJsonRpc = async (): Promise<void> => {
    const { result, error } = await callAt(
      from,
      config.urls.jsonrpc,
      call('eth_getBalance', [receiver!.address, 'latest']),
    )
    if (typeof result !== 'string') throw new Error(error?.message ?? 'no balance')
  }
  const readGrpc = (): Promise<void> =>
    new Promise((resolve, reject) => {
      grpc.params(Buffer.alloc(0), new Metadata(), { deadline: Date.now() + LONGEST_ANSWER_MS }, (error, answer) => {
        if (error) reject(error)
        else if (!answer?.length) reject(new Error('empty parameters'))
        else resolve()
      })
    })

  let nonce = await client.getTransactionCount({ address: account.address })
  const transfer = async (): Promise<void> => {
    const hash: Hex = await wallet.sendTransaction({ to: receiver!.address, value: 1n, nonce: nonce++ })
    const { status } = await client.waitForTransactionReceipt({ hash, timeout: LONGEST_ANSWER_MS, retryCount: 1000 })
    if (status !== 'success') throw new Error(`the transfer ${hash} failed`)
  }

  const { unsubscribe } = await follower.transport.subscribe({
    params: ['newHeads'],
    onData: () => {
      heads++
      noteHead()
    },
    onError: (error: unknown) => fail('subscription', error),
  } as Parameters<typeof follower.transport.subscribe>[0])
  const watch = setInterval(() => {
    for (const [pid, bytes] of node.memoryByProcess())
      peakBytes = Math.max(peakBytes, bytes - (idleBytes.get(pid) ?? idleWorkerBytes))
  }, MEMORY_PAUSE_MS)
  const loops = Promise.all([
    loop('REST', reads.rest, readPauseMs, readRest),
    loop('JSON-RPC', reads.jsonrpc, readPauseMs, readJsonRpc),
    loop('gRPC', reads.grpc, readPauseMs, readGrpc),
    loop('transfer', transfers, TRANSFER_PAUSE_MS, transfer),
    ...(barePort === undefined ? [] : [loop('bare', bare, readPauseMs, readBare)]),
  ])
  return {
    async stop() {
      isStopped = true
      stop.abort()
      noteHead()
      await loops
      clearInterval(watch)
      await unsubscribe().catch(() => undefined)
      ;(await follower.transport.getRpcClient()).close()
      grpc.close()
      return {
        reads: waitsOf([...reads.rest, ...reads.jsonrpc, ...reads.grpc]),
        rest: waitsOf(reads.rest),
        jsonrpc: waitsOf(reads.jsonrpc),
        grpc: waitsOf(reads.grpc),
        bare: waitsOf(bare),
        worked: waitsOf(spent.map(({ workedMs }) => workedMs)),
        queued: waitsOf(spent.map(({ queuedMs }) => queuedMs)),
        transfers: waitsOf(transfers),
        failures,
        peakBytes,
        longestHeadGapMs,
        heads,
      }
    },
  }
}
