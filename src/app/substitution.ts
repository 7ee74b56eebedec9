/**
 * A hook for blocks with transactions that this build cannot execute: a replay of another chain takes their effects from its
 * recording. A node does not use it.
 */
import type { AppFacts, Context } from '../sdk/context.ts'
import type { Route } from '../sdk/module.ts'
import type { DecodedTx } from '../sdk/tx.ts'
import type { Reader } from '../store/types.ts'

export interface Substitution {
  /** Wraps the state that a block reads. */
  over(base: Reader): Reader
  /** Decodes a transaction of a block. */
  decode(app: AppFacts, bytes: Uint8Array): DecodedTx
  /** Runs before admission of a transaction of the SDK. Throws a `ChainError` to refuse it. */
  beforeAdmission(ctx: Context, tx: DecodedTx): void
  /** Returns the handler of a message; `own` is the one of this build. */
  route(typeName: string, own: Route<Context> | undefined): Route<Context> | undefined
}
