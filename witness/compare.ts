/** Where two answers part: their JSON walked side by side. */

/** One place where two values differ; undefined is what is not there at all. */
export interface Part {
  /** Way from the root: `status`, `header.content-type`, `body.balances[0].amount`. */
  readonly at: string
  readonly reference: unknown
  readonly ours: unknown
}

/** Deepest differences at most of one answer: what differs more is another thing altogether. */
const MOST_PARTS = 2_000

/** A JSON text, with numbers that a double cannot hold kept as they are written. */
export function parseJson(text: string): unknown {
  const kept = text.replace(/("(?:[^"\\]|\\.)*")|(-?\d{16,}(?:\.\d+)?(?:[eE][+-]?\d+)?)/g, (whole, string?: string) =>
    string === undefined ? JSON.stringify(`number ${whole}`) : whole,
  )
  return JSON.parse(kept)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Differences of two parsed values; the order of an object's members is none. */
export function differences(reference: unknown, ours: unknown, at = 'body'): Part[] {
  const parts: Part[] = []
  walk(reference, ours, at, parts)
  return parts
}

function walk(reference: unknown, ours: unknown, at: string, parts: Part[]): void {
  if (Object.is(reference, ours) || parts.length >= MOST_PARTS) return
  if (Array.isArray(reference) && Array.isArray(ours)) {
    const length = Math.max(reference.length, ours.length)
    for (let i = 0; i < length; i++) walk(reference[i], ours[i], `${at}[${i}]`, parts)
    return
  }
  if (isObject(reference) && isObject(ours)) {
    for (const key of new Set([...Object.keys(reference), ...Object.keys(ours)])) {
      walk(reference[key], ours[key], `${at}.${key}`, parts)
    }
    return
  }
  parts.push({ at, reference, ours })
}

/** Differences of two bodies: as JSON where both are, else as texts. */
export function compareBodies(reference: string, ours: string): Part[] {
  if (reference === ours) return []
  try {
    return differences(parseJson(reference), parseJson(ours))
  } catch {
    return reference.trim() === ours.trim() ? [] : [{ at: 'body', reference, ours }]
  }
}

const SHOWN = 160

/** A value on one line, cut where it is long. */
function show(value: unknown): string {
  if (value === undefined) return '(absent)'
  const text = typeof value === 'string' ? JSON.stringify(value) : JSON.stringify(value)
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}… (${text.length})` : text
}

/** A difference on two lines, the longer texts from a little before where they part. */
export function formatPart({ at, reference, ours }: Part): string {
  if (typeof reference === 'string' && typeof ours === 'string' && reference.length + ours.length > 2 * SHOWN) {
    let same = 0
    while (same < reference.length && reference[same] === ours[same]) same++
    const start = Math.max(0, same - 20)
    return `${at} (from ${start})\n      - ${show(reference.slice(start))}\n      + ${show(ours.slice(start))}`
  }
  return `${at}\n      - ${show(reference)}\n      + ${show(ours)}`
}
