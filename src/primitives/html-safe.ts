/** JSON that may stand inside HTML, as Go writes it. */

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** The same JSON text with the characters escaped that end scripts, tags or lines; they stand in its strings alone. */
export function htmlSafe(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (character) => ESCAPES[character]!)
}
