/** JSON that comes with a request, of which nothing is known yet. */

/** Much that works on values calls itself for what they hold: deeper than this is refused before it can. */
const DEEPEST = 1000
const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]

/** As `JSON.parse`. Throws a `SyntaxError`, also for what nests deeper than 1,000 levels. */
export function parseRequestJson(text: string): unknown {
  if (text.length > DEEPEST && nestsDeeper(text, DEEPEST)) throw new SyntaxError(`deeper than ${DEEPEST} levels`)
  return JSON.parse(text)
}

function nestsDeeper(text: string, most: number): boolean {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) i = endOfString(text, i)
    else if (code === LIST || code === OBJECT) {
      if (++depth > most) return true
    } else if (code === LIST_END || code === OBJECT_END) depth--
  }
  return false
}

/** Where the quote lies that closes the one at `start`; the end of the text if none does. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++
    if (escapes % 2 === 0) return end
  }
  return text.length
}
