/**
 * The two forms that the logs of an Ethereum transaction have in its result, built from the receipt: the attribute `logs` of the
 * event, and the field `logs` of the response. The indexer leaves both out of stored results.
 */
import { formatEip55 } from '../../primitives/address.ts'
import { formatBase64, formatHex0x, toKey } from '../../primitives/bytes.ts'
import { varintLength, writeVarint } from '../../primitives/varint.ts'
import type { EvmTx } from '../records.ts'

/** The block of a receipt. */
export interface LogBlock {
  readonly height: bigint
  readonly hash: Uint8Array
}

type Logs = Pick<EvmTx, 'hash' | 'evmIndex' | 'firstLogIndex' | 'logs'>

/** Returns a function that formats addresses. It keeps the text of the last one, since most logs of a transaction share it. */
function addressTexts(): (address: Uint8Array) => string {
  let last = ''
  let text = ''
  return (address) => {
    const key = toKey(address)
    if (key !== last || text === '') {
      last = key
      text = formatEip55(address)
    }
    return text
  }
}

/** Number of logs in a piece of their text. */
const LOGS_AT_ONCE = 64

/** Returns the logs as the JSON text of the event attribute. */
export function logsAsJson(block: LogBlock, tx: Logs): string {
  let text = ''
  for (const piece of logPieces(block, tx)) text += piece
  return text
}

/** Yields the text of `logsAsJson` in pieces. */
export function* logPieces(
  { height, hash: blockHash }: LogBlock,
  { hash, evmIndex, firstLogIndex, logs }: Logs,
): IterableIterator<string> {
  const addressText = addressTexts()
  const place =
    `,"block_number":"${height}","tx_hash":"${formatHex0x(hash)}","tx_index":"${evmIndex}",` +
    `"block_hash":"${formatHex0x(blockHash)}","index":"`
  let text = '['
  for (const [i, { address, topics, data }] of logs.entries()) {
    if (i > 0 && i % LOGS_AT_ONCE === 0) {
      yield text
      text = ''
    }
    const topicTexts = topics.map((topic) => `"${formatHex0x(topic)}"`).join(',')
    const dataText = data.length === 0 ? 'null' : `"${formatBase64(data)}"`
    text += `${i > 0 ? ',' : ''}{"address":"${addressText(address)}","topics":[${topicTexts}],"data":${dataText}`
    text += `${place}${firstLogIndex + i}","removed":false}`
  }
  yield `${text}]`
}

/** Length of the text of a log without topics and data, and of a topic. */
const LOG_LENGTH = 310
const TOPIC_LENGTH = 69

/** Returns the approximate length of `logsAsJson`. Unit: characters. */
export function logsLength(logs: Logs['logs']): number {
  let length = 0
  for (const { topics, data } of logs) length += LOG_LENGTH + topics.length * TOPIC_LENGTH + (data.length * 4) / 3
  return Math.round(length)
}

/** Length of a field with a 20-byte address, and with 32 bytes, as hexadecimal text: tag, length and text. */
const ADDRESS_FIELD = 44
const HASH_FIELD = 68

/** Tags: number and wire type. */
const RESPONSE_LOGS = 0x12
const LOG = {
  address: 0x0a,
  topics: 0x12,
  data: 0x1a,
  blockNumber: 0x20,
  txHash: 0x2a,
  txIndex: 0x30,
  blockHash: 0x3a,
  index: 0x40,
} as const

const numberFieldLength = (value: number): number => (value === 0 ? 0 : 1 + varintLength(value))

/** Returns the logs as the encoded fields `logs` of a `MsgEthereumTxResponse`. */
export function logsAsFields(
  { height, hash: blockHash }: LogBlock,
  { hash, evmIndex, firstLogIndex, logs }: Logs,
): Uint8Array {
  const addressText = addressTexts()
  const number = Number(height)
  const hashText = formatHex0x(hash)
  const blockText = formatHex0x(blockHash)
  const fixed = ADDRESS_FIELD + 2 * HASH_FIELD + numberFieldLength(number) + numberFieldLength(evmIndex)
  const lengths = logs.map(({ topics, data }, i) => {
    const dataLength = data.length === 0 ? 0 : 1 + varintLength(data.length) + data.length
    return fixed + HASH_FIELD * topics.length + dataLength + numberFieldLength(firstLogIndex + i)
  })
  const out = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + 1 + varintLength(length) + length, 0))
  let at = 0
  const putText = (tag: number, text: string): void => {
    out[at++] = tag
    out[at++] = text.length
    at += out.write(text, at, 'latin1')
  }
  const putNumber = (tag: number, value: number): void => {
    if (value === 0) return
    out[at++] = tag
    at = writeVarint(out, at, value)
  }
  logs.forEach(({ address, topics, data }, i) => {
    out[at++] = RESPONSE_LOGS
    at = writeVarint(out, at, lengths[i]!)
    putText(LOG.address, addressText(address))
    for (const topic of topics) putText(LOG.topics, formatHex0x(topic))
    if (data.length > 0) {
      putNumber(LOG.data, data.length)
      out.set(data, at)
      at += data.length
    }
    putNumber(LOG.blockNumber, number)
    putText(LOG.txHash, hashText)
    putNumber(LOG.txIndex, evmIndex)
    putText(LOG.blockHash, blockText)
    putNumber(LOG.index, firstLogIndex + i)
  })
  return out
}
