/** The messages between the main thread and its workers. All are structured-cloneable. */
import type { MessagePort } from 'node:worker_threads'
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import type { NodeInfo } from '../../api/node-info.ts'
import type { GenesisDocument } from '../../app/types.ts'
import type { Admission, Driver, Inclusion, PendingTx } from '../../consensus/driver.ts'
import type { Profile } from '../../identity/profiles/profile.ts'
import { messageType } from '../../identity/registry.ts'
import { ChainError, type Status } from '../../primitives/errors.ts'
import type { GatewayUrls } from '../gateways.ts'
import type { PortFlags } from '../ports.ts'
import type { RequestCounts } from '../request-counts.ts'
import type { Config } from '../settings.ts'
import type { PoolStats } from './pool-stats.ts'

/** Access to the main thread's state from a worker: a port for requests, and a count of the answers. */
export interface RemoteState {
  readonly port: MessagePort
  readonly answered: SharedArrayBuffer
}

/** The setup of a compute worker. */
export interface WorkerSetup {
  /** Folder of the database; if undefined, the worker reads state through the main thread. */
  readonly dataPath?: string | undefined
  /** Present in a process that only reads the database: its threads open it in turns. */
  readonly turns?: SharedArrayBuffer | undefined
  readonly state?: RemoteState | undefined
  readonly profile: Profile
  readonly chainId: string
  readonly minGasPrices: string
  /** Id of the job that is to stop. */
  readonly cancelled: SharedArrayBuffer
  /** Number of parts that the pool has received. */
  readonly taken: SharedArrayBuffer
  /** The slots of the parts. */
  readonly slots: SharedArrayBuffer
}

export interface JobRequest {
  /** Counts from 1. */
  readonly id: number
  readonly job: string
  readonly payload: unknown
  readonly height: bigint | undefined
  /** Remaining time budget, milliseconds. */
  readonly timeoutMs: number
}

export type JobAnswer =
  | { readonly id: number; readonly ok: true; readonly result: unknown }
  | { readonly id: number; readonly ok: false; readonly error: CarriedError }

/** A part of a long answer, stored in one of the slots that both threads share. */
export interface JobPart {
  readonly id: number
  readonly slot: number
  /** Length in bytes. */
  readonly length: number
}

/** Number of slots. They transfer parts without a copy and without garbage. */
export const PART_SLOTS = 16
export const PART_BYTES = 1 << 16

/** Sent once, when the worker is ready for jobs. */
export interface ReadyMessage {
  readonly ready: true
}

/** The facts of `NodeInfo`, without its functions. */
export type NodeFacts = Pick<NodeInfo, 'nodeId' | 'moniker' | 'listenAddress' | 'rpcAddress' | 'validatorKey'>

/** The setup of an API worker. */
export interface ApiSetup {
  readonly dataPath: string
  /** Folder of the snapshots; undefined for a chain in memory. */
  readonly snapshots: string | undefined
  readonly config: Config
  readonly profile: Profile
  readonly chainId: string
  readonly genesis: GenesisDocument
  readonly facts: NodeFacts
  readonly ports: Readonly<Record<'rest' | 'grpc' | 'jsonrpc' | 'ws' | 'comet', number>>
  readonly portFlags: PortFlags | undefined
  /** Whether the process serves noisy clients, whose connections it receives. */
  readonly isForNoisy: boolean
  readonly status: WorkerStatus
}

/** The state of the main process that API workers answer from. */
export interface WorkerStatus extends ReturnType<Driver['status']> {
  /** Lowest gas price that the node admits, which a development chain can change. */
  readonly minGasPrice: string
}

/** From the main process to an API worker. */
export type ToApiWorker =
  | { readonly kind: 'setup'; readonly setup: ApiSetup }
  /** After each commit, when the chain halts, and before an answer that follows a change. */
  | { readonly kind: 'status'; readonly status: WorkerStatus }
  /** Transactions that were admitted, by arrival, to a worker that listens for them. */
  | { readonly kind: 'pending'; readonly txs: readonly PendingTx[] }
  | { readonly kind: 'answer'; readonly id: number; readonly result?: unknown; readonly error?: CarriedError }
  /** Whether the process of noisy clients takes connections. */
  | { readonly kind: 'noisyOpen'; readonly isOpen: boolean }
  /** A connection of a noisy client, as the handle of the message, to the process that serves them. */
  | { readonly kind: 'connection' }
  /** Addresses that go on to use the process of noisy clients much, to the other API workers. */
  | { readonly kind: 'stillNoisy'; readonly addresses: readonly string[] }
  /** Close the ports after the requests in progress, and end. */
  | { readonly kind: 'stop' }

/** Memory of a process, and its processor time since its start. */
export interface WorkerUsage {
  readonly residentBytes: number
  readonly cpuSeconds: number
}

/** From an API worker to the main process. A message with an id is a request; its answer has the same id. */
export type FromApiWorker =
  /** The worker can receive messages. */
  | { readonly kind: 'hello' }
  | { readonly kind: 'listening'; readonly urls: GatewayUrls }
  | { readonly kind: 'failed'; readonly error: CarriedError }
  /** Answers since the last report, and the work of the worker's own threads since its start. */
  | {
      readonly kind: 'report'
      readonly counts: RequestCounts
      readonly compute: PoolStats
      readonly usage: WorkerUsage
    }
  /** Whether the worker listens for admitted transactions from here on. Without this message it does not. */
  | { readonly kind: 'hearPending'; readonly hears: boolean }
  /** There are noisy clients: start the process that serves them. */
  | { readonly kind: 'noisy' }
  /** A connection of a noisy client, as the handle of the message. */
  | { readonly kind: 'connection' }
  /** The process of noisy clients had no connection for a long time. */
  | { readonly kind: 'idle' }
  /** Each second, from the process of noisy clients: what its clients have filled, and the addresses that use it much. */
  | { readonly kind: 'noisyState'; readonly filledBytes: number; readonly addresses: readonly string[] }
  /** A line that a contract printed. */
  | { readonly kind: 'print'; readonly line: string }
  | { readonly kind: 'submit'; readonly id: number; readonly tx: Uint8Array; readonly client?: string }
  | { readonly kind: 'submitAndWait'; readonly id: number; readonly tx: Uint8Array; readonly timeoutMs: number }
  | { readonly kind: 'nextHeader'; readonly id: number; readonly height: bigint }
  /** A JSON-RPC method that only the main process can answer. */
  | {
      readonly kind: 'rpc'
      readonly id: number
      readonly method: string
      readonly params: unknown
      /** IP address of the client. */
      readonly client: string
    }
  /** A method of the CometBFT RPC that only the main process can answer. */
  | { readonly kind: 'comet'; readonly id: number; readonly method: string; readonly params: unknown }
  | { readonly kind: 'check'; readonly id: number; readonly tx: Uint8Array }
  | { readonly kind: 'abort'; readonly id: number }

/** A cloneable admission: its error is packed. */
export interface CarriedAdmission {
  readonly admission: Omit<Admission, 'error'>
  readonly error?: CarriedError
  readonly inclusion?: Inclusion
}

export function packAdmission({ error, ...admission }: Admission, inclusion?: Inclusion): CarriedAdmission {
  return { admission, ...(error && { error: packError(error) }), ...(inclusion && { inclusion }) }
}

export function unpackAdmission({ admission, error }: CarriedAdmission): Admission {
  return { ...admission, ...(error && { error: unpackError(error) }) }
}

/** A cloneable error. An error without a status is a bug: its stack is for the log only. */
export type CarriedError =
  | {
      readonly status: Status
      readonly codespace: string
      readonly code: number
      readonly message: string
      readonly details: readonly { readonly typeName: string; readonly bytes: Uint8Array }[]
    }
  | { readonly status?: undefined; readonly message: string; readonly stack: string }

export function packError(error: unknown): CarriedError {
  if (!(error instanceof ChainError)) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    return { message, stack: stack ?? message }
  }
  const details = error.details.flatMap((detail) => {
    const schema = messageType(detail.$typeName)
    return schema ? [{ typeName: detail.$typeName, bytes: toBinary(schema, detail) }] : []
  })
  const { status, codespace, code, message } = error
  return { status, codespace, code, message, details }
}

export function unpackError(carried: CarriedError): Error {
  if (carried.status === undefined) {
    const error = new Error(carried.message)
    error.stack = carried.stack
    return error
  }
  const details = carried.details.flatMap(({ typeName, bytes }) => {
    const schema = messageType(typeName)
    return schema ? [fromBinary(schema, bytes)] : []
  })
  const { codespace, code, status, message } = carried
  return new ChainError(codespace, { code, status, text: message }, message, details)
}
