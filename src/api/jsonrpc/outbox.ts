/** Batches the sending of answers. */
import type { ServerResponse } from 'node:http'

/** Maximum delay of an answer. */
const MAX_WAIT_MS = 2

export interface Outbox {
  /** Sends an answer with the others of this turn of the event loop, unless its client has disconnected. */
  put(response: ServerResponse, text: string): void
}

/**
 * Creates an outbox. It sends the answers of one turn of the event loop together at its end. Each write wakes the client,
 * which on a busy machine takes as long as making an answer.
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
      } else if (performance.now() - since > MAX_WAIT_MS) flush()
    },
  }
}

/** Sends an answer with its length, so that head and body are one write. */
function send(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
  response.end(text)
}
