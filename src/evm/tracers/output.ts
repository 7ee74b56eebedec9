/** The output of a result, in chunks: written text is passed on and not kept. */
import { utf8 } from '../../primitives/bytes.ts'

/** A consumer of chunks, which owns each chunk. A consumer that blocks slows the execution down. */
export type Sink = (chunk: Uint8Array) => void

export interface Output {
  /** The bytes written so far, including those not yet passed on. */
  readonly written: number
  text(part: string): void
  /** Writes UTF-8 bytes, which are copied. */
  bytes(part: Uint8Array): void
  /** Passes on the rest. */
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

  function makeRoom(size: number): void {
    if (length + size <= chunk.length) return
    flush()
    if (size > chunk.length) chunk = Buffer.allocUnsafeSlow(size)
  }

  function put(part: Uint8Array): void {
    makeRoom(part.length)
    chunk.set(part, length)
    length += part.length
  }

  return {
    get written() {
      return handedOn + length
    },
    text(part) {
      if (part.length * 3 > CHUNK) {
        const bytes = utf8(part)
        for (let at = 0; at < bytes.length; at += CHUNK) put(bytes.subarray(at, at + CHUNK))
        return
      }
      makeRoom(part.length * 3)
      length += chunk.write(part, length, 'utf8')
    },
    bytes: put,
    flush,
  }
}
