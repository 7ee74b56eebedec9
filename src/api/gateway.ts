/** The interface of the node for its gateways: REST, gRPC, JSON-RPC, CometBFT RPC. `src/node/` implements it. */
import type { Message } from '@bufbuild/protobuf'
import type { ProvenKeys, StoreKey } from '../app/proofs.ts'
import type { Driver } from '../consensus/driver.ts'
import type { Identity } from '../identity/types.ts'
import type { BlockIndex } from '../indexer/types.ts'
import type { ChainError, Status } from '../primitives/errors.ts'
import type { ReadContext } from '../sdk/context.ts'
import type { ClientAddress } from './transport/client-address.ts'
import type { Connections } from './transport/connections.ts'
import type { Outgoing } from './transport/outgoing.ts'
import type { Ports } from './transport/ports.ts'
import type { RateLimit } from './transport/rate-limit.ts'

export interface QueryCall {
  /** Neutral full method name: `/chain.evm.v1.Query/Balance`. */
  readonly method: string
  readonly request: Message
  /** Height to read; undefined: the latest committed one, read once. */
  readonly height?: bigint | undefined
  /** Returns a signal that aborts when the client disconnects. It is created on first use, since most queries need none. */
  readonly signal?: (() => AbortSignal) | undefined
  readonly timeoutMs?: number | undefined
  /** Receives the field `data` of a trace in parts; the response then omits it. */
  readonly onPart?: PartTaker | undefined
  /** Whether the response can have long fields, which the gateway writes in pieces (`long-messages.ts`). */
  readonly takesLong?: boolean
}

/** The answer to a query. An error has a height too, unless the height itself was wrong. */
export type QueryAnswer =
  | {
      readonly ok: true
      readonly height: bigint
      readonly response: Message
      readonly headers?: Readonly<Record<string, string>>
    }
  | { readonly ok: false; readonly height?: bigint; readonly error: ChainError }

/**
 * Answers a query; synchronously if it can, since a promise costs more than a light read. Never throws: a bug is logged, and
 * the answer is `internal`.
 */
export type Dispatch = (call: QueryCall) => QueryAnswer | Promise<QueryAnswer>

/** Receives a part of a long answer. The bytes stay valid until it calls `done`. */
export type PartTaker = (part: Uint8Array, done: () => void) => void

/** Heavy work on one snapshot, in a worker with budgets, or in this thread if the node has no workers. */
export interface Compute {
  /**
   * Tries a job in this thread, on a small budget. Returns undefined if the job exceeds it; the caller then uses `run`.
   * Throws the errors of the job. Absent if jobs are not tried here.
   */
  attempt?(job: string, payload: unknown, height: bigint | undefined): { readonly result: unknown } | undefined
  /**
   * Runs a job of `app/jobs.ts` by name; payload and result are structured-cloneable.
   * Rejects with `deadlineExceeded`, `resourceExhausted` (queue full, memory), `cancelled`, or the job's own error.
   */
  run(
    job: string,
    payload: unknown,
    options: {
      readonly height?: bigint | undefined
      readonly signal?: AbortSignal | undefined
      readonly timeoutMs?: number | undefined
      /** Receives the parts of a job that writes its answer in parts, in order, before the promise settles. */
      readonly onPart?: PartTaker | undefined
    },
  ): Promise<unknown>
}

/** An answered request. */
export interface Answered {
  readonly gateway: 'rest' | 'grpc' | 'jsonrpc' | 'comet'
  /** Full name of a method, or a method of JSON-RPC or the CometBFT RPC; empty if none was found. */
  readonly operation: string
  readonly status: 'ok' | Status
  /** `performance.now()` when the request had arrived; absent for one that is refused unread. */
  readonly startedMs?: number
  /** The name that the client wrote, if it wrote one and no operation was found. */
  readonly asked?: string
}

/** Counts an answered request. */
export type Observe = (answered: Answered) => void

/** A record of the node's log. */
export interface LogLine {
  /** Number of the record since the start of the node, from 0. */
  readonly index: number
  /** Unix milliseconds. */
  readonly timeMs: number
  readonly level: string
  readonly message: string
  /** The fields as text: `height=2 txs=1`. */
  readonly fields: string
}

export interface GatewayNode {
  readonly identity: Identity
  readonly chainId: string
  readonly evmChainId: bigint
  readonly dispatch: Dispatch
  readonly compute: Compute
  readonly blocks: BlockIndex
  readonly driver: Driver
  /** Reads one height, the latest if undefined, and closes its snapshot. Throws the height errors (docs/gateways.md#heights). */
  withContext<T>(height: bigint | undefined, read: (ctx: ReadContext) => T): T
  /**
   * Proves keys at one height: in this thread if its trees are in memory, else as a compute job. Rejects with the errors
   * of `withContext`, and with `invalidArgument` or `notFound` for a key or a store that cannot be proved.
   */
  prove(height: bigint | undefined, keys: readonly StoreKey[]): Promise<ProvenKeys>
  /** The budget of bytes that wait for clients, one for the process. */
  readonly outgoing: Outgoing
  /** The limit of open connections, one for the process. */
  readonly connections: Connections
  /** The ports of the process. */
  readonly ports: Ports
  /** The address by which a client is counted, also behind a proxy. */
  readonly clientAddress: ClientAddress
  /** The limit of requests of each address, one for the process. */
  readonly rates: RateLimit
  readonly settings: GatewaySettings
  /** Called for every answered request. Absent if requests are not counted. */
  readonly observe?: Observe | undefined
  /** Logs a line that a contract printed. Present on a development chain. */
  readonly print?: ((line: string) => void) | undefined
  /** Returns the kept records of the node's log from a number on. Present on a development chain. */
  readonly recentLog?: ((from: number) => readonly LogLine[]) | undefined
  readonly log: (level: 'debug' | 'info' | 'warn' | 'error', message: string, fields?: Record<string, unknown>) => void
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number
}

interface GatewaySettings {
  readonly minGasPrice: string
  readonly gasCap: bigint
  readonly evmTimeoutMs: number
  readonly txFeeCapWei: bigint
  readonly logsBlockRange: number
  readonly corsOrigins: readonly string[]
  readonly bodyLimitBytes: number
  /** Longest wait for the receipt of a transaction that a request sends. */
  readonly syncTimeoutMs: number
  readonly batchLimit: number
  /** Blocks that `safe` is behind `latest`, with `finalized` twice as far behind; 0 if every block is final. */
  readonly slotsInAnEpoch: number
  /** Order of the transactions of a block: `fees` or `fifo`. */
  readonly txOrder: string
  /** Filters of one address. */
  readonly filterLimit: number
  readonly txServiceEnabled: boolean
  /** Number of heights whose state is kept; 0 keeps all. */
  readonly keepHeights: number
  /** Private keys of development accounts; undefined on anything but a localnet. */
  readonly devKeys: (() => readonly Uint8Array[]) | undefined
  /** Whether programs of other machines can use keys and development methods. */
  readonly insecureKeys: boolean
  /** Whether development verbs can change the state of the latest height. */
  readonly isDevelopment: boolean
  /** Whether the node takes no transactions. */
  readonly isReadOnly: boolean
  /** Whether the CometBFT RPC has the methods that change the engine. */
  readonly unsafeEngineRpc: boolean
  readonly version: string
}
