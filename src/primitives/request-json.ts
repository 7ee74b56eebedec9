/** JSON of untrusted requests. */
import { MAX_JSON_LEVELS } from './nesting.ts'

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Parses like `JSON.parse`. Throws a `SyntaxError` if the text is invalid or nests deeper than `MAX_JSON_LEVELS`. */
export function parseRequestJson(text: string): unknown {
  // A shorter text cannot open and close more levels.
  if (text.length > 2 * MAX_JSON_LEVELS && nestsDeeper(text, MAX_JSON_LEVELS)) {
    throw new SyntaxError(`nested deeper than ${MAX_JSON_LEVELS} levels`)
  }
  return JSON.parse(text)
}

function nestsDeeper(text: string, limit: number): boolean {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) i = endOfString(text, i)
    else if (code === LIST || code === OBJECT) {
      if (++depth > limit) return true
    } else if (code === LIST_END || code === OBJECT_END) depth--
  }
  return false
}

/** Returns the position of the quote that closes the one at `start`, or the end of the text. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++
    if (escapes % 2 === 0) return end
  }
  return text.length
}
