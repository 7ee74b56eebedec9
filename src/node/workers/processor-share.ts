/** How much of the time that the main thread was ready to run it had a processor. */
import { readFileSync } from 'node:fs'

/** Time that the thread ran, and that it was ready and waited, in nanoseconds since its start. Source: Linux, sched-stats.rst. */
const SCHEDSTAT = '/proc/self/schedstat'
/** The least share that is returned: clients of a machine that is far too busy are compared by what they ask. */
const LEAST = 0.25

/**
 * Creates a function that returns the share since its last call: 1 on an idle machine, 0.5 if the thread waited as long as it ran. Always 1
 * on systems without that file.
 */
export function createProcessorShare(read: () => string = () => readFileSync(SCHEDSTAT, 'utf8')): () => number {
  let last = { ran: 0, waited: 0 }
  return () => {
    let text: string
    try {
      text = read()
    } catch {
      return 1
    }
    const [ran = 0, waited = 0] = text.split(' ').map(Number)
    const now = { ran: ran - last.ran, waited: waited - last.waited }
    last = { ran, waited }
    return now.ran > 0 ? Math.max(LEAST, now.ran / (now.ran + now.waited)) : 1
  }
}
