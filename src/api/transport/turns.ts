/**
 * Turns of the thread that serves every client. In one turn of its event loop requests and long work run for a few milliseconds; the
 * rest waits, and those that used little of the thread lately come first. Of equal ones addresses take turns, and the
 * connections of each.
 */

import { addressOf } from './client-address.ts'

/** Time for which requests, and then what waits, run in one turn of the event loop. */
const SLICE_MS = 3
/** The same for requests while no other address asks little: together they fill a block, which serves them better than turns. */
const ALONE_MS = 20
/** Time after which half of the used time is forgotten. */
const HALF_MS = 1000
/** Interval after which time is forgotten, since the power costs as much as the rest of a turn. */
const FORGET_EVERY_MS = 20
/** Used times from which on others come first. A connection that asks little uses less than the first of them. */
const RANKS_MS: readonly number[] = [25, 75, 300]
/** Every run of this number is of the lowest rank, so that none waits forever. */
const RUNS_TO_LOWEST = 4

/**
 * Used time of an address, half of the thread. Beyond: while others ask little, what waits of it leaves the thread as much time as it
 * takes, since a thread that is always busy gets a processor late.
 */
const MOST_OF_ADDRESS_MS = 700
/** Addresses whose used time is counted. Beyond: those that have used little are forgotten; all, if half of them have used more. */
const MAX_ADDRESSES = 10_000
/** Used time of an address below which it can be forgotten. */
const FORGOTTEN_MS = 1
/** Time of a run without a pause from which it counts several times: nobody has a turn meanwhile. */
const LONG_RUN_MS = 10
const LONG_RUN_FACTOR = 3
/** Time for which a request of a connection that asks little counts as present. */
const PRESENT_MS = 1000
/** The same for any address that others can be greedy beside. */
const BESIDE_MS = 5000

interface Used {
  /** Time that was used, of which half is forgotten each second. Unit: milliseconds. */
  usedMs: number
  /** Time up to which `usedMs` is forgotten. */
  since: number
}

/** Time that a connection, or a piece of long work, has used of the thread. */
export interface Share extends Used {
  /** Address of the client; empty if it is not known. */
  readonly address: string
  /** Time that all shares of the address have used. */
  readonly all: Used
}

export interface Turns {
  /** Runs a request at once, or at its turn. */
  run(share: Share, work: () => void): void
  /** Counts the work that the caller starts by settling a promise. */
  follow(share: Share): void
  /** Returns a promise to await before a request runs; undefined if it can run at once. */
  take(share: Share): Promise<void> | undefined
  /**
   * Waits for the next turn of long work, whose slice is over. Resolves with the end of its next slice. If the signal ends
   * meanwhile, resolves at once with a slice that is over, since what waits for its turn keeps its memory.
   */
  rest(share: Share, signal?: AbortSignal): Promise<number>
  /** Creates a share. `usedMs` above 0 lets others come first from the beginning. */
  share(address?: string, usedMs?: number): Share
  /** Returns the end of a slice that begins now. */
  end(): number
  /** Counts time for an address that costs the process as much elsewhere, such as one whose connections have to be ended. */
  charge(address: string, usedMs: number): void
  /** Returns the addresses that have used more time than given. */
  busy(usedMs: number): readonly string[]
  /** Returns the addresses that have used more time than given; none unless another address, which has not, asked lately. */
  greedy(usedMs: number): readonly string[]
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

/** Whether a connection asks little of the thread. */
const isModest = ({ usedMs }: Used): boolean => usedMs < RANKS_MS[0]!

/** Calls back when the work that has just been started has run up to its next wait. */
const afterwards = (done: () => void): void => queueMicrotask(() => process.nextTick(done))

/** Creates the turns of one thread. `elapsed` is a clock in milliseconds that never goes back. */
export function createTurns(elapsed: () => number = () => performance.now()): Turns {
  const ranks: readonly Rank[] = [...RANKS_MS, Number.POSITIVE_INFINITY].map(() => new Map())
  /** Runs that wait, by share. */
  const queues = new Map<Share, (() => void)[]>()
  let runs = 0
  /** End of the slice of this turn of the event loop; undefined before its first request. */
  let end: number | undefined
  let isScheduled = false
  /** Whether the thread is left to others before the next slice of what waits. */
  let isResting = false
  /** Time of the last run of a connection and address that ask little. */
  let modestAt = Number.NEGATIVE_INFINITY
  /** Time in this slice of addresses that ask much. */
  let greedyMs = 0
  const addresses = new Map<string, Used>()

  /** Returns what is left of a used time. */
  const left = ({ usedMs, since }: Used, now: number): number => usedMs * 0.5 ** ((now - since) / HALF_MS)

  function add(used: Used, now: number, usedMs: number): void {
    if (now - used.since >= FORGET_EVERY_MS) {
      used.usedMs = left(used, now)
      used.since = now
    }
    used.usedMs += usedMs
  }

  function charge(share: Share, now: number, ranMs: number): void {
    const usedMs = ranMs > LONG_RUN_MS ? ranMs * LONG_RUN_FACTOR : ranMs
    add(share, now, usedMs)
    add(share.all, now, usedMs)
    if (share.all.usedMs > MOST_OF_ADDRESS_MS) greedyMs += usedMs
    if (share.address !== '' && isModest(share) && share.all.usedMs <= MOST_OF_ADDRESS_MS) modestAt = now
  }

  /** Forgets the addresses that have used little. Forgets all if more than half have used more, since each look takes time. */
  function forgetAddresses(): void {
    const now = elapsed()
    for (const [address, used] of addresses) if (left(used, now) < FORGOTTEN_MS) addresses.delete(address)
    if (addresses.size > MAX_ADDRESSES / 2) addresses.clear()
  }

  function usedOf(address: string): Used {
    let used = addresses.get(address)
    if (!used) {
      if (addresses.size >= MAX_ADDRESSES) forgetAddresses()
      used = { usedMs: 0, since: elapsed() }
      addresses.set(address, used)
    }
    return used
  }

  function schedule(): void {
    if (isScheduled || isResting) return
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

  function enqueue(share: Share, run: () => void): void {
    const queue = queues.get(share)
    if (queue) queue.push(run)
    else {
      charge(share, elapsed(), 0)
      queues.set(share, [run])
      place(share)
    }
    if (isResting && isModest(share)) isResting = false
    schedule()
  }

  /** Removes a run that waits. */
  function leave(share: Share, run: () => void): void {
    const queue = queues.get(share)
    const index = queue?.indexOf(run) ?? -1
    if (!queue || index < 0) return
    queue.splice(index, 1)
    if (queue.length > 0) return
    queues.delete(share)
    for (const rank of ranks) {
      const shares = rank.get(share.address)
      if (shares?.delete(share) && shares.size === 0) rank.delete(share.address)
    }
  }

  function rest(share: Share, signal: AbortSignal | undefined): Promise<number> {
    if (!signal || signal.aborted) return new Promise((resolve) => enqueue(share, () => resolve(end!)))
    return new Promise((resolve) => {
      const run = (): void => {
        signal.removeEventListener('abort', wake)
        resolve(end!)
      }
      const wake = (): void => {
        leave(share, run)
        resolve(elapsed())
      }
      enqueue(share, run)
      signal.addEventListener('abort', wake, { once: true })
    })
  }

  function turn(): void {
    isScheduled = false
    greedyMs = 0
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
        if (queues.size > 0) continueLater(now)
      }
    })
  }

  /** Schedules the next slice: at once, or after as much time as addresses that ask much have just used. */
  function continueLater(now: number): void {
    isResting = greedyMs > 0 && ranks[0]!.size === 0 && isPresent(now)
    if (!isResting) {
      schedule()
      return
    }
    setTimeout(() => {
      isResting = false
      if (queues.size > 0) schedule()
    }, greedyMs)
  }

  /** Ends the slice of requests that ran at once. */
  function reset(): void {
    if (!isScheduled) end = undefined
  }

  /** Whether an address that has used little asked lately. */
  const isPresent = (now: number): boolean => now - modestAt <= PRESENT_MS

  /** Whether a request can run at once. */
  function isFree(share: Share, now: number): boolean {
    if (queues.size > 0 && !(isResting && isModest(share))) return false
    if (end === undefined) {
      end = now + (isPresent(now) ? SLICE_MS : ALONE_MS)
      setImmediate(reset)
    }
    return now < end
  }

  function follow(share: Share): void {
    const begun = elapsed()
    afterwards(() => {
      const now = elapsed()
      charge(share, now, now - begun)
    })
  }

  function busy(usedMs: number): string[] {
    const now = elapsed()
    const isBusy = ([address, used]: [string, Used]): boolean => address !== '' && left(used, now) > usedMs
    return [...addresses].filter(isBusy).map(([address]) => address)
  }

  return {
    run(share, work) {
      const begun = elapsed()
      if (!isFree(share, begun)) {
        enqueue(share, work)
        return
      }
      work()
      const now = elapsed()
      charge(share, now, now - begun)
    },
    follow,
    take(share) {
      if (!isFree(share, elapsed())) return new Promise((resolve) => enqueue(share, resolve))
      follow(share)
      return undefined
    },
    rest,
    share: (address = '', usedMs = 0) => ({ address, usedMs, since: elapsed(), all: usedOf(address) }),
    end: () => elapsed() + SLICE_MS,
    charge: (address, usedMs) => add(usedOf(address), elapsed(), usedMs),
    busy,
    greedy(usedMs) {
      const now = elapsed()
      const found = busy(usedMs)
      const asksBeside = ([address, used]: [string, Used]): boolean =>
        address !== '' && now - used.since < BESIDE_MS && left(used, now) <= usedMs
      return found.length > 0 && [...addresses].some(asksBeside) ? found : []
    },
  }
}

/** The turns of this thread. */
export const turns = createTurns()

const shares = new WeakMap<object, Share>()

/** Returns the share of a connection. */
export function shareOf(connection: { readonly remoteAddress?: string | undefined }): Share {
  let share = shares.get(connection)
  if (!share) {
    share = turns.share(addressOf(connection.remoteAddress))
    shares.set(connection, share)
  }
  return share
}
