/** Limits of repeated log records: the first ones of a period are written, the others counted. */

export interface RepeatLimits {
  /** Records of a kind that are written in a period. */
  readonly burst: number
  readonly periodMs: number
  /** Kinds that are counted at a time; the records of further ones are dropped. */
  readonly kinds: number
}

/** Counts the records of each kind. */
export interface Repeats {
  /** Whether a record can be written. If not, `report` is called with the number of such records at the end of the period. */
  allows(kind: string, report: (count: number) => void): boolean
}

interface Period {
  written: number
  dropped: number
}

/** Formats the number of dropped records, as `… 1,234 more`. */
export function formatMore(count: number): string {
  return `… ${String(count).replace(/\B(?=(\d{3})+$)/g, ',')} more`
}

/** Creates a count of records by kind. Its timers do not keep the process alive. */
export function createRepeats({ burst, periodMs, kinds }: RepeatLimits): Repeats {
  const periods = new Map<string, Period>()
  return {
    allows(kind, report) {
      const known = periods.get(kind)
      if (!known && periods.size >= kinds) return false
      const period = known ?? { written: 0, dropped: 0 }
      if (!known) {
        periods.set(kind, period)
        setTimeout(() => {
          periods.delete(kind)
          if (period.dropped > 0) report(period.dropped)
        }, periodMs).unref()
      }
      if (period.written < burst) {
        period.written++
        return true
      }
      period.dropped++
      return false
    },
  }
}
