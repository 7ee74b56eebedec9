/** Comparison of two JSON answers, value by value. */

/** A path at which two answers differ. The value of an absent member is undefined. */
export interface Mismatch {
  /** Path from the root: `status`, `header.content-type`, `body.balances[0].amount`. */
  readonly at: string
  readonly reference: unknown
  readonly ours: unknown
}

/** Maximum mismatches of one answer. Comparison stops there. */
const MAX_MISMATCHES = 2_000

/** Parses JSON. Numbers that a double cannot represent become texts of their digits. */
export function parseJson(text: string): unknown {
  const kept = text.replace(/("(?:[^"\\]|\\.)*")|(-?\d{16,}(?:\.\d+)?(?:[eE][+-]?\d+)?)/g, (whole, string?: string) =>
    string === undefined ? JSON.stringify(`number ${whole}`) : whole,
  )
  return JSON.parse(kept)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the mismatches of two parsed values. The order of an object's members does not matter. */
export function compareJson(reference: unknown, ours: unknown, at = 'body'): Mismatch[] {
  const mismatches: Mismatch[] = []
  walk(reference, ours, at, mismatches)
  return mismatches
}

function walk(reference: unknown, ours: unknown, at: string, mismatches: Mismatch[]): void {
  if (Object.is(reference, ours) || mismatches.length >= MAX_MISMATCHES) return
  if (Array.isArray(reference) && Array.isArray(ours)) {
    const length = Math.max(reference.length, ours.length)
    for (let i = 0; i < length; i++) walk(reference[i], ours[i], `${at}[${i}]`, mismatches)
    return
  }
  if (isObject(reference) && isObject(ours)) {
    for (const key of new Set([...Object.keys(reference), ...Object.keys(ours)])) {
      walk(reference[key], ours[key], `${at}.${key}`, mismatches)
    }
    return
  }
  mismatches.push({ at, reference, ours })
}

/** Returns the mismatches of two bodies: as JSON if both are JSON, else as texts. */
export function compareBodies(reference: string, ours: string): Mismatch[] {
  if (reference === ours) return []
  try {
    return compareJson(parseJson(reference), parseJson(ours))
  } catch {
    return reference.trim() === ours.trim() ? [] : [{ at: 'body', reference, ours }]
  }
}

const SHOWN = 160

/** Formats a value on one line, truncated if it is long. */
function show(value: unknown): string {
  if (value === undefined) return '(absent)'
  const text = typeof value === 'string' ? JSON.stringify(value) : JSON.stringify(value)
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}… (${text.length})` : text
}

/** Formats a mismatch on two lines. Long texts start 20 characters before their first difference. */
export function formatMismatch({ at, reference, ours }: Mismatch): string {
  if (typeof reference === 'string' && typeof ours === 'string' && reference.length + ours.length > 2 * SHOWN) {
    let same = 0
    while (same < reference.length && reference[same] === ours[same]) same++
    const start = Math.max(0, same - 20)
    return `${at} (from ${start})\n      - ${show(reference.slice(start))}\n      + ${show(ours.slice(start))}`
  }
  return `${at}\n      - ${show(reference)}\n      + ${show(ours)}`
}
