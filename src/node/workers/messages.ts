/** What the main thread and its workers say to each other. Everything is structured-cloneable. */
import type { MessagePort } from 'node:worker_threads'
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import type { Engine } from '../../api/node-info.ts'
import type { GenesisDocument } from '../../app/types.ts'
import type { Admission, Driver, Inclusion, PendingTx } from '../../consensus/driver.ts'
import type { Profile } from '../../identity/profiles/profile.ts'
import { messageType } from '../../identity/registry.ts'
import { ChainError, type Status } from '../../primitives/errors.ts'
import type { Config } from '../settings.ts'

/** What a worker gets of the main thread's state: a port for questions, and a count that rises with each answer. */
export interface RemoteState {
  readonly port: MessagePort
  readonly answered: SharedArrayBuffer
}

/** What a worker needs to open the chain for reading. */
export interface WorkerSetup {
  /** Folder of the LMDB environment; absent: state comes from the main thread. */
  readonly dataPath?: string | undefined
  readonly state?: RemoteState | undefined
  readonly profile: Profile
  readonly chainId: string
  readonly minGasPrices: string
  /** One flag a worker: the number of the job that shall stop. */
  readonly cancelled: SharedArrayBuffer
  /** One count a worker: the parts of answers that were taken. */
  readonly taken: SharedArrayBuffer
  /** The slots of its parts. */
  readonly slots: SharedArrayBuffer
}

export interface JobRequest {
  /** Counts from 1. */
  readonly id: number
  readonly job: string
  readonly payload: unknown
  readonly height: bigint | undefined
  /** Milliseconds left of its time budget. */
  readonly timeoutMs: number
}

export type JobAnswer =
  | { readonly id: number; readonly ok: true; readonly result: unknown }
  | { readonly id: number; readonly ok: false; readonly error: CarriedError }

/** A part of a long answer: it lies in one of the slots that thread and main thread share. */
export interface JobPart {
  readonly id: number
  readonly slot: number
  /** Bytes of it. */
  readonly length: number
}

/** Slots in which parts change hands, without a copy and nothing to collect. */
export const PART_SLOTS = 16
export const PART_BYTES = 1 << 16

/** Sent once, when the worker can take jobs. */
export interface ReadyMessage {
  readonly ready: true
}

/** What an API worker needs to serve queries of the same chain. */
export interface ApiSetup {
  readonly dataPath: string
  readonly config: Config
  readonly profile: Profile
  readonly chainId: string
  readonly genesis: GenesisDocument
  readonly facts: Pick<Engine, 'nodeId' | 'moniker' | 'listenAddress' | 'rpcAddress' | 'validatorKey'>
  readonly ports: { readonly rest: number; readonly grpc: number; readonly jsonrpc: number; readonly ws: number }
  readonly status: DriverStatus
}

export type DriverStatus = ReturnType<Driver['status']>

/** From the main process to an API worker. */
export type ToApiWorker =
  | { readonly kind: 'setup'; readonly setup: ApiSetup }
  /** After each commit, and when the chain halts. */
  | { readonly kind: 'status'; readonly status: DriverStatus }
  /** A transaction that was admitted. */
  | { readonly kind: 'pending'; readonly tx: PendingTx }
  | { readonly kind: 'part'; readonly id: number; readonly part: Uint8Array }
  | { readonly kind: 'answer'; readonly id: number; readonly result?: unknown; readonly error?: CarriedError }

/** How often an operation was answered with a status. */
interface AnsweredCount {
  readonly operation: string
  readonly status: 'ok' | Status
  readonly times: number
}

/** From an API worker to the main process. What it asks is answered under the same number. */
export type FromApiWorker =
  /** It hears now. */
  | { readonly kind: 'hello' }
  | { readonly kind: 'listening'; readonly urls: Readonly<Record<string, string | undefined>> }
  | { readonly kind: 'failed'; readonly error: CarriedError }
  /** What it answered since it last said so. */
  | { readonly kind: 'answered'; readonly counts: readonly AnsweredCount[] }
  | { readonly kind: 'submit'; readonly id: number; readonly tx: Uint8Array }
  | { readonly kind: 'submitAndWait'; readonly id: number; readonly tx: Uint8Array; readonly timeoutMs: number }
  | { readonly kind: 'nextHeader'; readonly id: number; readonly height: bigint }
  /** A JSON-RPC method that only the main process can answer. */
  | { readonly kind: 'rpc'; readonly id: number; readonly method: string; readonly params: unknown }
  | {
      readonly kind: 'compute'
      readonly id: number
      readonly job: string
      readonly payload: unknown
      readonly height: bigint | undefined
      readonly timeoutMs: number | undefined
      /** Whether it takes the answer in parts. */
      readonly inParts: boolean
    }
  /** The last part was taken. */
  | { readonly kind: 'taken'; readonly id: number }
  | { readonly kind: 'abort'; readonly id: number }

/** An admission as it travels: its error apart, in a form that arrives whole. */
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

/** An error on its way between threads. Without a status it was a bug: its stack is for the log alone. */
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
