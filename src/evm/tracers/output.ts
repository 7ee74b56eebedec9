/** The text of a result on its way out, in chunks: what is written is not kept. */
import { utf8 } from '../../primitives/bytes.ts'

/** Takes a chunk of a result; it is the taker's from then on. A taker who blocks slows the execution down. */
export type Sink = (chunk: Uint8Array) => void

export interface Output {
  /** Bytes written so far, those not yet handed on included. */
  readonly written: number
  text(part: string): void
  /** Room for `size` bytes of ASCII, to be filled from `at` on and ended by `advance`. */
  room(size: number): { readonly bytes: Uint8Array; readonly at: number }
  advance(length: number): void
  /** Hands on what is left. */
  flush(): void
}

const CHUNK = 1 << 16

export function createOutput(sink: Sink): Output {
  let chunk = Buffer.allocUnsafeSlow(CHUNK)
  let length = 0
  let handedOn = 0

  function flush(): void {
    if (length === 0) return
    handedOn += length
    sink(chunk.subarray(0, length))
    chunk = Buffer.allocUnsafeSlow(CHUNK)
    length = 0
  }

  function room(size: number): { bytes: Uint8Array; at: number } {
    if (length + size > chunk.length) {
      flush()
      if (size > chunk.length) chunk = Buffer.allocUnsafeSlow(size)
    }
    return { bytes: chunk, at: length }
  }

  return {
    get written() {
      return handedOn + length
    },
    text(part) {
      if (part.length * 3 > CHUNK) {
        const bytes = utf8(part)
        for (let at = 0; at < bytes.length; at += CHUNK) {
          const piece = bytes.subarray(at, at + CHUNK)
          room(piece.length)
          chunk.set(piece, length)
          length += piece.length
        }
        return
      }
      room(part.length * 3)
      length += chunk.write(part, length, 'utf8')
    },
    room,
    advance(size) {
      length += size
    },
    flush,
  }
}
