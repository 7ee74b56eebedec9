/** The rate of the text that contracts print into the log: calls are free, and a log must not fill the disk. */

/** Text that can be printed at once. Unit: characters. */
const BURST = 1_000_000
/** Text that contracts print into the log in the long run. Unit: characters in a second. Beyond: lines are dropped and counted. */
const RATE = 50_000

interface Output {
  readonly print: (line: string) => void
  /** Receives the number of lines that were dropped since the last one that was printed. */
  readonly warn: (dropped: number) => void
}

/** Returns a function that prints lines and drops those beyond the rate. `elapsed` is a clock in milliseconds that never goes back. */
export function limitPrinting({ print, warn }: Output, elapsed: () => number): (line: string) => void {
  let room = BURST
  let last = elapsed()
  let dropped = 0
  return (line) => {
    const now = elapsed()
    room = Math.min(BURST, room + ((now - last) * RATE) / 1000)
    last = now
    if (room < line.length) {
      dropped++
      return
    }
    // An empty line takes room too.
    room -= line.length + 1
    if (dropped > 0) warn(dropped)
    dropped = 0
    print(line)
  }
}
