/** What every gateway (REST, gRPC, JSON-RPC, CometBFT RPC) stands on. `node/` assembles one and hands it to each. */
import type { Message } from '@bufbuild/protobuf'
import type { ProvenKeys, StoreKey } from '../app/proofs.ts'
import type { Driver } from '../consensus/driver.ts'
import type { Identity } from '../identity/types.ts'
import type { BlockIndex } from '../indexer/types.ts'
import type { ChainError, Status } from '../primitives/errors.ts'
import type { ReadContext } from '../sdk/context.ts'

export interface QueryCall {
  /** Neutral full method name: `/chain.evm.v1.Query/Balance`. */
  readonly method: string
  readonly request: Message
  /** Undefined: the latest committed height, read once. */
  readonly height?: bigint | undefined
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  /** Takes the field `data` of a trace in parts; the response then has none. */
  readonly onPart?: PartTaker | undefined
}

/** Height is known on errors too, unless the height itself was wrong. */
export type QueryAnswer =
  | {
      readonly ok: true
      readonly height: bigint
      readonly response: Message
      readonly headers?: Readonly<Record<string, string>>
    }
  | { readonly ok: false; readonly height?: bigint; readonly error: ChainError }

/** Answers at once when it can, so that a light read costs no promise. Never throws: a bug is logged and answers `internal`. */
export type Dispatch = (call: QueryCall) => QueryAnswer | Promise<QueryAnswer>

/** Takes a part of a long answer, whose bytes are its until it calls `done`. */
export type PartTaker = (part: Uint8Array, done: () => void) => void

/** Heavy work on one read snapshot, in a worker with budgets, or in this thread when there is none. */
export interface Compute {
  /**
   * The result of a job that takes no more than a moment, worked out here and at once; undefined for any other, which `run`
   * is to be asked for. Throws what the job throws. Absent where nothing is tried.
   */
  attempt?(job: string, payload: unknown, height: bigint | undefined): { readonly result: unknown } | undefined
  /**
   * Runs a job of `app/jobs.ts` by name; payload and result are structured-cloneable.
   * Rejects a `ChainError`: `deadlineExceeded`, `resourceExhausted` (queue full, memory), `cancelled`, or the job's own.
   */
  run(
    job: string,
    payload: unknown,
    options: {
      readonly height?: bigint | undefined
      readonly signal?: AbortSignal | undefined
      readonly timeoutMs?: number | undefined
      /** Of a job that writes its answer in parts: takes them, in order, before the promise settles. */
      readonly onPart?: PartTaker | undefined
    },
  ): Promise<unknown>
}

/** An operation is a method's full name, a JSON-RPC method's name, or empty where no operation was found. */
export type Observe = (operation: string, status: 'ok' | Status) => void

export interface GatewayNode {
  readonly identity: Identity
  readonly chainId: string
  readonly evmChainId: bigint
  readonly dispatch: Dispatch
  readonly compute: Compute
  readonly blocks: BlockIndex
  readonly driver: Driver
  /** Reads one height and closes it afterwards. Throws the height errors of D17. Undefined: latest. */
  withContext<T>(height: bigint | undefined, read: (ctx: ReadContext) => T): T
  /**
   * Proves keys at one height: at once if its trees are in memory, else as heavy work elsewhere. Rejects as `withContext`
   * throws, and with 3 or 5 for a key or a store that cannot be proved.
   */
  prove(height: bigint | undefined, keys: readonly StoreKey[]): Promise<ProvenKeys>
  /** Settings that gateways obey. */
  readonly settings: GatewaySettings
  /** Told of every answered request: its operation, and `ok` or what went wrong. Absent: nobody counts. */
  readonly observe?: Observe | undefined
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
  readonly batchLimit: number
  readonly txServiceEnabled: boolean
  /** Heights whose state is kept; 0 keeps all. */
  readonly keepHeights: number
  /** Private keys of development accounts; undefined on anything but a localnet. */
  readonly devKeys: (() => readonly Uint8Array[]) | undefined
  readonly version: string
}
