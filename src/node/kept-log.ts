/** The newest records of a development chain's log, for its user's tools. */
import type { LogLine } from '../api/gateway.ts'
import { formatFields, type Log } from './log.ts'
import { createLogRecords } from './log-records.ts'

export interface KeptLog {
  /** Writes a record, and keeps it if it has the level. */
  readonly log: Log
  readonly recentLog: (from: number) => readonly LogLine[]
}

/** Keeps the last 1,000 records from `lowest` on, besides writing them. */
export function keepLog(write: Log, lowest: string, now: () => number): KeptLog {
  const { logs, add } = createLogRecords(lowest, now)
  return {
    log(level, message, fields) {
      add(level, message, fields)
      write(level, message, fields)
    },
    recentLog: (from) =>
      logs.recent
        .filter(({ index }) => index >= from)
        .map(({ fields, ...record }) => ({ ...record, fields: formatFields(fields) })),
  }
}
