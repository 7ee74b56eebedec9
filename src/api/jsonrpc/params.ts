/** Readers of JSON-RPC parameters. Their errors have the texts of geth. */

import {
  cannotUnmarshal,
  jsonKind,
  readAddress,
  readBytes,
  readHash,
  readObject,
  readQuantity,
} from '../../modules/evm/calls/hex-json.ts'
import { queryError } from '../../primitives/errors.ts'
import { MAX_INT64 } from '../../primitives/integers.ts'
import { invalidParams } from './errors.ts'

export interface Param<T> {
  readonly required: boolean
  /** Receives undefined for an absent or null optional parameter. Throws a `ChainError` with geth's text. */
  readonly read: (value: unknown) => T
}

export type BlockTag = 'latest' | 'pending' | 'safe' | 'finalized' | 'earliest'

/** A block as a request names it. */
export type BlockRef =
  | { readonly tag: BlockTag }
  | { readonly number: bigint }
  | { readonly hash: Uint8Array; readonly requireCanonical?: boolean }

/** Whether a request names the block that is not made yet. */
export const isPending = (ref: BlockRef): boolean => 'tag' in ref && ref.tag === 'pending'

export interface LogFilter {
  readonly blockHash: Uint8Array | undefined
  readonly from: BlockRef | undefined
  readonly to: BlockRef | undefined
  readonly addresses: readonly Uint8Array[]
  readonly topics: readonly (readonly Uint8Array[])[]
}

const TAGS: ReadonlySet<string> = new Set(['latest', 'pending', 'safe', 'finalized', 'earliest'])

/** Returns a parameter that can be absent or null, with its default. */
export function optional<T, D>(param: Param<T>, absent: D): Param<T | D> {
  return { required: false, read: (value) => (value === undefined ? absent : param.read(value)) }
}

export const address: Param<Uint8Array> = { required: true, read: (value) => readAddress(value) }
export const hash: Param<Uint8Array> = { required: true, read: (value) => readHash(value) }
export const bytes: Param<Uint8Array> = {
  required: true,
  read: (value) => readBytes(value, { type: 'hexutil.Bytes' }),
}
/** An index or count; unit: none. */
export const quantity64: Param<bigint> = {
  required: true,
  read: (value) => readQuantity(value, { type: 'hexutil.Uint64' }, 64),
}
/** A quantity of at most 256 bits. */
export const bigQuantity: Param<bigint> = {
  required: true,
  read: (value) => readQuantity(value, { type: '*hexutil.Big' }),
}
/** A count given as a quantity or as a number, as `eth_feeHistory` accepts it. */
export const decimalOrQuantity: Param<bigint> = {
  required: true,
  read: (value) => {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
    if (typeof value === 'string' && /^\d{1,19}$/.test(value)) return BigInt(value)
    return readQuantity(value, { type: 'math.HexOrDecimal64' }, 64)
  },
}
export const boolean: Param<boolean> = {
  required: true,
  read: (value) => {
    if (typeof value !== 'boolean') throw cannotUnmarshal(jsonKind(value), { type: 'bool' })
    return value
  },
}
export const text: Param<string> = {
  required: true,
  read: (value) => {
    if (typeof value !== 'string') throw cannotUnmarshal(jsonKind(value), { type: 'string' })
    return value
  },
}
/** Any JSON value; the method reads it. */
export const json: Param<unknown> = { required: true, read: (value) => value }
export const numbers: Param<readonly number[]> = {
  required: true,
  read: (value) => {
    if (!Array.isArray(value)) throw cannotUnmarshal(jsonKind(value), { type: '[]float64' })
    return value.map((item: unknown) => {
      if (typeof item !== 'number') throw cannotUnmarshal(jsonKind(item), { type: 'float64' })
      return item
    })
  },
}

export function readBlockNumber(value: unknown): BlockRef {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return { number: BigInt(value) }
  if (typeof value !== 'string') throw cannotUnmarshal(jsonKind(value), { type: 'rpc.BlockNumber' })
  if (value === '') return { tag: 'latest' }
  if (TAGS.has(value)) return { tag: value as BlockTag }
  if (/^\d{1,19}$/.test(value)) return boundedNumber(BigInt(value))
  if (!/^0[xX]/.test(value)) throw queryError('invalidArgument', 'hex string without 0x prefix')
  if (value.length === 2) throw queryError('invalidArgument', 'hex string "0x"')
  if (!/^0[xX][0-9a-fA-F]+$/.test(value)) throw queryError('invalidArgument', 'invalid hex string')
  if (value.length > 3 && value[2] === '0') {
    throw queryError('invalidArgument', 'hex number with leading zero digits')
  }
  if (value.length > 18) throw queryError('invalidArgument', 'hex number > 64 bits')
  return boundedNumber(BigInt(value))
}

function boundedNumber(number: bigint): BlockRef {
  if (number > MAX_INT64) throw queryError('invalidArgument', 'block number larger than int64')
  return { number }
}

function readBlockRef(value: unknown): BlockRef {
  if (typeof value === 'string' && value.length === 66) return { hash: readHash(value) }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return readBlockNumber(value)
  const { blockHash, blockNumber, requireCanonical } = value as Readonly<Record<string, unknown>>
  if (blockHash !== undefined && blockNumber !== undefined) {
    throw queryError('invalidArgument', 'cannot specify both BlockHash and BlockNumber, choose one or the other')
  }
  if (blockHash !== undefined) return { hash: readHash(blockHash), requireCanonical: requireCanonical === true }
  if (blockNumber !== undefined) return readBlockNumber(blockNumber)
  throw queryError('invalidArgument', 'block number or hash is required')
}

const LATEST: BlockRef = { tag: 'latest' }

/** A number or a tag. */
export const blockNumber: Param<BlockRef> = { required: true, read: readBlockNumber }
/** A number, a tag, a hash, or an object of either (EIP-1898); absent is `latest`. */
export const blockOrLatest: Param<BlockRef> = {
  required: false,
  read: (value) => (value === undefined ? LATEST : readBlockRef(value)),
}
export const block: Param<BlockRef> = { required: true, read: readBlockRef }

/** A storage slot: at most 32 bytes of hexadecimal digits, `0x` and leading zeros optional. */
export const storageKey: Param<Uint8Array> = {
  required: true,
  read: (value) => {
    if (typeof value !== 'string') throw cannotUnmarshal(jsonKind(value), { type: 'string' })
    const digits = value.replace(/^0[xX]/, '')
    const shown = JSON.stringify(value)
    if (digits.length > 64) throw invalidParams(`storage key too long (want at most 32 bytes): ${shown}`)
    if (!/^[0-9a-fA-F]*$/.test(digits)) throw invalidParams(`invalid hex in storage key: ${shown}`)
    return readHash(`0x${digits.padStart(64, '0')}`)
  },
}

/** Slots in one `eth_getStorageValues`, as in geth. Beyond: -32602. */
const MAX_STORAGE_SLOTS = 1024

export interface StorageRequest {
  /** The address as given; it is the key in the answer. */
  readonly text: string
  readonly address: Uint8Array
  readonly slots: readonly Uint8Array[]
}

/** Lists of slots by address. */
export const storageRequests: Param<readonly StorageRequest[]> = {
  required: true,
  read: (value) => {
    const requests = Object.entries(readObject(value, { type: 'map[common.Address][]common.Hash' })).map(
      ([text, slots]) => {
        if (!Array.isArray(slots)) throw cannotUnmarshal(jsonKind(slots), { type: '[]common.Hash' })
        return { text, address: readAddress(text), slots: slots.map((slot: unknown) => storageKey.read(slot)) }
      },
    )
    const total = requests.reduce((sum, { slots }) => sum + slots.length, 0)
    if (total === 0) throw invalidParams('empty request')
    if (total > MAX_STORAGE_SLOTS) throw invalidParams(`too many slots (max ${MAX_STORAGE_SLOTS})`)
    return requests
  },
}

/** Positions of topics in a log filter, as in geth. Beyond: -32602. */
const MAX_TOPICS = 4
/** Topics at one position of a log filter, as in geth. Beyond: -32602. */
const MAX_SUB_TOPICS = 1000
/** Addresses in a log filter, as in geth. Beyond: -32602. */
const MAX_ADDRESSES = 1000

function readTopics(value: unknown): readonly (readonly Uint8Array[])[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw cannotUnmarshal(jsonKind(value), { type: '[]interface {}', field: 'input.topics' })
  if (value.length > MAX_TOPICS) throw queryError('invalidArgument', 'exceed max topics')
  return value.map((topic: unknown) => {
    if (topic === null) return []
    if (typeof topic === 'string') return [readTopic(topic)]
    if (!Array.isArray(topic)) throw queryError('invalidArgument', 'invalid topic(s)')
    if (topic.length > MAX_SUB_TOPICS) throw queryError('invalidArgument', 'exceed max topics')
    // One null among alternatives makes the position match everything.
    return topic.includes(null) ? [] : topic.map(readTopic)
  })
}

function readTopic(value: unknown): Uint8Array {
  if (typeof value !== 'string') throw queryError('invalidArgument', 'invalid topic(s)')
  return readHash(value)
}

/** Reads one address or a list of them; none is an empty list. */
export function readAddresses(value: unknown): readonly Uint8Array[] {
  if (value === undefined || value === null) return []
  if (typeof value === 'string') return [readAddress(value)]
  if (!Array.isArray(value)) throw queryError('invalidArgument', 'invalid addresses in query')
  if (value.length > MAX_ADDRESSES) throw queryError('invalidArgument', 'exceed max addresses')
  return value.map((item: unknown, i) => {
    if (typeof item !== 'string') throw queryError('invalidArgument', `non-string address at index ${i}`)
    return readAddress(item)
  })
}

/** The filter object of `eth_getLogs`, `eth_newFilter` and log subscriptions. */
export const logFilter: Param<LogFilter> = {
  required: true,
  read: (value) => {
    const { blockHash, fromBlock, toBlock, address, topics } = readObject(value, { type: 'filters.input' })
    if (blockHash !== undefined && blockHash !== null && (fromBlock ?? toBlock ?? undefined) !== undefined) {
      throw queryError(
        'invalidArgument',
        'cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other',
      )
    }
    const ref = (given: unknown): BlockRef | undefined =>
      given === undefined || given === null ? undefined : readBlockNumber(given)
    return {
      blockHash: blockHash === undefined || blockHash === null ? undefined : readHash(blockHash),
      from: ref(fromBlock),
      to: ref(toBlock),
      addresses: readAddresses(address),
      topics: readTopics(topics),
    }
  },
}
