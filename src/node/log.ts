/** The node's log: one line per record, as text or as JSON, without secrets. */
import { visibleText } from '../primitives/visible-text.ts'
import { type LogLevel, type LogModule, parseLogLevels } from './log-levels.ts'
import { hideInText, hideValue } from './log-secrets.ts'
import { createRepeats, formatMore } from './repeats.ts'

export type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void

export interface LogOptions {
  readonly format: string
  /** Lowest level, and those of modules: `info,api=debug`. */
  readonly level: string
  readonly write: (line: string) => void
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number
}

function showValue(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Error) return stacksOf(value)
  return value
}

/** Shows a value within JSON. */
const showInner = (name: string, value: unknown): unknown => hideValue(name, showValue(value))

function showText(name: string, value: unknown): string {
  const shown = showInner(name, value)
  const text = typeof shown === 'object' ? JSON.stringify(shown, showInner) : String(shown)
  return /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text)
}

/** Returns the fields of a record as text: `height=2 txs=1`, without absent ones. The module is for levels and for JSON. */
export function formatFields(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .filter(([key, value]) => key !== 'module' && value !== undefined)
    .map(([key, value]) => `${key}=${showText(key, value)}`)
    .join(' ')
}

/** Returns the stack of an error, and those of its causes. */
function stacksOf(error: Error): string {
  const stacks = [error.stack ?? error.message]
  for (let { cause } = error; cause instanceof Error; cause = cause.cause) {
    stacks.push(`caused by ${cause.stack ?? cause.message}`)
  }
  return stacks.join('\n')
}

/**
 * Warnings of one kind, and errors of one kind, in the log each minute. Beyond: they are counted, and one line says how many
 * more there were.
 */
const MAX_REPEATS = 10
/** Kinds of warnings and errors in the log each minute. Beyond: they are dropped. */
const MAX_KINDS = 500
const MINUTE_MS = 60_000

/**
 * Creates a log that drops records below `level`, hides secrets, and counts warnings and errors that repeat. Values can be bigints
 * and errors; an error shows its stack and those of its causes.
 */
export function createLog({ format, level, write, now }: LogOptions): Log {
  const levels = parseLogLevels(level)!
  const repeats = createRepeats({ burst: MAX_REPEATS, periodMs: MINUTE_MS, kinds: MAX_KINDS })

  function writeRecord(at: LogLevel, message: string, fields: Readonly<Record<string, unknown>>): void {
    const time = new Date(now()).toISOString()
    if (format === 'json') {
      write(`${visibleText(JSON.stringify({ time, level: at, message, ...fields }, showInner))}\n`)
      return
    }
    const tail = formatFields(fields)
    write(visibleText(`${time.slice(11, 23)} ${at.padEnd(5)} ${hideInText(message)}${tail && ` ${tail}`}\n`))
  }

  return (at, message, fields = {}) => {
    if (!levels.allows(at, fields['module'])) return
    // Clients can cause warnings and errors as often as they like.
    const isRepeated = at === 'warn' || at === 'error'
    const report = (count: number): void => writeRecord(at, `${message}: ${formatMore(count)}`, {})
    if (!isRepeated || repeats.allows(`${at} ${message}`, report)) writeRecord(at, message, fields)
  }
}

/** Returns a log whose records belong to a module: they have it in the field `module`. */
export function moduleLog(log: Log, module: LogModule): Log {
  const own = { module }
  return (level, message, fields) => log(level, message, fields ? { module, ...fields } : own)
}
