/** The types of the entries in the list of differences. */
import type { Mismatch } from './compare.ts'
import type { Exchange } from './exchange.ts'

export interface Difference {
  /** Short name, unique. */
  readonly id: string
  /** The operations, fields or situations in which it occurs. */
  readonly where: string
  /** The difference and its reason, in one or two sentences. */
  readonly explanation: string
  /** The decision, page or decision record that documents our side. */
  readonly source?: string
}

/** A difference in answers. */
export interface AnswerDifference extends Difference {
  /** The operations that it applies to; all by default. */
  readonly operation?: RegExp
  /** Set if an answer that differs only in this way counts as equal. */
  readonly countsAsEqual?: true
  explains(mismatch: Mismatch, exchange: Exchange): boolean
}
