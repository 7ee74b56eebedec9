/** Where we differ from the reference, and why: every line a rule. Whatever differs otherwise is a bug. */
import type { Part } from './compare.ts'
import type { Answer, Question } from './questions.ts'

interface Row {
  /** Short name, unique. */
  readonly id: string
  /** Where it shows, in words. */
  readonly where: string
  /** Why we differ, or why ours is better. */
  readonly why: string
  /** The decision of the design that settles it. */
  readonly decision?: string
}

/** A question with both answers. */
export interface Exchange {
  readonly question: Question
  readonly reference: Answer
  readonly ours: Answer
  /** Bodies as JSON; undefined where one is none. */
  readonly referenceBody: unknown
  readonly oursBody: unknown
}

/** A difference in what is answered. */
export interface AnswerDifference extends Row {
  readonly tool: 'answers'
  /** Operations that it is about; all by default. */
  readonly operation?: RegExp
  /** A matter of clock, build or envelope: listed once, and an answer that differs in nothing else is equal. */
  readonly everywhere?: true
  explains(part: Part, exchange: Exchange): boolean
}

const DIFFERENCES_OF_ANSWERS: readonly AnswerDifference[] = [
  {
    id: 'error-member',
    tool: 'answers',
    where: 'every error body over REST',
    why: 'carries `error`, equal to `message`, beside `code`, `message` and `details`',
    decision: 'D1',
    everywhere: true,
    explains: ({ at, reference, ours }, { oursBody }) =>
      at === 'body.error' && reference === undefined && ours === (oursBody as { message?: unknown }).message,
  },
]

export const DIFFERENCES = DIFFERENCES_OF_ANSWERS

/** A key of a block's writes whose difference is meant. */
interface ReplayDifference extends Row {
  readonly tool: 'replay'
  explains(difference: { readonly store: string; readonly key: Uint8Array; readonly height: number }): boolean
}

const DIFFERENCES_OF_REPLAY: readonly ReplayDifference[] = []

/** The row that explains a difference in a written key; undefined for none. */
export function listedReplayDifference(difference: Parameters<ReplayDifference['explains']>[0]): string | undefined {
  return DIFFERENCES_OF_REPLAY.find((row) => row.explains(difference))?.id
}
