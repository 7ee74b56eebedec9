/** Judges an answer against the recorded one: equal, different for a listed reason, different, or not built yet. */
import { compareBodies, type Part, parseJson } from './compare.ts'
import type { AnswerDifference } from './difference.ts'
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

/** A body whose `data` holds JSON in base64, as the query service answers traces, with that JSON in its place. */
function opened(body: string): string {
  try {
    const { data, ...others } = JSON.parse(body) as { readonly data?: string }
    if (data === undefined) return body
    return JSON.stringify({ ...others, data: JSON.parse(Buffer.from(data, 'base64').toString('utf8')) })
  } catch {
    return body
  }
}

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
  const open = (answer: Answer) => (question.trace ? { ...answer, body: opened(answer.body) } : answer)
  const reference = open(question.reference)
  const answered = open(ours)
  const parts = partsOf(reference, answered)
  const exchange: Exchange = {
    question,
    reference,
    ours: answered,
    referenceBody: tryParse(reference.body),
    oursBody: tryParse(answered.body),
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
