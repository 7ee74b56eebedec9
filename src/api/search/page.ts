/** Pages of search results, as in the CometBFT RPC: numbered from 1, with 30 entries by default and at most 100. */
import { queryError } from '../../primitives/errors.ts'

const DEFAULT_PER_PAGE = 30n
const MAX_PER_PAGE = 100n

/** Returns the entries of one page, and the number of all entries. Throws `outOfRange` for a missing page; page 1 exists. */
export function page<T>(
  all: readonly T[],
  number: bigint | undefined,
  perPage: bigint | undefined,
): { readonly items: readonly T[]; readonly total: number } {
  const asked = perPage === undefined || perPage < 1n ? DEFAULT_PER_PAGE : perPage
  const size = Number(asked > MAX_PER_PAGE ? MAX_PER_PAGE : asked)
  const pages = Math.max(1, Math.ceil(all.length / size))
  const wanted = number ?? 1n
  if (wanted < 1n || wanted > BigInt(pages)) {
    throw queryError('outOfRange', `page should be within [1, ${pages}] range, given ${wanted}`)
  }
  const start = (Number(wanted) - 1) * size
  return { items: all.slice(start, start + size), total: all.length }
}
