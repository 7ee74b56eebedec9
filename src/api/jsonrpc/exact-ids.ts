/** Ids of requests that a JavaScript number cannot hold, such as nanoseconds: an answer repeats their text, as geth's does. */
import { endOfString } from '../../primitives/request-json.ts'

/** The text of a number, under a key that no request can have. */
const TEXT = Symbol('text')

/** A number as the client wrote it. */
interface ExactNumber {
  readonly [TEXT]: string
}

export type Id = string | number | null | ExactNumber

const isExact = (id: unknown): id is ExactNumber => typeof id === 'object' && id !== null && Object.hasOwn(id, TEXT)

/** Returns the id of a request; undefined for a value that is no id. */
export function readId(id: unknown): Id | undefined {
  return typeof id === 'string' || typeof id === 'number' || id === null || isExact(id) ? id : undefined
}

/** Length of an id, which every answer repeats. Beyond: -32600. Unit: characters. */
export const MAX_ID_CHARACTERS = 1024

/** Whether an id is longer than the limit. */
export function isLongId(id: Id): boolean {
  const text = isExact(id) ? id[TEXT] : id
  return typeof text === 'string' && text.length > MAX_ID_CHARACTERS
}

/** Returns an id as JSON. */
export function formatId(id: Id): string {
  return isExact(id) ? id[TEXT] : JSON.stringify(id)
}

const isInexact = (request: unknown): request is { id: unknown } => {
  if (typeof request !== 'object' || request === null) return false
  const { id } = request as { readonly id?: unknown }
  return typeof id === 'number' && !Number.isSafeInteger(id)
}

/** Replaces the ids that are not whole numbers within 53 bits, in a parsed request or batch, by their texts in the message. */
export function keepExactIds(message: string, parsed: unknown): void {
  const requests = Array.isArray(parsed) ? parsed : [parsed]
  if (!requests.some(isInexact)) return
  const texts = idTexts(message, Array.isArray(parsed) ? 2 : 1)
  requests.forEach((request: unknown, i) => {
    const text = texts.get(i)
    if (isInexact(request) && text !== undefined) request.id = { [TEXT]: text } satisfies ExactNumber
  })
}

const MEMBER = /\s*:\s*(-?[\d.eE+-]+)?/y

/** Returns the texts of the last numeric member `id` of each request, by its index. Requests are at a depth of 1 or 2. */
function idTexts(message: string, depthOfRequests: 1 | 2): ReadonlyMap<number, string> {
  const texts = new Map<number, string>()
  let [depth, index] = [0, 0]
  for (let i = 0; i < message.length; i++) {
    const char = message[i]
    if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') depth--
    else if (char === ',' && depth === depthOfRequests - 1) index++
    else if (char === '"') {
      const end = endOfString(message, i)
      MEMBER.lastIndex = end + 1
      const member = depth === depthOfRequests ? MEMBER.exec(message) : null
      if (member?.[1] !== undefined && JSON.parse(message.slice(i, end + 1)) === 'id') texts.set(index, member[1])
      i = end
    }
  }
  return texts
}
