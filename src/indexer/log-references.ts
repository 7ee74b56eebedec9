/**
 * Stored results without the logs of Ethereum transactions: the receipts have them. Each omission is checked when it is made,
 * so that a result in any other form, such as one of a followed chain, is stored whole.
 */
import { type LogBlock, logPieces, logsAsFields, logsAsJson, logsLength } from '../app/evm/log-forms.ts'
import type { EvmTx, TxResult } from '../app/records.ts'
import { concat, equal } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import { encodeVarint, type Input, MAX_VARINT_BYTES, takeVarint } from '../primitives/varint.ts'
import type { EventAttribute } from '../store/types.ts'
import { type LateText, lateAttribute, withLateData } from './late-values.ts'

/** The block of results, with its receipts. */
export interface ReceiptSource extends LogBlock {
  readonly evmTxs: readonly EvmTx[]
}

/** The places from which the logs of one transaction were left out. */
export interface LogReference {
  /** Index of the result. */
  readonly result: number
  /** Index of the receipt. */
  readonly evmTx: number
  /** Index of the event and of its attribute; undefined if the events are whole. */
  readonly attribute: readonly [event: number, attribute: number] | undefined
  /** Whether the response in the result's data lacks its logs. */
  readonly isDataCut: boolean
}

/** Returns the results without logs that receipts have, and where to put them back. */
export function omitLogs(
  results: readonly TxResult[],
  source: ReceiptSource | undefined,
): { readonly results: readonly TxResult[]; readonly references: readonly LogReference[] } {
  const references: LogReference[] = []
  if (!source?.evmTxs.some(({ logs }) => logs.length > 0)) return { results, references }
  const short = [...results]
  source.evmTxs.forEach((evmTx, i) => {
    const result = results[evmTx.txIndex]
    if (!result || evmTx.logs.length === 0) return
    const attribute = findText(result, logsAsJson(source, evmTx))
    const data = withoutLogs(result.data, logsAsFields(source, evmTx))
    if (!attribute && !data) return
    const events = attribute ? withAttribute(result, attribute, (found) => ({ ...found, value: '' })) : result.events
    short[evmTx.txIndex] = { ...result, data: data ?? result.data, events }
    references.push({ result: evmTx.txIndex, evmTx: i, attribute, isDataCut: data !== undefined })
  })
  return { results: short, references }
}

/** Returns the results with the logs of the receipts, which are built when they are read. Throws `unavailable` if another process removes the block meanwhile. */
export function restoreLogs(
  results: readonly TxResult[],
  references: readonly LogReference[],
  source: ReceiptSource,
): TxResult[] {
  const whole = [...results]
  for (const { result: index, evmTx: evmIndex, attribute, isDataCut } of references) {
    const result = whole[index]!
    const evmTx = source.evmTxs[evmIndex]
    if (!evmTx) throw queryError('unavailable', `block ${source.height} was rolled back while it was read`)
    const { data } = result
    const { height, hash } = source
    const block = { height, hash }
    const late: LateText = { size: logsLength(evmTx.logs), pieces: () => logPieces(block, evmTx) }
    const events = attribute ? withAttribute(result, attribute, ({ key }) => lateAttribute(key, late)) : result.events
    whole[index] = isDataCut
      ? withLateData(result, events, () => withLogs(data, logsAsFields(block, evmTx))!)
      : { ...result, events }
  }
  return whole
}

/** Returns the place of an attribute with a value. The event of the logs is among the last. */
function findText({ events }: TxResult, text: string): readonly [event: number, attribute: number] | undefined {
  for (let event = events.length - 1; event >= 0; event--) {
    const attribute = events[event]!.attributes.findIndex(({ value }) => value === text)
    if (attribute >= 0) return [event, attribute]
  }
  return undefined
}

/** Returns the events with one attribute changed. */
function withAttribute(
  { events }: TxResult,
  [event, attribute]: readonly [number, number],
  change: (found: EventAttribute) => EventAttribute,
) {
  return events.with(event, {
    ...events[event]!,
    attributes: events[event]!.attributes.map((found, i) => (i === attribute ? change(found) : found)),
  })
}

/** Tags of `TxMsgData.msg_responses`, of an `Any`, and of the hash in a `MsgEthereumTxResponse`, which precedes the logs. */
const RESPONSES = 0x12
const ANY_TYPE = 0x0a
const ANY_VALUE = 0x12
const HASH = 0x0a

/** Whether a varint ends within the bytes that are left. */
const hasVarint = ({ bytes, at }: Input): boolean =>
  bytes.subarray(at, at + MAX_VARINT_BYTES).some((byte) => byte < 0x80)

/** Reads one field of bytes. Returns undefined for another tag, or if the bytes end before the field. */
function takeField(input: Input, tag: number): Uint8Array | undefined {
  if (input.bytes[input.at] !== tag) return undefined
  input.at++
  if (!hasVarint(input)) return undefined
  const length = takeVarint(input)
  const value = input.bytes.subarray(input.at, input.at + length)
  input.at += length
  return value.length === length ? value : undefined
}

const field = (tag: number, value: Uint8Array): Uint8Array =>
  concat(Uint8Array.of(tag), encodeVarint(value.length), value)

interface Response {
  readonly typeUrl: Uint8Array
  /** The response up to its logs, and from there on. */
  readonly head: Uint8Array
  readonly rest: Uint8Array
}

/** Takes the data of a result with one response apart; undefined for any other data. */
function responseIn(data: Uint8Array): Response | undefined {
  const input = { bytes: data, at: 0 }
  const inner = data.length > 0 ? takeField(input, RESPONSES) : undefined
  if (!inner || input.at !== data.length) return undefined
  const parts = { bytes: inner, at: 0 }
  const typeUrl = takeField(parts, ANY_TYPE)
  const value = typeUrl && parts.at < inner.length ? takeField(parts, ANY_VALUE) : undefined
  if (!value || parts.at !== inner.length) return undefined
  const start = { bytes: value, at: 0 }
  if (!takeField(start, HASH)) return undefined
  return { typeUrl: typeUrl!, head: value.subarray(0, start.at), rest: value.subarray(start.at) }
}

const dataOf = (typeUrl: Uint8Array, value: Uint8Array): Uint8Array =>
  field(RESPONSES, concat(field(ANY_TYPE, typeUrl), field(ANY_VALUE, value)))

function withLogs(data: Uint8Array, logs: Uint8Array): Uint8Array | undefined {
  const found = responseIn(data)
  return found && dataOf(found.typeUrl, concat(found.head, logs, found.rest))
}

/** Returns the data without logs; undefined if `withLogs` would not give back the same data. */
function withoutLogs(data: Uint8Array, logs: Uint8Array): Uint8Array | undefined {
  const found = responseIn(data)
  if (!found || !equal(found.rest.subarray(0, logs.length), logs)) return undefined
  const short = dataOf(found.typeUrl, concat(found.head, found.rest.subarray(logs.length)))
  const again = withLogs(short, logs)
  return again && equal(again, data) ? short : undefined
}
