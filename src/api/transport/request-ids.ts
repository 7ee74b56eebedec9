/** Ids of requests, by which a client and an operator find the records of the log about a request. */
import { randomUUID } from 'node:crypto'

/** Header with the id of a request, which a client or a proxy can give, and of its answer. */
export const REQUEST_ID_HEADER = 'X-Request-Id'
const GIVEN = /^[\w.:-]{1,64}$/

/** Returns a function that returns the id that a request gives, if it is an id of at most 64 characters, else a new one. */
export function createRequestIds(): (given?: string | readonly string[]) => string {
  const prefix = randomUUID().slice(0, 8)
  let count = 0
  return (given) => {
    const id = typeof given === 'object' && given.length === 1 ? given[0] : given
    return typeof id === 'string' && GIVEN.test(id) ? id : `${prefix}-${++count}`
  }
}
