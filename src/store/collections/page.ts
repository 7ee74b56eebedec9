/** Pages of a list in key order (gateway.md §8). */
import { create } from '@bufbuild/protobuf'
import { FieldViolationSchema } from '../../gen/chain/errors/v1/errors_pb.ts'
import * as bytes from '../../primitives/bytes.ts'
import { type ChainError, queryError } from '../../primitives/errors.ts'
import type { Entry, Reader } from '../types.ts'

/** The fields of a `PageRequest` message; all absent means the first hundred. */
export interface PageRequest {
  /** Where to go on: the `nextKey` of the page before. Excludes `offset`. */
  readonly key?: Uint8Array | undefined
  /** How many entries to pass over. */
  readonly offset?: bigint | undefined
  /** 0: a hundred, and the total is counted. */
  readonly limit?: bigint | undefined
  readonly countTotal?: boolean | undefined
  readonly reverse?: boolean | undefined
}

export interface Page<Item> {
  readonly entries: Item[]
  /** Key, relative to the list, of the first entry not returned; empty at the end. */
  readonly nextKey: Uint8Array
  /** Number of entries in the whole list; 0 if it was not counted. */
  readonly total: bigint
}

const DEFAULT_LIMIT = 100n
/** The most entries one answer carries. */
const MAX_PAGE_LIMIT = 1000n

function wrongField(field: string, description: string): ChainError {
  return queryError('invalidArgument', description, [create(FieldViolationSchema, { field, description })])
}

/**
 * One page of the entries whose keys begin with `prefix`. `accept` turns an entry into an item of the list, or into
 * undefined if it does not belong to it. Throws 3 `invalidArgument` for a key together with an offset, and for a limit
 * above `MAX_PAGE_LIMIT`.
 */
export function readPage<Item>(
  reader: Reader,
  store: string,
  prefix: Uint8Array,
  request: PageRequest | undefined,
  accept: (entry: Entry) => Item | undefined,
): Page<Item> {
  const { key = bytes.EMPTY, offset = 0n, limit: asked = 0n, reverse = false } = request ?? {}
  if (key.length > 0 && offset > 0n) {
    throw wrongField('pagination.key', 'invalid request, either offset or key is expected, got both')
  }
  if (asked > MAX_PAGE_LIMIT) {
    throw wrongField('pagination.limit', `limit ${asked} is above the maximum of ${MAX_PAGE_LIMIT} entries a page`)
  }
  const limit = asked === 0n ? DEFAULT_LIMIT : asked
  const count = key.length === 0 && (asked === 0n || request?.countTotal === true)
  const entries: Item[] = []
  let nextKey = bytes.EMPTY
  let position = 0n
  for (const entry of reader.iterate(store, pageRange(prefix, key, reverse))) {
    const item = accept(entry)
    if (item === undefined) continue
    position++
    if (position <= offset) continue
    if (position <= offset + limit) entries.push(item)
    else {
      if (nextKey.length === 0) nextKey = entry[0].slice(prefix.length)
      if (!count) break
    }
  }
  return { entries, nextKey, total: count ? position : 0n }
}

/** The first key wanted is part of the range in both directions. */
function pageRange(prefix: Uint8Array, key: Uint8Array, reverse: boolean) {
  const start = bytes.concat(prefix, key)
  if (key.length === 0) return { start, end: bytes.prefixEnd(prefix), reverse }
  return reverse
    ? { start: prefix, end: bytes.concat(start, new Uint8Array(1)), reverse }
    : { start, end: bytes.prefixEnd(prefix), reverse }
}
