/** Progress of a long command: how much is done, how fast, and how long the rest takes. */
import type { Terminal } from '../terminal.ts'

/** Time between two lines. */
const EVERY_MS = 1_000

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** Formats a number of bytes: `1.2 MB`. */
export function formatBytes(count: number): string {
  const unit = count < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(count) / 3))
  const value = count / 1000 ** unit
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`
}

/** Formats a time: `1 h 5 min`, `3 min 20 s`, `7 s`. */
export function formatTime(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Returns a function that takes the part that is done and the whole, and prints a line each second. */
export function reportProgress(
  terminal: Pick<Terminal, 'note'>,
  what: string,
  format: (count: number) => string,
  elapsed: () => number = () => performance.now(),
): (done: number, total: number) => void {
  const begin = elapsed()
  let last = begin
  return (done, total) => {
    const now = elapsed()
    if (now - last < EVERY_MS) return
    last = now
    const rate = done / ((now - begin) / 1000)
    const rest = rate > 0 ? `, ${formatTime(((total - done) / rate) * 1000)} left` : ''
    const percent = total > 0 ? Math.floor((done / total) * 100) : 100
    terminal.note(`${what}: ${format(done)} of ${format(total)} (${percent} %), ${format(rate)}/s${rest}`)
  }
}
