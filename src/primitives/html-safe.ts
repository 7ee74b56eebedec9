/** JSON that is safe inside HTML, in the form of Go's `encoding/json`. */

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** Escapes the characters of JSON text that can end scripts, tags or lines. They occur only in its strings. */
export function htmlSafe(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (character) => ESCAPES[character]!)
}
