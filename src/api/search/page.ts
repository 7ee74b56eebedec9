/** Pages of search results, as in the CometBFT RPC: numbered from 1, with 30 entries by default and at most 100. */
import { queryError } from '../../primitives/errors.ts'
import { DISCONNECTED } from '../disconnected.ts'
import { createSignalPause } from '../transport/slices.ts'

const DEFAULT_PER_PAGE = 30n
/** Results in a page of a search. Beyond: the page has this many. */
const MAX_PER_PAGE = 100n
/** Size of a page of several results; a page of one result has no limit. Beyond: an error with a page size that fits. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024

export interface Page<T> {
  readonly items: readonly T[]
  /** Index of the first item among all entries. */
  readonly first: number
  /** Number of all entries. */
  readonly total: number
}

/** Returns the entries of one page, and the number of all entries. Throws `outOfRange` for a missing page; page 1 exists. */
export function page<T>(all: readonly T[], number: bigint | undefined, perPage: bigint | undefined): Page<T> {
  const asked = perPage === undefined || perPage < 1n ? DEFAULT_PER_PAGE : perPage
  const size = Number(asked > MAX_PER_PAGE ? MAX_PER_PAGE : asked)
  const pages = Math.max(1, Math.ceil(all.length / size))
  const wanted = number ?? 1n
  if (wanted < 1n || wanted > BigInt(pages)) {
    throw queryError('outOfRange', `page should be within [1, ${pages}] range, given ${wanted}`)
  }
  const first = (Number(wanted) - 1) * size
  return { items: all.slice(first, first + size), first, total: all.length }
}

/**
 * Checks that the answer for a page of several results is not too long. `sizeOf` returns the size of one result in bytes, and
 * `sizeName` is the parameter with the size of a page. Yields the thread every few milliseconds. Rejects with `outOfRange`
 * naming a shorter page that begins with the same result: a page that was cut would hide results, since clients count pages.
 */
export async function requireShort<T>(
  { items, first }: Page<T>,
  sizeOf: (item: T) => number,
  sizeName: 'per_page' | 'limit',
  signal: AbortSignal | undefined,
): Promise<void> {
  if (items.length < 2) return
  const pause = createSignalPause(signal)
  let size = 0
  for (const [index, item] of items.entries()) {
    size += sizeOf(item)
    if (size > MAX_PAGE_BYTES) throw tooLong(items.length, first, Math.max(1, index), sizeName)
    const rest = pause()
    if (!rest) continue
    await rest
    if (signal?.aborted) throw DISCONNECTED
  }
}

function tooLong(count: number, first: number, fitting: number, sizeName: string): Error {
  let perPage = fitting
  while (first % perPage !== 0) perPage--
  const shorter = `page=${first / perPage + 1} and ${sizeName}=${perPage}`
  return queryError(
    'outOfRange',
    `the ${count} results of this page have more than ${MAX_PAGE_BYTES} bytes: ask for ${shorter}, which begins with the same result`,
  )
}
