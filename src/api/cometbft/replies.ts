/** Replies of the CometBFT RPC: sent while they are made if they are long, or whole if they must be one text. */
import type { ServerResponse } from 'node:http'
import { formatUtf8 } from '../../primitives/bytes.ts'
import { ChainError } from '../../primitives/errors.ts'
import { jsonPieces, wholeJson, writePieces } from '../long-json.ts'
import { bodySinkOf } from '../transport/http.ts'
import { createSpool } from '../transport/spool.ts'

/**
 * Size of an answer of the CometBFT RPC over WebSocket, and of the answers of a batch together. Beyond: an error that says to
 * ask over HTTP.
 */
export const MAX_WHOLE_BYTES = 8 * 1024 * 1024

type Body = Readonly<Record<string, unknown>>

/** Sends a body as JSON. A long one is sent while it is made. Rejects if that fails; the head can be sent by then. */
export async function sendBody(
  response: ServerResponse,
  status: number,
  body: Body,
  headers: Record<string, string>,
  signal?: AbortSignal,
): Promise<void> {
  const head = { 'Content-Type': 'application/json', ...headers }
  const spool = createSpool(
    (part) => part ?? '',
    { before: '', after: '' },
    (stream) => {
      response.writeHead(status, head)
      stream(bodySinkOf(response))
    },
  )
  try {
    await writePieces(jsonPieces(body), spool.onPart, signal)
  } catch (error) {
    if (spool.buffered() === undefined) spool.finish(true)
    throw error
  }
  const whole = spool.buffered()
  if (whole) response.writeHead(status, head).end(formatUtf8(whole))
  else spool.finish(false)
}

/**
 * Returns the JSON of a body as one text of at most `limitBytes`; undefined if it is longer. Rejects with `cancelled` once the
 * client has disconnected.
 */
export async function wholeBody(body: Body, limitBytes: number, signal?: AbortSignal): Promise<string | undefined> {
  try {
    return await wholeJson(body, limitBytes, signal)
  } catch (error) {
    if (error instanceof ChainError && error.status === 'resourceExhausted') return undefined
    throw error
  }
}
