/** Long byte results: sent as hex part by part, so that no text of the whole is made. */
import { formatHex, formatHex0x } from '../../primitives/bytes.ts'
import { createPause } from '../transport/slices.ts'
import type { BodySink } from '../transport/spool.ts'

/** Size from which a result is sent in parts. */
const LONG_BYTES = 128 * 1024
const PART_BYTES = 32 * 1024
const LONG = Symbol('long hex')

/** A long result. As JSON it is its hex text with 0x. */
interface LongHex {
  readonly [LONG]: Uint8Array
  toJSON(): string
}

/** Returns bytes as a result of a method: hex text with 0x, made later if it is long. */
export function hexResult(bytes: Uint8Array): string | LongHex {
  return bytes.length < LONG_BYTES ? formatHex0x(bytes) : { [LONG]: bytes, toJSON: () => formatHex0x(bytes) }
}

/** Returns the bytes of a long result; undefined for any other result. */
export function longBytesOf(result: unknown): Uint8Array | undefined {
  return typeof result === 'object' && result !== null && LONG in result ? (result as LongHex)[LONG] : undefined
}

/**
 * Sends bytes as a JSON text of hex, one part after the client has taken the previous one, in time slices. Resolves after the last
 * part, or once the client has disconnected.
 */
export async function sendHex(bytes: Uint8Array, before: string, after: string, sink: BodySink): Promise<void> {
  const pause = createPause()
  for (let from = 0; from < bytes.length && !sink.isClosed(); from += PART_BYTES) {
    const opening = from === 0 ? `${before}"0x` : ''
    const ending = from + PART_BYTES >= bytes.length ? `"${after}` : ''
    const part = Buffer.from(`${opening}${formatHex(bytes.subarray(from, from + PART_BYTES))}${ending}`)
    await new Promise<void>((resolve) => sink.write(part, resolve))
    const rest = pause()
    if (rest) await rest
  }
}
