/** Receipts and logs of stored transactions. Long ones are made while they are sent: a transaction can have 40,000 logs. */
import type { EvmTx, StoredBlock } from '../../../app/records.ts'
import { jsonPieces, longList, writePieces } from '../../long-json.ts'
import { formatLogs, formatReceipt, type JsonObject } from '../format.ts'
import { type Streamed, streamed } from '../streamed.ts'

/** Size from which a result is made in pieces. */
const LONG_BYTES = 256 * 1024
/** Approximate size of a log without topics and data as JSON. */
const LOG_BYTES = 450
const TOPIC_BYTES = 70
const LOGS_AT_ONCE = 64

/** The part of a call that knows its client. */
interface Caller {
  readonly signal: () => AbortSignal
}

type Logs = Pick<EvmTx, 'logs'>['logs']

/** Returns the approximate size of a log as JSON. Unit: bytes. */
export function logSize({ topics, data }: Logs[number]): number {
  return LOG_BYTES + topics.length * TOPIC_BYTES + data.length * 2
}

function isLong(txs: readonly EvmTx[]): boolean {
  let size = 0
  for (const { logs } of txs) {
    if (logs.length * LOG_BYTES > LONG_BYTES) return true
    for (const log of logs) size += logSize(log)
  }
  return size > LONG_BYTES
}

function* logsOf(block: StoredBlock, tx: EvmTx): Iterable<JsonObject> {
  for (let first = 0; first < tx.logs.length; first += LOGS_AT_ONCE) {
    const logs = tx.logs.slice(first, first + LOGS_AT_ONCE)
    yield* formatLogs(block, { ...tx, logs, firstLogIndex: tx.firstLogIndex + first })
  }
}

/** Returns the receipt of a transaction with logs that are made one by one. */
export function longReceipt(block: StoredBlock, tx: EvmTx): JsonObject {
  return { ...formatReceipt(block, { ...tx, logs: [] }), logs: longList(() => logsOf(block, tx)) }
}

function* receiptsOf(block: StoredBlock): Iterable<JsonObject> {
  for (const tx of block.evmTxs) yield longReceipt(block, tx)
}

/** Returns a result that is made while it is sent, from a value that `jsonPieces` takes. */
export function inPieces({ signal }: Caller, value: unknown): Streamed {
  return streamed((onPart) => writePieces(jsonPieces(value), onPart, signal()))
}

/** Returns the receipts of a block. */
export function blockReceipts(call: Caller, block: StoredBlock): readonly JsonObject[] | Streamed {
  if (!isLong(block.evmTxs)) return block.evmTxs.map((tx) => formatReceipt(block, tx))
  return inPieces(
    call,
    longList(() => receiptsOf(block)),
  )
}

/** Returns the receipt of a transaction. */
export function receipt(call: Caller, block: StoredBlock, tx: EvmTx): JsonObject | Streamed {
  return isLong([tx]) ? inPieces(call, longReceipt(block, tx)) : formatReceipt(block, tx)
}

/** Returns the logs of a transaction. */
export function transactionLogs(call: Caller, block: StoredBlock, tx: EvmTx): readonly JsonObject[] | Streamed {
  if (!isLong([tx])) return formatLogs(block, tx)
  return inPieces(
    call,
    longList(() => logsOf(block, tx)),
  )
}
