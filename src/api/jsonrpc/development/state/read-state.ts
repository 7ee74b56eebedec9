/** Reading a dump: its accounts, and its blocks with their transactions and receipts. */
import { gunzipSync } from 'node:zlib'
import type { AccountDump } from '../../../../modules/evm/keeper.ts'
import { formatHex0x, formatUtf8, parseHex, toKey } from '../../../../primitives/bytes.ts'
import { queryError } from '../../../../primitives/errors.ts'
import {
  type Field,
  fieldError,
  fieldOf,
  isPresent,
  itemsOf,
  readHex,
  readUint,
} from '../../../../primitives/json-fields.ts'
import { parseRequestJson } from '../../../../primitives/request-json.ts'
import { readAccounts } from './accounts.ts'
import { type DumpedHeader, readHeader } from './headers.ts'
import { readHistoricalAccounts } from './historical.ts'
import { type DumpedTransaction, readTransaction } from './transactions.ts'

/** Size of a loaded state, decompressed (development). Beyond: an error. */
export const MAX_STATE_BYTES = 256 * 1024 * 1024

/** A receipt of a dump, with what else it says about the execution. */
interface DumpedReceipt {
  /** Path of the record, for errors. */
  readonly path: string
  readonly info: Field
  readonly receipt: Field
}

export interface DumpedBlock {
  readonly header: DumpedHeader
  readonly transactions: readonly (DumpedTransaction & DumpedReceipt)[]
  /** The accounts after the block, if the dump kept them. */
  readonly accounts: readonly AccountDump[] | undefined
}

export interface DumpedState {
  readonly accounts: readonly AccountDump[]
  /** Ascending without gaps, the last one the newest. Without block 0. */
  readonly blocks: readonly DumpedBlock[]
}

const GZIP = [0x1f, 0x8b]

/** Decompresses a dump and parses it. `bytes` are JSON, its gzip, or the hexadecimal text of either. */
function parse(bytes: Uint8Array): unknown {
  if (bytes[0] === GZIP[0] && bytes[1] === GZIP[1]) {
    return parse(gunzipSync(bytes, { maxOutputLength: MAX_STATE_BYTES }))
  }
  const text = formatUtf8(bytes).trim()
  const packed = /^"?0x[0-9a-fA-F]+"?$/.test(text) ? parseHex(text.replaceAll('"', '')) : undefined
  return packed ? parse(packed) : parseRequestJson(text)
}

/** Returns the blocks of the chain that ends at the best number, by ascending number. */
function chainOf(headers: ReadonlyMap<string, DumpedHeader>, best: bigint, field: Field): readonly DumpedHeader[] {
  const chain: DumpedHeader[] = []
  let next = [...headers.values()].find(({ number }) => number === best)
  if (!next) throw fieldError(field, 'the number of one of the blocks')
  while (next && next.number > 0n) {
    chain.unshift(next)
    const parent = headers.get(toKey(next.parentHash))
    next = parent?.number === next.number - 1n ? parent : undefined
  }
  return chain
}

/** Returns the records of transactions by the header hash of their block. */
function receiptsByBlock(root: Field): ReadonlyMap<string, readonly Field[]> {
  const byBlock = new Map<string, Field[]>()
  for (const record of itemsOf(fieldOf(root, 'transactions'))) {
    const key = toKey(readHex(fieldOf(record, 'block_hash'), 32))
    byBlock.set(key, [...(byBlock.get(key) ?? []), record])
  }
  return byBlock
}

function readTransactions(block: Field, records: readonly Field[]): DumpedBlock['transactions'] {
  const byIndex = new Map(records.map((one) => [readUint(fieldOf(fieldOf(one, 'info'), 'transaction_index'), 32), one]))
  return itemsOf(fieldOf(block, 'transactions')).map((field, i) => {
    const record = byIndex.get(BigInt(i))
    if (!record) throw queryError('invalidArgument', `state: ${field.path} has no record in transactions`)
    const { path } = record
    return { ...readTransaction(field), path, info: fieldOf(record, 'info'), receipt: fieldOf(record, 'receipt') }
  })
}

/** Returns the accounts of historical states by the header hash of their block. */
function historicalAccounts(root: Field): ReadonlyMap<string, readonly AccountDump[]> {
  const states = itemsOf(fieldOf(root, 'historical_states')).map((pair) => {
    const [hash, state] = itemsOf(pair)
    if (!hash || !state) throw fieldError(pair, 'a block hash and a state')
    return [toKey(readHex(hash, 32)), readHistoricalAccounts(state)] as const
  })
  return new Map(states)
}

function readBlocks(root: Field): readonly DumpedBlock[] {
  const fields = itemsOf(fieldOf(root, 'blocks'))
  if (fields.length === 0) return []
  const headers = new Map<string, DumpedHeader>()
  const sources = new Map<DumpedHeader, Field>()
  for (const field of fields) {
    const header = readHeader(fieldOf(field, 'header'))
    headers.set(toKey(header.headerHash), header)
    sources.set(header, field)
  }
  const bestField = fieldOf(root, 'best_block_number')
  const envNumber = fieldOf(fieldOf(root, 'block'), 'number')
  const best = readUint(isPresent(bestField) ? bestField : envNumber, 63)
  const receipts = receiptsByBlock(root)
  const states = historicalAccounts(root)
  return chainOf(headers, best, bestField).map((header) => {
    const key = toKey(header.headerHash)
    return {
      header,
      transactions: readTransactions(sources.get(header)!, receipts.get(key) ?? []),
      accounts: states.get(key),
    }
  })
}

/**
 * Reads the output of `dumpState`, or the content of a state file. Throws `invalidArgument` with the path of a field that is
 * wrong.
 */
export function readState(bytes: Uint8Array): DumpedState {
  let value: unknown
  try {
    value = parse(bytes)
  } catch (error) {
    const start = bytes.length === 0 ? '' : ` from ${formatHex0x(bytes.subarray(0, 8))}`
    throw queryError(
      'invalidArgument',
      `state is not an output of dumpState: ${bytes.length} bytes${start}: ${(error as Error).message}`,
    )
  }
  const root: Field = { value, path: '' }
  if (typeof value !== 'object' || value === null) throw queryError('invalidArgument', 'state is not a JSON object')
  return { accounts: readAccounts(fieldOf(root, 'accounts')), blocks: readBlocks(root) }
}
