/** A value at many heights: sampled evenly, a few questions at a time. */
import { ApiError, ask } from '../api/ask.ts'
import type { Question } from '../api/question.ts'
import { mapFew, sampleHeights } from '../time/few.ts'

/** Heights that a chart asks for. */
const SAMPLES = 60

export interface Sample<Answer> {
  readonly height: bigint
  /** Absent if the value did not exist at this height. */
  readonly answer: Answer | undefined
}

/** Asks one question at evenly spaced heights. Refusals of a height are samples without an answer. */
export async function history<Answer>(
  question: Question,
  [first, last]: readonly [bigint, bigint],
  signal: AbortSignal,
  count = SAMPLES,
): Promise<Sample<Answer>[]> {
  return mapFew(sampleHeights(first, last, count), async (height) => {
    try {
      return { height, answer: await ask<Answer>(question, { height, signal }) }
    } catch (error) {
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) return { height, answer: undefined }
      throw error
    }
  })
}
