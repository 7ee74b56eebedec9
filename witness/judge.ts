/** Judges an answer against the recorded one: equal, different for a listed reason, different, or not built yet. */
import { compareBodies, type Part, parseJson } from './compare.ts'
import type { AnswerDifference } from './differences.ts'
import type { Exchange } from './explain.ts'
import type { Answer, Question } from './questions.ts'

export type Verdict = 'equal' | 'listed' | 'different' | 'not built'

export interface Outcome {
  readonly question: Question
  readonly verdict: Verdict
  /** Whether the bodies are the same text, byte for byte. */
  readonly isExact: boolean
  /** Ids of the differences that explain what differs. */
  readonly listed: readonly string[]
  /** What nothing explains. */
  readonly unlisted: readonly Part[]
}

/** Headers that an answer means something by. */
const HEADERS = ['content-type', 'grpc-metadata-x-cosmos-block-height']

/** All places where two answers part. */
function partsOf(reference: Answer, ours: Answer): Part[] {
  const parts: Part[] = []
  if (reference.status !== ours.status) parts.push({ at: 'status', reference: reference.status, ours: ours.status })
  for (const name of HEADERS) {
    const [before, now] = [reference.headers[name], ours.headers[name]]
    if (before !== undefined && before !== now) parts.push({ at: `header.${name}`, reference: before, ours: now })
  }
  return [...parts, ...compareBodies(reference.body, ours.body)]
}

/** Judges an answer: what differs must be explained, part by part. */
export function judge(question: Question, ours: Answer, differences: readonly AnswerDifference[]): Outcome {
  const parts = partsOf(question.reference, ours)
  const exchange: Exchange = {
    question,
    reference: question.reference,
    ours,
    referenceBody: tryParse(question.reference.body),
    oursBody: tryParse(ours.body),
  }
  const listed = new Set<string>()
  const unlisted: Part[] = []
  for (const part of parts) {
    const reason = differences.find(
      ({ operation, explains }) => (operation?.test(question.operation) ?? true) && explains(part, exchange),
    )
    if (!reason) unlisted.push(part)
    else if (!reason.everywhere) listed.add(reason.id)
  }
  const verdict = unlisted.length > 0 ? 'different' : listed.size > 0 ? 'listed' : 'equal'
  return { question, verdict, isExact: question.reference.body === ours.body, listed: [...listed], unlisted }
}

function tryParse(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
