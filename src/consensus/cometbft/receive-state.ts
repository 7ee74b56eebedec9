/**
 * State sync: an engine offers snapshots of its peers, and applies the chunks of one. Peers can lie: a chunk is compared with
 * the hashes of the offer, and the state with the app hash that the engine has verified.
 */
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import {
  type RequestApplySnapshotChunk,
  type RequestOfferSnapshot,
  type Response,
  ResponseApplySnapshotChunk_Result,
  type ResponseApplySnapshotChunkSchema,
  ResponseOfferSnapshot_Result,
  ResponseSchema,
} from '../../gen/tendermint/abci/types_pb.ts'
import { equal, formatHex } from '../../primitives/bytes.ts'
import { ChainError } from '../../primitives/errors.ts'
import { sha256 } from '../../primitives/hash.ts'
import { recordOf, SNAPSHOT_FORMAT, type SnapshotRecord } from './snapshot-record.ts'

/** A restore in progress. Each step rejects with `dataLoss` if the snapshot is wrong, with other errors if this node fails. */
export interface RestoreRun {
  /** Takes the next chunk. */
  write(chunk: Uint8Array): Promise<void>
  /** Takes the state into use if it has the app hash. */
  finish(appHash: Uint8Array): Promise<void>
  /** Deletes what was restored. */
  abandon(): Promise<void>
}

export interface ReceiverOptions {
  /** Begins a restore; one that began before is abandoned. Throws `resourceExhausted` for a snapshot that is too large. */
  readonly start: (record: SnapshotRecord) => RestoreRun
  /** Called with one sentence about each decision. */
  readonly log: (level: 'info' | 'warn' | 'error', message: string, facts: Readonly<Record<string, unknown>>) => void
}

export interface StateReceiver {
  offer(request: RequestOfferSnapshot): Promise<Response>
  apply(request: RequestApplySnapshotChunk): Promise<Response>
  /** Whether a snapshot has been restored. */
  isDone(): boolean
  /** Abandons a restore in progress. */
  stop(): Promise<void>
}

interface Running {
  readonly record: SnapshotRecord
  readonly appHash: Uint8Array
  readonly run: RestoreRun
  readonly senders: Set<string>
  next: number
}

const offered = (result: ResponseOfferSnapshot_Result): Response =>
  create(ResponseSchema, { value: { case: 'offerSnapshot', value: { result } } })

const applied = (value: MessageInitShape<typeof ResponseApplySnapshotChunkSchema>): Response =>
  create(ResponseSchema, { value: { case: 'applySnapshotChunk', value } })

const Offer = ResponseOfferSnapshot_Result
const Apply = ResponseApplySnapshotChunk_Result

/** Whether an error says that the snapshot is wrong or too large, not that this node failed. */
const isOfSnapshot = (error: unknown): error is ChainError =>
  error instanceof ChainError && (error.status === 'dataLoss' || error.status === 'resourceExhausted')

/** The answers of an application that has its state. */
export const refuseOffer = (): Response => offered(Offer.ABORT)
export const refuseChunk = (): Response => applied({ result: Apply.ABORT })

export function createStateReceiver({ start, log }: ReceiverOptions): StateReceiver {
  let running: Running | undefined
  let done = false

  async function stop(): Promise<void> {
    const last = running
    running = undefined
    await last?.run.abandon()
  }

  async function offer({ snapshot, appHash }: RequestOfferSnapshot): Promise<Response> {
    if (done) return refuseOffer()
    await stop()
    if (!snapshot) return offered(Offer.REJECT)
    const { height, format } = snapshot
    const refuse = (result: ResponseOfferSnapshot_Result, reason: string): Response => {
      log('warn', 'refused a snapshot', { height, reason })
      return offered(result)
    }
    if (format !== SNAPSHOT_FORMAT) {
      return refuse(Offer.REJECT_FORMAT, `its format is ${format}, and this build reads ${SNAPSHOT_FORMAT}`)
    }
    const record = recordOf(snapshot)
    if (typeof record === 'string') return refuse(Offer.REJECT, record)
    if (appHash.length !== 32) return refuse(Offer.REJECT, `the app hash of its height has ${appHash.length} bytes`)
    try {
      running = { record, appHash, run: start(record), senders: new Set(), next: 0 }
    } catch (error) {
      if (isOfSnapshot(error)) return refuse(Offer.REJECT, error.message)
      log('error', 'cannot restore a snapshot', { error })
      return refuseOffer()
    }
    const hash = formatHex(record.hash)
    log('info', 'restores a snapshot', { height, chunks: record.chunkHashes.length, hash })
    return offered(Offer.ACCEPT)
  }

  /** Gives the snapshot up, with the peers that sent it if it is wrong. */
  async function giveUp({ record, senders }: Running, error: unknown): Promise<Response> {
    await stop()
    const { height } = record
    if (!isOfSnapshot(error)) {
      log('error', 'cannot restore a snapshot', { height, error })
      return refuseChunk()
    }
    log('warn', 'refused a snapshot', { height, reason: error.message })
    return applied({ result: Apply.REJECT_SNAPSHOT, rejectSenders: [...senders] })
  }

  async function apply({ index, chunk, sender }: RequestApplySnapshotChunk): Promise<Response> {
    const current = running
    if (!current) return refuseChunk()
    const { record, run, senders } = current
    const { chunkHashes, height } = record
    const expected = chunkHashes[index]
    const rejectSenders = sender === '' ? [] : [sender]
    if (!expected) return applied({ result: Apply.RETRY, refetchChunks: [current.next], rejectSenders })
    if (!equal(sha256(chunk), expected)) {
      log('warn', 'a chunk has the wrong hash: fetching it from others', { height, chunk: index, sender })
      // One that was applied before is not needed again.
      if (index < current.next) return applied({ result: Apply.ACCEPT, rejectSenders })
      return applied({ result: Apply.RETRY, refetchChunks: [index], rejectSenders })
    }
    if (index < current.next) return applied({ result: Apply.ACCEPT })
    if (index > current.next) return applied({ result: Apply.RETRY, refetchChunks: [current.next] })
    if (sender !== '') senders.add(sender)
    try {
      await run.write(chunk)
      current.next++
      if (current.next < chunkHashes.length) return applied({ result: Apply.ACCEPT })
      await run.finish(current.appHash)
    } catch (error) {
      return giveUp(current, error)
    }
    running = undefined
    done = true
    log('info', 'restored a snapshot', { height, app_hash: formatHex(current.appHash) })
    return applied({ result: Apply.ACCEPT })
  }

  return { offer, apply, isDone: () => done, stop }
}
