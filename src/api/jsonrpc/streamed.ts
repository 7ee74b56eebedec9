/** Results that are made in parts, as JSON text: they need not fit in memory. */
import type { PartTaker } from '../gateway.ts'

const RUN = Symbol('streamed')

/** A method's result that is still to be made. */
export interface Streamed {
  readonly [RUN]: (onPart: PartTaker) => Promise<void>
}

export function streamed(run: (onPart: PartTaker) => Promise<void>): Streamed {
  return { [RUN]: run }
}

/** What makes the result, if it is one in parts. */
export function runOf(result: unknown): Streamed[typeof RUN] | undefined {
  return typeof result === 'object' && result !== null && RUN in result ? (result as Streamed)[RUN] : undefined
}
