/** The result of one check of a home or its machine. */

export interface CheckResult {
  readonly name: string
  /** `fail`: the node does not start, or loses something. `warn`: it works worse than it could. */
  readonly state: 'ok' | 'warn' | 'fail'
  readonly found: string
  /** A command or a setting that mends it. */
  readonly fix?: string
}

export const ok = (name: string, found: string): CheckResult => ({ name, state: 'ok', found })
export const warn = (name: string, found: string, fix: string): CheckResult => ({ name, state: 'warn', found, fix })
export const fail = (name: string, found: string, fix: string): CheckResult => ({ name, state: 'fail', found, fix })

/** Returns the text of an error for one line. */
export const textOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0]!
