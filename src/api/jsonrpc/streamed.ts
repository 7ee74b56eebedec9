/** Results that are produced in parts, as JSON text, so that they need not fit in memory. */
import type { PartTaker } from '../gateway.ts'

const RUN = Symbol('streamed')

/** A result of a method that is produced while it is sent. */
export interface Streamed {
  readonly [RUN]: (onPart: PartTaker) => Promise<void>
}

export function streamed(run: (onPart: PartTaker) => Promise<void>): Streamed {
  return { [RUN]: run }
}

/** Returns the function that produces a streamed result; undefined for any other result. */
export function runOf(result: unknown): Streamed[typeof RUN] | undefined {
  return typeof result === 'object' && result !== null && RUN in result ? (result as Streamed)[RUN] : undefined
}
