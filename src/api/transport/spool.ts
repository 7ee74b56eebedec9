/** Long answers: buffered while they can still become an error, then streamed to the client. */
import { HOLD_BACK_BYTES } from '../../modules/evm/tracing/trace-writer.ts'
import type { PartTaker } from '../gateway.ts'

/** The receiver of a streamed body. */
export interface BodySink {
  /** Sends a chunk, as a text of ASCII or as bytes. Calls `done` when the receiver has room for more. */
  write(chunk: string | Uint8Array, done: () => void): void
  /** Whether the receiver takes no more, so that the rest need not be made. */
  isClosed(): boolean
  end(): void
  /** Closes the connection, so that the client detects an incomplete answer. */
  abort(): void
}

/** A body that is sent while it is produced. */
export type StreamedBody = (sink: BodySink) => void

export interface Spool {
  readonly onPart: PartTaker
  /** Returns the buffered bytes; undefined once streaming has begun. */
  buffered(): Uint8Array | undefined
  /** Ends the answer. A failure after streaming has begun closes the connection. */
  finish(failed: boolean): void
}

/**
 * Buffers parts up to `HOLD_BACK_BYTES`; then calls `onOverflow` once with a streamed body that begins with them. `encode`
 * turns a part into a chunk of the body; the last call, with undefined, returns the rest.
 */
export function createSpool(
  encode: (part: Uint8Array | undefined) => string | Uint8Array,
  frame: { readonly before: string | Uint8Array; readonly after: string },
  onOverflow: (body: StreamedBody) => void,
): Spool {
  let parts: { readonly part: Uint8Array; readonly done: () => void }[] = []
  let size = 0
  let flows = false
  let sink: BodySink | undefined
  let outcome: 'open' | 'ended' | 'failed' = 'open'

  function close(): void {
    if (!sink || outcome === 'open') return
    if (outcome === 'failed') sink.abort()
    else {
      sink.write(encode(undefined), () => {})
      sink.write(frame.after, () => sink!.end())
    }
  }

  function begin(given: BodySink): void {
    sink = given
    given.write(frame.before, () => {})
    for (const { part, done } of parts) given.write(encode(part), done)
    parts = []
    close()
  }

  return {
    onPart(part, done) {
      if (sink) {
        sink.write(encode(part), done)
        return
      }
      size += part.length
      if (size <= HOLD_BACK_BYTES) {
        parts.push({ part: part.slice(), done: () => {} })
        done()
        return
      }
      parts.push({ part, done })
      if (!flows) onOverflow(begin)
      flows = true
    },
    buffered() {
      if (flows) return undefined
      const whole = Buffer.concat(parts.map(({ part }) => part))
      return new Uint8Array(whole.buffer, whole.byteOffset, whole.length)
    },
    finish(failed) {
      outcome = failed ? 'failed' : 'ended'
      close()
    },
  }
}

/** Returns an encoder that turns parts into one base64 text. */
export function createBase64Encoder(): (part: Uint8Array | undefined) => string {
  let rest: Buffer = Buffer.alloc(0)
  return (part) => {
    if (!part) return rest.toString('base64')
    const all = rest.length === 0 ? Buffer.from(part.buffer, part.byteOffset, part.length) : Buffer.concat([rest, part])
    const whole = all.length - (all.length % 3)
    // The memory of a part is reused for the next part.
    rest = Buffer.from(all.subarray(whole))
    return all.toString('base64', 0, whole)
  }
}
