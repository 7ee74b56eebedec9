/** Progress of a long command: how much is done, how fast, and how long the rest takes. */
import type { Progress, Report } from '../../primitives/progress.ts'
import type { Terminal } from '../terminal.ts'

/** Time between two lines, and between two pictures of a bar. */
const EVERY_MS = 1_000
const REDRAW_MS = 100
/** Work that takes less shows nothing. */
const QUIET_MS = 500
const DEFAULT_COLUMNS = 80
const BAR_COLUMNS = 24
const SHORTEST_BAR_COLUMNS = 6

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

/** Draws a bar: `██████      `, with eighths of a column. */
export function formatBar(share: number, columns: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * columns * 8)
  const rest = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths % 8]!
  return ('█'.repeat(Math.floor(eighths / 8)) + rest).padEnd(columns)
}

/** Formats a count, with a decimal if it is small: `120000`, `0.3`. */
const formatCount = (count: number): string => `${Number(count.toFixed(count < 10 ? 1 : 0))}`

/**
 * Returns a function that shows how far some work is: on a terminal as a bar, which is erased at the end, else as a line each second.
 */
export function reportProgress(
  terminal: Pick<Terminal, 'note' | 'redraw' | 'columns'>,
  what: string,
  format: (count: number) => string,
  elapsed: () => number = () => performance.now(),
): Report {
  const { redraw, columns = DEFAULT_COLUMNS } = terminal
  const begin = elapsed()
  let last = begin
  return (done, total, also = {}) => {
    const now = elapsed()
    if (redraw && done >= total) return redraw('')
    if (now - last < (redraw ? REDRAW_MS : EVERY_MS) || (redraw && now - begin < QUIET_MS)) return
    last = now
    const seconds = (now - begin) / 1000
    const rate = done / seconds
    const others = Object.entries(also).map(([name, count]) => `, ${count} ${name}, ${formatCount(count / seconds)}/s`)
    const speed = others.length > 0 ? others.join('') : `, ${format(rate)}/s`
    const left = rate > 0 ? `, ${formatTime(((total - done) / rate) * 1000)} left` : ''
    const percent = total > 0 ? Math.floor((done / total) * 100) : 100
    if (!redraw) {
      terminal.note(`${what}: ${format(done)} of ${format(total)} (${percent} %)${speed}${left}`)
      return
    }
    const facts = `${percent.toString().padStart(3)} %  ${format(done)} of ${format(total)}${speed}${left}`
    const room = columns - what.length - facts.length - 4
    const bar = formatBar(done / total, Math.min(BAR_COLUMNS, Math.max(SHORTEST_BAR_COLUMNS, room)))
    redraw(`${what} ▕${bar}▏${facts}`.slice(0, columns - 1))
  }
}

/** Shows the long work of a command, which counts in no unit of its own. */
export function commandProgress(
  terminal: Pick<Terminal, 'note' | 'redraw' | 'columns'>,
  elapsed?: () => number,
): Progress {
  return (what) => reportProgress(terminal, what, formatCount, elapsed)
}

/**
 * Returns how a node shows long work, and where it writes its log: a bar on the terminal, below the last line. Undefined without a
 * terminal, or for a log that programs read: the log then shows it.
 */
export function nodeOutput(
  terminal: Pick<Terminal, 'note' | 'redraw' | 'columns'> | undefined,
  logFormat: string,
): { readonly progress: Progress; readonly writeLog: (line: string) => void } | undefined {
  if (!terminal?.redraw || logFormat === 'json') return undefined
  return {
    progress: commandProgress(terminal),
    writeLog: (line) => terminal.note(line.replace(/\n$/, '')),
  }
}
