/** The log of failures that no transaction and no operator causes. */
import type { Log } from './log.ts'

/** Returns the function that logs an unexpected failure: of the handler of the named upgrade, else of a transaction. */
export function bugLog(log: Log): (error: unknown, upgrade?: string) => void {
  return (error, upgrade) => {
    if (upgrade === undefined) log('error', 'a transaction failed unexpectedly', { error })
    else log('error', 'the handler of an upgrade failed', { upgrade, error })
  }
}
