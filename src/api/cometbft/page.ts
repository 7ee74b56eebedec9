/** Pages of the consensus engine's RPC: counted from 1, 30 entries unless told, 100 at most. */
import { queryError } from '../../primitives/errors.ts'

const DEFAULT_PER_PAGE = 30n
const MAX_PER_PAGE = 100n

/** Entries of one page and their number in all. Throws `outOfRange` for a page that does not exist; page 1 always does. */
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
