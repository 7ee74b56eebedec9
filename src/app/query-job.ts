/**
 * Queries that read many entries of state. A query runs in the thread that receives it while it reads few entries; then it
 * starts again as the job `query` in the compute pool. The answer is the same in both cases.
 */
import { fromBinary, type Message, toBinary } from '@bufbuild/protobuf'
import { methods } from '../identity/registry.ts'
import { queryError } from '../primitives/errors.ts'
import type { ReadContext } from '../sdk/context.ts'
import type { Entry, Reader } from '../store/types.ts'
import type { QueryTable } from './query.ts'

/** Name of the job. */
export const QUERY_JOB = 'query'

/** Thrown by a query that reads more entries than its thread can spare. */
export const TOO_LONG = new Error('a query reads many entries')

/** Entries of state that a query reads on the thread of a gateway. Beyond: it starts again in the compute pool. */
const MAX_ENTRIES = 1_200
/** Entries of a job between two looks at its budget. */
const CHECK_EVERY = 256

/** Returns a context whose iterations call `count` before each entry. */
function countEntries(ctx: ReadContext, count: () => void): ReadContext {
  const iterate = (name: string, range?: Parameters<Reader['iterate']>[1]): IterableIterator<Entry> => {
    const entries = ctx.store.iterate(name, range)
    return {
      [Symbol.iterator]() {
        return this
      },
      next() {
        try {
          count()
        } catch (error) {
          entries.return?.()
          throw error
        }
        return entries.next()
      },
      return(value?: unknown) {
        entries.return?.()
        return { done: true, value }
      },
    }
  }
  // A copy: an object that becomes the prototype of another for each query slows all reads of state.
  return { ...ctx, store: { ...ctx.store, iterate } }
}

/** Returns a context that throws `TOO_LONG` once it has read many entries. */
export function withFewEntries(ctx: ReadContext): ReadContext {
  let entries = 0
  return countEntries(ctx, () => {
    if (++entries > MAX_ENTRIES) throw TOO_LONG
  })
}

/** The arguments of the job: a method path, and the bytes of its request. */
export interface QueryPayload {
  readonly method: string
  readonly request: Uint8Array
}

/** Answers a query with the bytes of its response. Throws its errors, and `deadlineExceeded` once the budget is spent. */
export function runQuery(
  queries: QueryTable,
  ctx: ReadContext,
  { method, request }: QueryPayload,
  budget: { readonly shouldStop: () => boolean },
): Uint8Array {
  const [handle, rpc] = [queries.get(method), methods.get(method)]
  if (!handle || !rpc) throw queryError('unimplemented', `unknown method ${method}`)
  let entries = 0
  const counted = countEntries(ctx, () => {
    if (++entries % CHECK_EVERY === 0 && budget.shouldStop()) throw lateQuery()
  })
  const response: Message = handle(counted, fromBinary(rpc.input, request))
  return toBinary(rpc.output, response)
}

/** Returns the error of a query that takes longer than its time budget. */
export function lateQuery(): Error {
  const text =
    'the list is too long for one request: ask for pages with pagination.key, without pagination.offset and pagination.count_total'
  return queryError('deadlineExceeded', text)
}
