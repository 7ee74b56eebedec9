/** The inputs that the opcodes with access to state share. */
import type { AccessReports } from './access-reports.ts'
import type { AccountAccess } from './account-access.ts'
import type { Rules } from './forks.ts'
import type { Interpreter } from './interpreter.ts'
import type { Journal } from './journal/journal.ts'
import type { Prices } from './prices.ts'
import type { RunningState } from './running.ts'

export interface AccessContext {
  readonly interpreter: Interpreter
  readonly journal: Journal
  readonly running: RunningState
  readonly rules: Rules
  readonly prices: Prices
  readonly accounts: AccountAccess
  /** Absent without a tracer. */
  readonly reports: AccessReports | undefined
}
