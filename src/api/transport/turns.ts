/**
 * Turns of the thread that serves every client. In one turn of its event loop requests and long work run for a few milliseconds; the
 * rest waits, and those that used little of the thread lately come first. Of equal ones addresses take turns, and the
 * connections of each.
 */

/** Time for which requests, and then what waits, run in one turn of the event loop. */
const SLICE_MS = 3
/** Time after which half of the used time is forgotten. */
const HALF_MS = 1000
/** Used times from which on others come first. A connection that asks little uses less than the first of them. */
const RANKS_MS: readonly number[] = [25, 75, 300]
/** Of so many runs the last one is of the lowest rank, so that it does not wait without end. */
const RUNS_TO_LOWEST = 4

/** What a connection, or a piece of long work, has used of the thread. */
export interface Share {
  /** Address of the client; empty if it is not known. */
  readonly address: string
  /** Time that was used, of which half is forgotten each second. Unit: milliseconds. */
  usedMs: number
  /** Time up to which `usedMs` is forgotten. */
  since: number
}

export interface Turns {
  /** Runs a request at once, or at its turn. */
  run(share: Share, work: () => void): void
  /** Returns a promise to await before a request runs; undefined if it can run at once. */
  take(share: Share): Promise<void> | undefined
  /** Waits for the next turn of long work, whose slice is over. Resolves with the end of its next slice. */
  rest(share: Share): Promise<number>
  /** Creates a share. `usedMs` above 0 lets others come first from the beginning. */
  share(address?: string, usedMs?: number): Share
  /** Returns the end of a slice that begins now. */
  end(): number
}

/** Shares of one rank that wait, by address; the first of each is the next. */
type Rank = Map<string, Set<Share>>

/** Removes the next share of a rank. The others of its address come later than those of other addresses. */
function takeNext(rank: Rank): Share {
  const [[address, shares]] = rank as unknown as [[string, Set<Share>]]
  const [share] = shares as unknown as [Share]
  rank.delete(address)
  shares.delete(share)
  if (shares.size > 0) rank.set(address, shares)
  return share
}

/** Calls back when the work that has just been started has run up to its next wait. */
const afterwards = (done: () => void): void => queueMicrotask(() => process.nextTick(done))

/** Creates the turns of one thread. `elapsed` is a clock in milliseconds that never goes back. */
export function createTurns(elapsed: () => number = () => performance.now()): Turns {
  const ranks: readonly Rank[] = [...RANKS_MS, Number.POSITIVE_INFINITY].map(() => new Map())
  /** What waits, by share. */
  const queues = new Map<Share, (() => void)[]>()
  let runs = 0
  /** End of the slice of this turn of the event loop; undefined before its first request. */
  let end: number | undefined
  let isScheduled = false

  function charge(share: Share, now: number, usedMs: number): void {
    share.usedMs = share.usedMs * 0.5 ** ((now - share.since) / HALF_MS) + usedMs
    share.since = now
  }

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(turn)
  }

  /** Lets a share with something that waits come in the order of its rank. */
  function place(share: Share): void {
    const rank = ranks.at(RANKS_MS.findIndex((limit) => share.usedMs < limit))!
    const shares = rank.get(share.address)
    if (shares) shares.add(share)
    else rank.set(share.address, new Set([share]))
  }

  function add(share: Share, run: () => void): void {
    const queue = queues.get(share)
    if (queue) queue.push(run)
    else {
      charge(share, elapsed(), 0)
      queues.set(share, [run])
      place(share)
    }
    schedule()
  }

  function turn(): void {
    isScheduled = false
    if (queues.size === 0) end = undefined
    else {
      end = elapsed() + SLICE_MS
      proceed()
    }
  }

  function proceed(): void {
    const isOfLowest = ++runs % RUNS_TO_LOWEST === 0
    const rank = isOfLowest ? ranks.findLast(({ size }) => size > 0) : ranks.find(({ size }) => size > 0)
    const share = takeNext(rank!)
    const queue = queues.get(share)!
    const run = queue.shift()!
    if (queue.length === 0) queues.delete(share)
    const begun = elapsed()
    run()
    afterwards(() => {
      const now = elapsed()
      charge(share, now, now - begun)
      if (queue.length > 0) place(share)
      if (queues.size > 0 && now < end!) proceed()
      else {
        end = undefined
        if (queues.size > 0) schedule()
      }
    })
  }

  /** Whether a request can run at once. */
  function isFree(now: number): boolean {
    if (queues.size > 0) return false
    if (end === undefined) {
      end = now + SLICE_MS
      schedule()
    }
    return now < end
  }

  return {
    run(share, work) {
      const begun = elapsed()
      if (!isFree(begun)) {
        add(share, work)
        return
      }
      work()
      const now = elapsed()
      charge(share, now, now - begun)
    },
    take(share) {
      const begun = elapsed()
      if (!isFree(begun)) return new Promise((resolve) => add(share, resolve))
      afterwards(() => {
        const now = elapsed()
        charge(share, now, now - begun)
      })
      return undefined
    },
    rest: (share) => new Promise((resolve) => add(share, () => resolve(end!))),
    share: (address = '', usedMs = 0) => ({ address, usedMs, since: elapsed() }),
    end: () => elapsed() + SLICE_MS,
  }
}

/** The turns of this thread. */
export const turns = createTurns()

const shares = new WeakMap<object, Share>()

/** Returns the share of a connection. */
export function shareOf(connection: { readonly remoteAddress?: string | undefined }): Share {
  let share = shares.get(connection)
  if (!share) {
    share = turns.share(connection.remoteAddress)
    shares.set(connection, share)
  }
  return share
}
