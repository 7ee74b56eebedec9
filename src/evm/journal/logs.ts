/** The logs of a transaction. Those of the interpreter are decoded when `logs` is called, which estimates never do. */
import { fromKey } from '../../primitives/bytes.ts'
import type { Account, Word } from '../account.ts'
import type { EvmLog } from '../state.ts'

/** A log in the interpreter's form; `data` holds one byte per character (`fromKey`). */
interface RawLog {
  readonly account: Account
  readonly topics: readonly Word[]
  readonly data: string
}

export interface Logs {
  /** Returns the number of logs so far. */
  count(): number
  /** Drops the latest logs until `count` are left. */
  truncate(count: number): void
  logs(): readonly EvmLog[]
  log(log: EvmLog): void
  /** Adds a log in the interpreter's form; `data` holds one byte per character. */
  logRaw(account: Account, topics: readonly Word[], data: string): void
}

export function createLogs(): Logs {
  const entries: (EvmLog | RawLog)[] = []
  return {
    count: () => entries.length,
    truncate(count) {
      entries.length = count
    },
    logs() {
      for (let i = 0; i < entries.length; i++) {
        const log = entries[i]!
        if (!('account' in log)) continue
        entries[i] = { address: log.account.address, topics: log.topics.map(fromKey), data: fromKey(log.data) }
      }
      return entries as readonly EvmLog[]
    },
    log: (log) => entries.push(log),
    logRaw: (account, topics, data) => entries.push({ account, topics, data }),
  }
}
