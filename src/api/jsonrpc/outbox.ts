/** Answers on their way out of a turn of the event loop. */
import type { ServerResponse } from 'node:http'

/** The longest that an answer waits for others, milliseconds. */
const MOST_WAIT_MS = 2

export interface Outbox {
  /** Sends an answer with those that are made in the same turn, unless nobody waits for it any more. */
  put(response: ServerResponse, text: string): void
}

/**
 * Answers made in one turn leave together at its end. A write wakes the client at the other end; done between two requests, on a
 * busy machine it costs as much as an answer does.
 */
export function createOutbox(): Outbox {
  let waiting: { readonly response: ServerResponse; readonly text: string }[] = []
  let since = 0

  function flush(): void {
    const leaving = waiting
    waiting = []
    for (const { response, text } of leaving) if (!response.destroyed) send(response, text)
  }

  return {
    put(response, text) {
      if (waiting.push({ response, text }) === 1) {
        since = performance.now()
        setImmediate(flush)
      } else if (performance.now() - since > MOST_WAIT_MS) flush()
    },
  }
}

/** With its length known, head and body leave in one piece. */
function send(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
  response.end(text)
}
