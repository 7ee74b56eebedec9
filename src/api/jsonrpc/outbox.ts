/** Batches the sending of answers. */
import type { ServerResponse } from 'node:http'

/** Maximum delay of an answer. */
const MAX_WAIT_MS = 2

export interface Outbox {
  /**
   * Sends an answer with the others of this turn of the event loop, unless its client has disconnected. `headers` are names and values
   * in turn.
   */
  put(response: ServerResponse, headers: readonly string[], text: string): void
}

interface Answer {
  readonly response: ServerResponse
  readonly headers: readonly string[]
  readonly text: string
}

/**
 * Creates an outbox. It sends the answers of one turn of the event loop together at its end. Each write wakes the client,
 * which on a busy machine takes as long as making an answer.
 */
export function createOutbox(): Outbox {
  let waiting: Answer[] = []
  let since = 0

  function flush(): void {
    const leaving = waiting
    waiting = []
    for (const answer of leaving) if (!answer.response.destroyed) send(answer)
  }

  return {
    put(response, headers, text) {
      if (waiting.push({ response, headers, text }) === 1) {
        since = performance.now()
        setImmediate(flush)
      } else if (performance.now() - since > MAX_WAIT_MS) flush()
    },
  }
}

/** Sends an answer with its length, so that head and body are one write. */
function send({ response, headers, text }: Answer): void {
  const length = String(Buffer.byteLength(text))
  response.writeHead(200, headers.concat('Content-Type', 'application/json', 'Content-Length', length))
  response.end(text)
}
