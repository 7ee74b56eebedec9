/** Stored results of transactions, in pieces and with their size: the events of one can have many megabytes. */
import type { StoredBlock, TxResult } from '../app/records.ts'
import { hasLateData, lateTextOf } from '../indexer/late-values.ts'
import { formatBase64, formatHex } from '../primitives/bytes.ts'
import type { ChainEvent } from '../store/types.ts'
import { jsonPieces, longText } from './long-json.ts'

/** Answers repeat the events in the log and in the data, and transactions as base64 or in decoded form. */
const TIMES_EVENTS = 3
const TIMES_TX = 2
/** Length of bytes that are formatted at once: a multiple of 3, so that pieces of base64 are one text. */
const BYTES_AT_ONCE = 24 * 1024

/** Size from which the answer for a result is made in pieces. */
export const LONG_RESULT_BYTES = 256 * 1024

function lengthOf(events: readonly ChainEvent[]): number {
  let length = 0
  for (const { type, attributes } of events) {
    length += type.length
    for (const attribute of attributes) {
      length += attribute.key.length + (lateTextOf(attribute)?.size ?? attribute.value.length)
    }
  }
  return length
}

/** Returns the approximate size of the answer for a transaction with its result. Unit: bytes. */
export function answerSize({ txs, results }: StoredBlock, index: number): number {
  const result = results[index]
  if (!result) return 0
  const log = typeof result.log === 'string' ? result.log.length : 0
  const data = hasLateData(result) ? 0 : result.data.length * 2
  return txs[index]!.length * TIMES_TX + lengthOf(result.events) * TIMES_EVENTS + log + data
}

/** The events of one message of a transaction, as in its log. */
export interface MessageEvents {
  readonly msg_index: number
  readonly events: readonly ChainEvent[]
}

/** Returns the events of a success by message; undefined for a result whose log is a text. */
export function eventsByMessage({ log, events }: Pick<TxResult, 'log' | 'events'>): MessageEvents[] | undefined {
  if (typeof log === 'string') return undefined
  return log.map((start, message) => ({ msg_index: message, events: events.slice(start, log[message + 1]) }))
}

/** Returns the value of an attribute as `jsonPieces` takes it. */
export function longValue(attribute: ChainEvent['attributes'][number]): unknown {
  const late = lateTextOf(attribute)
  return late ? longText(late.pieces) : attribute.value
}

/** Yields the log of a result, as `logOf` returns it, in pieces. */
export function logPieces(result: Pick<TxResult, 'log' | 'events'>): Iterable<string> {
  if (typeof result.log === 'string') return [result.log]
  const longEvent = ({ type, attributes }: ChainEvent) => ({
    type,
    attributes: attributes.map((attribute) => ({ key: attribute.key, value: longValue(attribute) })),
  })
  return jsonPieces(
    eventsByMessage(result)!.map(({ events, ...entry }) => ({ ...entry, events: events.map(longEvent) })),
  )
}

function* bytesPieces(bytes: Uint8Array, format: (bytes: Uint8Array) => string): Iterable<string> {
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) yield format(bytes.subarray(at, at + BYTES_AT_ONCE))
}

/** Yields the data of a result as base64, in pieces. */
export function base64DataPieces(result: TxResult): Iterable<string> {
  return bytesPieces(result.data, formatBase64)
}

/** Yields the data of a result as upper-case hexadecimal text, in pieces. */
export function hexDataPieces(result: TxResult): Iterable<string> {
  return bytesPieces(result.data, (bytes) => formatHex(bytes).toUpperCase())
}
