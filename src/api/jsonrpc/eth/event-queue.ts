/** The events of one WebSocket connection: made and sent as fast as the client takes them, in time slices. */
import type { MessageWriter } from '../../transport/message-writer.ts'
import type { Pause } from '../../transport/slices.ts'

/** Bytes that wait for a subscriber. Beyond: no further event is made for it until it has taken them. */
const PAUSE_BYTES = 1_000_000
/** Logs of blocks whose events a WebSocket client of JSON-RPC has not taken. Beyond: it is closed with 1013. */
const MAX_LOGS_BEHIND = 400_000
/** Events of subscriptions, those of one block counted once, that wait for a WebSocket client of JSON-RPC. Beyond: it is closed with 1013. */
const MAX_EVENTS_BEHIND = 100_000

/** Events that wait for all clients of JSON-RPC in a process, about 400 bytes each. Beyond: the client with the most of them is closed with 1013. */
const MAX_EVENTS_OF_ALL = 200_000

/** The events of one subscription from one source, such as a block. */
export interface Events {
  /** The source. What waits of one source counts once. */
  readonly of: object
  /** Whether the subscription still exists; its other events are dropped. */
  readonly isOpen: () => boolean
  /** Number of items of the source that are looked through for events. */
  readonly items: number
  /** The texts in order; undefined for an item without an event. */
  readonly texts: Iterator<string | undefined>
}

export interface EventQueue {
  /** Adds events behind those that wait. */
  add(events: Events): void
  /** Drops what waits. */
  close(): void
}

/** A queue, as the backlog sees it. */
interface Waiting {
  readonly count: () => number
  readonly giveUp: () => void
}

/** The events that wait in all queues of a process. */
export interface Backlog {
  /** Counts one more event of a queue. The largest queue gives up if there are too many. */
  add(queue: Waiting): void
  /** Counts events less. */
  remove(queue: Waiting, count: number): void
}

/** Creates the backlog of a process. */
export function createBacklog(most = MAX_EVENTS_OF_ALL): Backlog {
  const queues = new Set<Waiting>()
  let total = 0
  return {
    add(queue) {
      queues.add(queue)
      if (++total <= most) return
      const largest = [...queues].reduce((a, b) => (b.count() > a.count() ? b : a))
      largest.giveUp()
    },
    remove(queue, count) {
      total -= count
      if (queue.count() === 0) queues.delete(queue)
    },
  }
}

/**
 * Creates the queue of a connection. `pause` has the share of the connection, so that those with few events are served first.
 * `overflow` closes the connection of a client that falls too far behind.
 */
export function createEventQueue(
  writer: Pick<MessageWriter, 'send' | 'unsent'>,
  pause: Pause,
  backlog: Backlog,
  overflow: () => void,
): EventQueue {
  const waiting = new Set<Events>()
  /** The sources of what waits, with the number of their subscriptions. */
  const sources = new Map<object, { readonly items: number; subscriptions: number }>()
  let itemsBehind = 0
  let isRunning = false

  function settle(events: Events): void {
    if (!waiting.delete(events)) return
    backlog.remove(own, 1)
    const source = sources.get(events.of)!
    source.subscriptions--
    if (source.subscriptions > 0) return
    itemsBehind -= source.items
    sources.delete(events.of)
  }

  function close(): void {
    const { size } = waiting
    waiting.clear()
    backlog.remove(own, size)
    sources.clear()
    itemsBehind = 0
  }

  function giveUp(): void {
    close()
    overflow()
  }

  const own: Waiting = { count: () => waiting.size, giveUp }

  /** Sends one text. Returns a promise if the client must take it before the next one is made. */
  function send(text: string): Promise<void> | undefined {
    if (writer.unsent() >= PAUSE_BYTES) return new Promise((resolve) => writer.send(text, resolve))
    writer.send(text)
    return undefined
  }

  /** Sends the events of one source, as long as they wait and their subscription is open. */
  async function sendAll(events: Events): Promise<void> {
    for (;;) {
      const rest = pause()
      if (rest) await rest
      if (!waiting.has(events) || !events.isOpen()) return
      const { done, value } = events.texts.next()
      if (done) return
      const taken = value === undefined ? undefined : send(value)
      if (taken) await taken
    }
  }

  async function run(): Promise<void> {
    isRunning = true
    // The loop also reaches what is added meanwhile.
    for (const events of waiting) {
      await sendAll(events)
      settle(events)
    }
    isRunning = false
  }

  return {
    add(events) {
      waiting.add(events)
      backlog.add(own)
      // This queue may have given up.
      if (!waiting.has(events)) return
      const source = sources.get(events.of)
      if (source) source.subscriptions++
      else {
        sources.set(events.of, { items: events.items, subscriptions: 1 })
        itemsBehind += events.items
      }
      // The events of one source are due whatever their number.
      if (sources.size > 1 && (itemsBehind > MAX_LOGS_BEHIND || sources.size > MAX_EVENTS_BEHIND)) {
        giveUp()
        return
      }
      if (!isRunning) void run()
    },
    close,
  }
}
