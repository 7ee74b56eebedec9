/** Turns in which the threads of a process open the database file. */

/** Time after which a turn is over even if it did not end: a thread can be terminated in its turn. */
const LONGEST_MS = 1000

/** Creates the turns of a process, which its threads share. */
export const createTurns = (): SharedArrayBuffer => new SharedArrayBuffer(4)

/** Runs a function while no other thread is in its turn. Blocks the thread until then. */
export function inTurn<T>(turns: SharedArrayBuffer, run: () => T): T {
  const taken = new Int32Array(turns)
  while (Atomics.compareExchange(taken, 0, 0, 1) !== 0) {
    if (Atomics.wait(taken, 0, 1, LONGEST_MS) === 'timed-out') break
  }
  try {
    return run()
  } finally {
    Atomics.store(taken, 0, 0)
    Atomics.notify(taken, 0, 1)
  }
}
