/** Frames of an ABCI socket: each message follows its length, an unsigned varint. */
import { concat } from '../../primitives/bytes.ts'

/** Length of the longest message of the engine. */
const MAX_BYTES = 2 ** 31 - 1
/** Bytes of the longest varint of such a length. */
const MAX_LENGTH_BYTES = 5

export interface FrameReader {
  /**
   * Returns the messages that are complete with this chunk. A message is a view of the chunk, or a copy if it came in several
   * chunks. Throws an `Error` for a length that is no message's.
   */
  push(chunk: Uint8Array): Uint8Array[]
}

/** Creates a reader, which assembles a message once, however many chunks it has. */
export function createFrameReader(): FrameReader {
  let chunks: Uint8Array[] = []
  let held = 0
  /** Bytes that the next step needs: those of the message, or at least one more of its length. */
  let needed = 1

  /** Returns the length of the message at an offset and where it starts; undefined if the length is incomplete. */
  function lengthAt(
    bytes: Uint8Array,
    offset: number,
  ): { readonly length: number; readonly start: number } | undefined {
    let length = 0
    for (let i = 0; i < MAX_LENGTH_BYTES; i++) {
      const byte = bytes[offset + i]
      if (byte === undefined) return undefined
      length += (byte & 0x7f) * 2 ** (7 * i)
      if (byte < 0x80) {
        if (length > MAX_BYTES) break
        return { length, start: offset + i + 1 }
      }
    }
    throw new Error('the length of an ABCI message is not a varint below 2^31')
  }

  return {
    push(chunk) {
      chunks.push(chunk)
      held += chunk.length
      if (held < needed) return []
      const bytes = chunks.length === 1 ? chunk : concat(...chunks)
      const messages: Uint8Array[] = []
      let at = 0
      needed = 1
      while (at < bytes.length) {
        const found = lengthAt(bytes, at)
        if (!found || found.start + found.length > bytes.length) {
          needed = found ? found.start + found.length - at : bytes.length - at + 1
          break
        }
        messages.push(bytes.subarray(found.start, found.start + found.length))
        at = found.start + found.length
      }
      chunks = at < bytes.length ? [bytes.subarray(at)] : []
      held = bytes.length - at
      return messages
    },
  }
}

/** Returns a message with its length in front. */
export function frameOf(message: Uint8Array): Uint8Array {
  const head: number[] = []
  let rest = message.length
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) head.push((rest & 0x7f) | 0x80)
  head.push(rest)
  return concat(Uint8Array.from(head), message)
}
