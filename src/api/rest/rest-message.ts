/** One REST request and its reply, independent of the network. */
import type { ChainError } from '../../primitives/errors.ts'
import type { Payload } from '../transport/http.ts'
import type { StreamedBody } from '../transport/spool.ts'

export interface RestRequest {
  readonly verb: string
  /** Path and query, still encoded. */
  readonly target: string
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly id: string
  /** Reads the body as text. Rejects with `resourceExhausted` for a body over the limit. */
  readonly body: () => Promise<string>
  /** Creates a controller that aborts if the client disconnects first. Long work of its signal counts for the client. */
  readonly createAbort: () => AbortController
  /** `performance.now()` when it arrived. */
  readonly startedMs: number
}

export interface RestReply {
  readonly status: number
  readonly payload: Payload
  /** Headers of this reply alone, as name and value in turn. */
  readonly headers: readonly string[]
  /** The failure that the reply reports. */
  readonly error?: ChainError
  /** A body that is sent while it is produced; it replaces the text of the payload. */
  readonly stream?: StreamedBody
}

/** Answers one request. Never throws and never rejects: a failure is a reply. Returns a promise only if it has to wait. */
export type Respond = (request: RestRequest) => RestReply | Promise<RestReply>

/** Request header that makes unknown query parameters errors. */
export const STRICT_HEADER = 'x-strict-parameters'

/** Whether unknown query parameters are errors. */
export function isStrict({ headers }: RestRequest): boolean {
  return headers[STRICT_HEADER] !== undefined
}
