/** Counts of transactions by kind and result. */

interface Count {
  succeeded: number
  failed: number
  /** Actions that had nothing to act on. */
  skipped: number
  /** Numbers of failures by their text. */
  readonly reasons: Map<string, number>
}

export interface Tally {
  readonly byKind: Map<string, Count>
  /** Number of checks of invariants. */
  checks: number
  result(kind: string, failure: string | undefined): void
  skip(kind: string): void
  checked(): void
}

export function createTally(): Tally {
  const byKind = new Map<string, Count>()
  const countOf = (kind: string): Count => {
    let found = byKind.get(kind)
    if (!found) {
      found = { succeeded: 0, failed: 0, skipped: 0, reasons: new Map() }
      byKind.set(kind, found)
    }
    return found
  }
  return {
    byKind,
    checks: 0,
    result(kind, failure) {
      const count = countOf(kind)
      if (failure === undefined) count.succeeded++
      else {
        count.failed++
        count.reasons.set(failure, (count.reasons.get(failure) ?? 0) + 1)
      }
    },
    skip(kind) {
      countOf(kind).skipped++
    },
    checked() {
      this.checks++
    },
  }
}

/** Adds the counts of one tally to another. */
export function addTally(sum: Tally, { byKind, checks }: Tally): void {
  sum.checks += checks
  for (const [kind, { succeeded, failed, skipped, reasons }] of byKind) {
    const found = sum.byKind.get(kind)
    if (!found) {
      sum.byKind.set(kind, { succeeded, failed, skipped, reasons: new Map(reasons) })
      continue
    }
    found.succeeded += succeeded
    found.failed += failed
    found.skipped += skipped
    for (const [reason, times] of reasons) found.reasons.set(reason, (found.reasons.get(reason) ?? 0) + times)
  }
}
