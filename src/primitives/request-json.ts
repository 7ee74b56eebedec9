/** JSON of untrusted requests. */

/** Maximum nesting. Functions over values are recursive, so deeper values could overflow the stack. */
const MAX_DEPTH = 1000
const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Parses like `JSON.parse`. Throws a `SyntaxError` if the text is invalid or nests deeper than 1,000 levels. */
export function parseRequestJson(text: string): unknown {
  if (text.length > MAX_DEPTH && nestsDeeper(text, MAX_DEPTH)) throw new SyntaxError(`deeper than ${MAX_DEPTH} levels`)
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
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++
    if (escapes % 2 === 0) return end
  }
  return text.length
}
