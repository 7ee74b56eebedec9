/** Long byte results: sent as hex part by part, so that no text of the whole is made. */
import { formatHex, formatHex0x } from '../../primitives/bytes.ts'
import type { Pause } from '../transport/slices.ts'
import type { BodySink } from '../transport/spool.ts'

/** Size from which a result is sent in parts. */
const LONG_BYTES = 128 * 1024
const PART_BYTES = 32 * 1024
/** Number of parts that are kept for further answers. Beyond: a part is freed once it is sent. */
const MAX_FREE_PARTS = 64
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

/** The two digits of every byte, in the order in which they are in memory. */
const DIGITS = new Uint16Array(
  Uint8Array.from(Buffer.from(formatHex(Uint8Array.from({ length: 256 }, (_, byte) => byte)))).buffer,
)

/** Parts that no client waits for. A new one for each would keep the garbage collector busy. */
const freeParts: Uint16Array<ArrayBuffer>[] = []

const send = (sink: BodySink, chunk: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => sink.write(chunk, resolve))

/** Sends bytes as hex digits. Resolves when the client has taken them, or has disconnected. */
async function sendDigits(bytes: Uint8Array, sink: BodySink): Promise<void> {
  const part = freeParts.pop() ?? new Uint16Array(PART_BYTES)
  for (let i = 0; i < bytes.length; i++) part[i] = DIGITS[bytes[i]!]!
  await send(sink, new Uint8Array(part.buffer, 0, 2 * bytes.length))
  // What a client leaves unread can still be in use.
  if (!sink.isClosed() && freeParts.length < MAX_FREE_PARTS) freeParts.push(part)
}

/**
 * Sends bytes as a JSON text of hex, one part after the client has taken the previous one, in time slices. Resolves after the last
 * part, or once the client has disconnected.
 */
export async function sendHex(
  bytes: Uint8Array,
  { before, after }: { readonly before: string; readonly after: string },
  sink: BodySink,
  pause: Pause,
): Promise<void> {
  await send(sink, Buffer.from(`${before}"0x`))
  for (let from = 0; from < bytes.length && !sink.isClosed(); from += PART_BYTES) {
    await sendDigits(bytes.subarray(from, from + PART_BYTES), sink)
    const rest = pause()
    if (rest) await rest
  }
  await send(sink, `"${after}`)
}
