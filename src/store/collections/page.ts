/** Pages of a list in key order (docs/gateways.md#pagination). */
import { create } from '@bufbuild/protobuf'
import { FieldViolationSchema } from '../../gen/chain/errors/v1/errors_pb.ts'
import * as bytes from '../../primitives/bytes.ts'
import { cachePerObject } from '../../primitives/cache.ts'
import { type ChainError, queryError } from '../../primitives/errors.ts'
import type { Entry, Reader } from '../types.ts'

/** The fields of a `PageRequest` message; all absent means the first hundred. */
export interface PageRequest {
  /** The `nextKey` of the previous page. Excludes `offset`. */
  readonly key?: Uint8Array | undefined
  /** Number of entries to skip. */
  readonly offset?: bigint | undefined
  /** 0: a limit of 100, and the total is counted. */
  readonly limit?: bigint | undefined
  readonly countTotal?: boolean | undefined
  readonly reverse?: boolean | undefined
}

export interface Page<Item> {
  readonly entries: Item[]
  /** Key of the first entry after the page, without the list's prefix; empty at the end. */
  readonly nextKey: Uint8Array
  /** Number of entries in the whole list; 0 if they were not counted. */
  readonly total: bigint
}

const DEFAULT_LIMIT = 100n
/** Entries in a page of a list. Beyond: 400, code 3. */
const MAX_PAGE_LIMIT = 1000n
/** Length of a list from which its total is cached. */
const LONG_LIST = 1000n

/** The totals of long lists by store and prefix, for one state. */
const totalsOf = cachePerObject((_: object) => new Map<string, bigint>())

function wrongField(field: string, description: string): ChainError {
  return queryError('invalidArgument', description, [create(FieldViolationSchema, { field, description })])
}

/**
 * Reads one page of the entries whose keys begin with `prefix`. `accept` converts an entry to an item of the list, or returns
 * undefined for an entry that is not part of it. With `every`, each entry is part of it, and the total of a long list is counted
 * once for a state. Throws 3 `invalidArgument` for a key together with an offset, and for a limit
 * above `MAX_PAGE_LIMIT`.
 */
export function readPage<Item>(
  reader: Reader,
  store: string,
  prefix: Uint8Array,
  request: PageRequest | undefined,
  accept: (entry: Entry) => Item | undefined,
  { every = false }: { readonly every?: boolean } = {},
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
  const totals = every && count && reader.revision ? totalsOf(reader.revision) : undefined
  const list = totals ? `${store} ${bytes.toKey(prefix)}` : ''
  const known = totals?.get(list)
  const entries: Item[] = []
  let nextKey = bytes.EMPTY
  let position = 0n
  for (const entry of reader.iterate(store, pageRange(prefix, key, reverse))) {
    const isBeside = position < offset || position >= offset + limit
    const item = every && isBeside ? undefined : accept(entry)
    if (item === undefined && !(every && isBeside)) continue
    position++
    if (position <= offset) continue
    if (position <= offset + limit) entries.push(item!)
    else {
      if (nextKey.length === 0) nextKey = entry[0].slice(prefix.length)
      if (!count || known !== undefined) break
    }
  }
  if (!count) return { entries, nextKey, total: 0n }
  const total = known ?? position
  if (total >= LONG_LIST) totals?.set(list, total)
  return { entries, nextKey, total }
}

/** Returns the range from `key` on. It includes `key` in both directions. */
function pageRange(prefix: Uint8Array, key: Uint8Array, reverse: boolean) {
  const start = bytes.concat(prefix, key)
  if (key.length === 0) return { start, end: bytes.prefixEnd(prefix), reverse }
  return reverse
    ? { start: prefix, end: bytes.concat(start, new Uint8Array(1)), reverse }
    : { start, end: bytes.prefixEnd(prefix), reverse }
}
