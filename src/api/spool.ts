/** Long answers on their way to a client: held back while they may still become an error, then passed on as they come. */
import { HOLD_BACK_BYTES } from '../modules/evm/tracing/tracing.ts'
import type { PartTaker } from './gateway.ts'

/** Where a body goes in pieces. */
export interface BodySink {
  /** `done` is called when there is room for more. */
  write(piece: string | Uint8Array, done: () => void): void
  end(): void
  /** Breaks the answer off, so that a client sees that it is not whole. */
  abort(): void
}

/** A body that is written while it is made. */
export type StreamedBody = (sink: BodySink) => void

export interface Spool {
  readonly onPart: PartTaker
  /** What is held, if nothing has been passed on. */
  held(): Uint8Array | undefined
  /** To be called when all parts are there; a failure after parts were passed on breaks the answer off. */
  finish(failed: boolean): void
}

/**
 * Holds parts back until there are too many; then calls `onOverflow` once with the body that begins with them. `encode` turns parts
 * into pieces of the body, the last call, with undefined, into what is left.
 */
export function createSpool(
  encode: (part: Uint8Array | undefined) => string | Uint8Array,
  frame: { readonly before: string; readonly after: string },
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
    held() {
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

/** Turns parts into one base64 text. */
export function createBase64Encoder(): (part: Uint8Array | undefined) => string {
  let rest: Buffer = Buffer.alloc(0)
  return (part) => {
    if (!part) return rest.toString('base64')
    const all = rest.length === 0 ? Buffer.from(part.buffer, part.byteOffset, part.length) : Buffer.concat([rest, part])
    const whole = all.length - (all.length % 3)
    // The memory of a part is the next one's as soon as the part is taken.
    rest = Buffer.from(all.subarray(whole))
    return all.toString('base64', 0, whole)
  }
}
