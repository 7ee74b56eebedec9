/** Times as text: how long ago, and exactly. */

const UNITS: readonly (readonly [unit: string, seconds: number])[] = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
]

/** Formats a duration by its two largest units: `3 min 20 s`. Unit of the argument: seconds. */
export function formatDuration(seconds: number): string {
  let left = Math.max(0, Math.floor(seconds))
  const parts: string[] = []
  for (const [unit, size] of UNITS) {
    const count = Math.floor(left / size)
    left -= count * size
    if (count > 0) parts.push(`${count} ${unit}`)
    else if (parts.length > 0) break
    if (parts.length === 2) break
  }
  return parts.length === 0 ? '0 s' : parts.join(' ')
}

/** Formats the distance of a time to now: `12 s ago`, `in 3 min`. */
export function formatRelative(time: string, nowMs: number): string {
  const seconds = (nowMs - Date.parse(time)) / 1000
  if (Number.isNaN(seconds)) return time
  if (Math.abs(seconds) < 1) return 'now'
  return seconds > 0 ? `${formatDuration(seconds)} ago` : `in ${formatDuration(-seconds)}`
}

/** Formats a time exactly, in UTC, with every digit of its seconds: `2026-01-02 03:04:05.678 UTC`. */
export const formatExact = (time: string): string => time.replace('T', ' ').replace(/Z$/, ' UTC')
