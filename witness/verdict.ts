/** The verdict on an answer: equal to the recorded one, different for a listed reason, different, or of an unbuilt module. */
import { compareBodies, type Mismatch, parseJson } from './compare.ts'
import type { AnswerDifference } from './difference.ts'
import type { Exchange } from './exchange.ts'
import type { Answer, Question } from './questions.ts'

export type Verdict = 'equal' | 'listed' | 'different' | 'not built'

export interface Outcome {
  readonly question: Question
  readonly verdict: Verdict
  /** Whether the bodies are equal byte for byte. */
  readonly isExact: boolean
  /** Ids of the listed differences that explain mismatches. */
  readonly listed: readonly string[]
  /** Mismatches that no listed difference explains. */
  readonly unlisted: readonly Mismatch[]
}

/** The headers that are compared. */
const HEADERS = ['content-type', 'grpc-metadata-x-cosmos-block-height']

/** Decodes the member `data` of a body, in which REST traces contain JSON in base64. Returns any other body unchanged. */
function decodeData(body: string): string {
  try {
    const { data, ...others } = JSON.parse(body) as { readonly data?: string }
    if (data === undefined) return body
    return JSON.stringify({ ...others, data: JSON.parse(Buffer.from(data, 'base64').toString('utf8')) })
  } catch {
    return body
  }
}

/** Returns the mismatches of two answers: status, headers and body. */
function mismatchesOf(reference: Answer, ours: Answer): Mismatch[] {
  const mismatches: Mismatch[] = []
  if (reference.status !== ours.status)
    mismatches.push({ at: 'status', reference: reference.status, ours: ours.status })
  for (const name of HEADERS) {
    const [before, now] = [reference.headers[name], ours.headers[name]]
    if (before !== undefined && before !== now) mismatches.push({ at: `header.${name}`, reference: before, ours: now })
  }
  return [...mismatches, ...compareBodies(reference.body, ours.body)]
}

/** Compares our answer with the recorded one. A listed difference must explain each mismatch, or the verdict is `different`. */
export function compareAnswers(question: Question, ours: Answer, differences: readonly AnswerDifference[]): Outcome {
  const decode = (answer: Answer) => (question.trace ? { ...answer, body: decodeData(answer.body) } : answer)
  const reference = decode(question.reference)
  const answered = decode(ours)
  const mismatches = mismatchesOf(reference, answered)
  const exchange: Exchange = {
    question,
    reference,
    ours: answered,
    referenceBody: tryParse(reference.body),
    oursBody: tryParse(answered.body),
  }
  const listed = new Set<string>()
  const unlisted: Mismatch[] = []
  for (const mismatch of mismatches) {
    const reason = differences.find(
      ({ operation, explains }) => (operation?.test(question.operation) ?? true) && explains(mismatch, exchange),
    )
    if (!reason) unlisted.push(mismatch)
    else if (!reason.countsAsEqual) listed.add(reason.id)
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
