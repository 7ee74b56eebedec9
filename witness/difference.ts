/** What a row of the list of differences is. */
import type { Part } from './compare.ts'
import type { Exchange } from './explain.ts'

export interface Difference {
  /** Short name, unique. */
  readonly id: string
  /** Where it shows, in words. */
  readonly where: string
  /** Why we differ, or why ours is better. */
  readonly why: string
  /** The decision of the design, or the section of the specifications, that settles it. */
  readonly decision?: string
}

/** A difference in what is answered. */
export interface AnswerDifference extends Difference {
  /** Operations that it is about; all by default. */
  readonly operation?: RegExp
  /** A matter of clock, build or envelope: listed once, and an answer that differs in nothing else is equal. */
  readonly everywhere?: true
  explains(part: Part, exchange: Exchange): boolean
}
