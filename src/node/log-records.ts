/** The latest records of a node's log, for the program that runs it. */
import type { Log } from './log.ts'
import { parseLogLevels } from './log-levels.ts'
import { hideFields, hideInText } from './log-secrets.ts'

/** Records that a node of a program keeps. Beyond: the oldest are dropped. */
const MAX_RECORDS = 1000

export interface LogRecord {
  /** Number of the record, from 0; a gap shows records that were dropped before they were read. */
  readonly index: number
  /** Unix milliseconds, by the clock of the node. */
  readonly timeMs: number
  readonly level: Parameters<Log>[0]
  readonly message: string
  /** Part of the node that the record is of: `api`, `chain`, `compute`, `engine`, `feeder` or `snapshots`. */
  readonly module?: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** Iterates over the kept records, and then over each new one until the node stops. */
export interface NodeLogs extends AsyncIterable<LogRecord> {
  /** The last 1,000 records, oldest first. */
  readonly recent: readonly LogRecord[]
}

export interface LogRecords {
  readonly logs: NodeLogs
  add(level: LogRecord['level'], message: string, fields?: LogRecord['fields']): void
  /** Ends the iterations after the records that they have not read. */
  end(): void
}

/** Keeps the records from the levels on, as `info,api=debug`, without secrets. */
export function createLogRecords(lowest: string, now: () => number): LogRecords {
  const levels = parseLogLevels(lowest)!
  const kept: LogRecord[] = []
  let count = 0
  let isOver = false
  let waiting: (() => void)[] = []

  function wake(): void {
    const woken = waiting
    waiting = []
    for (const resume of woken) resume()
  }
  async function* follow(): AsyncGenerator<LogRecord, void, void> {
    let next = 0
    for (;;) {
      const first = kept[0]?.index ?? count
      const record = kept[Math.max(next, first) - first]
      if (record) {
        next = record.index + 1
        yield record
      } else if (isOver) return
      else await new Promise<void>((resume) => waiting.push(resume))
    }
  }

  return {
    logs: {
      get recent() {
        return [...kept]
      },
      [Symbol.asyncIterator]: follow,
    },
    add(level, message, fields = {}) {
      const { module, ...own } = fields
      if (!levels.allows(level, module)) return
      const record = { index: count++, timeMs: now(), level, message: hideInText(message), fields: hideFields(own) }
      kept.push(typeof module === 'string' ? { ...record, module } : record)
      if (kept.length > MAX_RECORDS) kept.shift()
      wake()
    },
    end() {
      isOver = true
      wake()
    },
  }
}
