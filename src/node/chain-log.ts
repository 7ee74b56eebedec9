/** The log of what a chain does, for people who develop on it: one line for each transaction, each block and each request. */
import type { GatewayNode, Observe } from '../api/gateway.ts'
import { tryDecodeTx } from '../api/services/tx-response.ts'
import { decodeResponse } from '../app/evm/response.ts'
import type { EvmTx, StoredBlock, TxResult } from '../app/records.ts'
import { decodeRevert } from '../evm/revert.ts'
import { formatEip55 } from '../primitives/address.ts'
import { formatHex, formatHex0x } from '../primitives/bytes.ts'
import { sha256 } from '../primitives/hash.ts'
import { type Log, moduleLog } from './log.ts'

type Fields = Readonly<Record<string, unknown>>

/** Length of the selector of a custom error. Unit: bytes. */
const SELECTOR_BYTES = 4

/** Returns why an execution failed: the text of its error, and what the contract said, if it said something. */
function failureOf({ data }: TxResult): string {
  const { vmError = '', ret = new Uint8Array(0) } = decodeResponse(data) ?? {}
  const reason = decodeRevert(ret)
  if (reason !== undefined) return `${vmError}: ${reason}`
  if (ret.length < SELECTOR_BYTES) return vmError
  return `${vmError}: custom error ${formatHex0x(ret.subarray(0, SELECTOR_BYTES))}`
}

function ofEthereum(tx: EvmTx, result: TxResult): Fields {
  return {
    hash: formatHex0x(tx.hash),
    from: formatEip55(tx.from),
    ...(tx.to && { to: formatEip55(tx.to) }),
    ...(tx.contractAddress && { created: formatEip55(tx.contractAddress) }),
    gas: tx.gasUsed,
    ...(tx.status === 0 && { failed: failureOf(result) }),
  }
}

/** Returns the different values of an attribute of the events of messages. */
function messageValues({ events }: TxResult, wanted: string): string {
  const values = events.flatMap(({ type, attributes }) =>
    type === 'message' ? attributes.flatMap(({ key, value }) => (key === wanted ? [value] : [])) : [],
  )
  return [...new Set(values)].join(',')
}

/** Returns the different type URLs of the messages of a transaction, as its client sent them. */
function sentMessages(bytes: Uint8Array): string {
  const names = tryDecodeTx(bytes)?.body?.messages.map(({ typeUrl }) => typeUrl) ?? []
  return [...new Set(names)].join(',')
}

/** Returns the fields of a transaction that is not of Ethereum, or that was not admitted to its block. */
function ofCosmos(bytes: Uint8Array, result: TxResult): Fields {
  // Without the events of its messages, a failed transaction has the names that its client sent.
  const messages = messageValues(result, 'action') || sentMessages(bytes)
  const from = messageValues(result, 'sender')
  return {
    hash: formatHex(sha256(bytes)).toUpperCase(),
    ...(from !== '' && { from }),
    ...(messages !== '' && { messages }),
    gas: result.gasUsed,
    ...(result.code !== 0 && { failed: String(result.log), code: result.code, codespace: result.codespace }),
  }
}

function logBlock({ header, hash, txs, results, evmTxs }: StoredBlock, log: Log): void {
  const ofIndex = new Map(evmTxs.map((tx) => [tx.txIndex, tx]))
  let gas = 0n
  results.forEach((result, i) => {
    const evmTx = ofIndex.get(i)
    const fields = evmTx ? ofEthereum(evmTx, result) : ofCosmos(txs[i]!, result)
    log('info', 'transaction', { ...fields, block: header.height })
    gas += evmTx?.gasUsed ?? result.gasUsed
  })
  log('info', 'block', { height: header.height, hash: formatHex0x(hash), txs: txs.length, gas })
}

/**
 * Logs each transaction and each block of a chain, but not the blocks of a loaded state. Returns a function that ends the log.
 */
export function logChain({ driver }: Pick<GatewayNode, 'driver'>, log: Log): () => void {
  const ofChain = moduleLog(log, 'chain')
  return driver.onBlock((block) => {
    if (!block.isAdopted) logBlock(block, ofChain)
  })
}

/** Characters of the name of a method that does not exist. */
const SHOWN_NAME = 64

/** Returns an observer that logs each answered request: its method, and its status unless it succeeded. */
function requestLog(log: Log): Observe {
  return ({ operation, status, asked = 'unknown' }) => {
    log('info', 'request', { method: operation || asked.slice(0, SHOWN_NAME), ...(status !== 'ok' && { status }) })
  }
}

/** Returns the observer of requests of a node, for its metrics and its log; undefined if neither wants them. */
export function observerOf(count: Observe | undefined, log: Log | undefined): Observe | undefined {
  if (!count && !log) return undefined
  const write = log && requestLog(moduleLog(log, 'api'))
  return (answered) => {
    count?.(answered)
    write?.(answered)
  }
}
