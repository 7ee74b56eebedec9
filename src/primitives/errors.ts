/** The error class of expected failures, and factories from rows of registered errors. */
import type { Message } from '@bufbuild/protobuf'

/** gRPC status names; `api/errors.ts` maps them to HTTP, gRPC and JSON-RPC codes. */
export type Status =
  | 'cancelled'
  | 'unknown'
  | 'invalidArgument'
  | 'deadlineExceeded'
  | 'notFound'
  | 'alreadyExists'
  | 'permissionDenied'
  | 'resourceExhausted'
  | 'failedPrecondition'
  | 'aborted'
  | 'outOfRange'
  | 'unimplemented'
  | 'internal'
  | 'unavailable'
  | 'dataLoss'
  | 'unauthenticated'

export interface ErrorRow {
  /** Public code within the codespace, as transactions report it. Never reused. */
  readonly code: number
  readonly status: Status
  /** The registered text. A detail of the thrower precedes it: `<detail>: <text>`. */
  readonly text: string
}

/**
 * An expected failure, with all fields that transaction results, query answers and JSON-RPC errors show. Its stack has no frames, unless
 * its status is `internal`: recording them takes ten times as long as the rest of a refusal.
 */
export class ChainError extends Error {
  readonly codespace: string
  readonly code: number
  readonly status: Status
  /** Typed messages for `details` (package `chain.errors.v1`, D23). */
  readonly details: readonly Message[]

  constructor(codespace: string, row: ErrorRow, message: string, details: readonly Message[] = []) {
    const { stackTraceLimit } = Error
    if (row.status !== 'internal') Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
    this.name = 'ChainError'
    this.codespace = codespace
    this.code = row.code
    this.status = row.status
    this.details = details
  }
}

/**
 * A step that only another build can execute. It is no result: in a block it ends the block; a query answers 12 `unimplemented` with
 * its message.
 */
export class NotExecutable extends Error {}

/** Returns the expected error that `run` throws; undefined if it does not throw. Any other error is thrown on. */
export function failureOf(run: () => unknown): ChainError | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    return error
  }
}

export type ErrorFactory = (detail?: string, details?: readonly Message[]) => ChainError

/**
 * Creates a factory per row: `errors.notFound('id 5')` returns a `ChainError` with text `id 5: <row text>`. The codespace is
 * public, since transaction results contain it.
 */
export function defineErrors<Rows extends Record<string, ErrorRow>>(
  codespace: string,
  rows: Rows,
): { readonly [Name in keyof Rows]: ErrorFactory } {
  const factories: Record<string, ErrorFactory> = {}
  for (const [name, row] of Object.entries(rows)) {
    factories[name] = (detail, details) =>
      new ChainError(codespace, row, detail === undefined ? row.text : `${detail}: ${row.text}`, details)
  }
  return factories as { readonly [Name in keyof Rows]: ErrorFactory }
}

/**
 * Creates a failure of a query that no module registers: only a message and a status. In a transaction it would report
 * codespace `undefined` code 1.
 */
export function queryError(status: Status, message: string, details: readonly Message[] = []): ChainError {
  return new ChainError('undefined', { code: 1, status, text: message }, message, details)
}
