/** Answers that are compressed while they are sent. */
import type { ServerResponse } from 'node:http'
import { createGzip } from 'node:zlib'
import type { BodySink } from './spool.ts'

/** Level of zlib: a trace becomes a twentieth of its length, in a third of the time of the default level. */
const LEVEL = 1

/** Memory of a compressor (zlib.h: 2^17 + 2^17 bytes at the default window, and its buffers). */
const COMPRESSOR_BYTES = 300_000

/**
 * Returns a response as the receiver of a streamed body, which it compresses outside of this thread. It calls `done` when it
 * has room for more, or the client disconnects. The memory of the compressor counts as bytes that wait for the client, by
 * `hold`.
 */
export function gzipSinkOf(response: ServerResponse, hold: (bytes: number) => void): BodySink {
  const gzip = createGzip({ level: LEVEL })
  const unsent = new Set<() => void>()
  hold(COMPRESSOR_BYTES)
  gzip.pipe(response)
  gzip.on('error', () => response.destroy())
  response.once('close', () => {
    hold(-COMPRESSOR_BYTES)
    gzip.destroy()
    for (const finish of unsent) finish()
  })
  return {
    write(chunk, done) {
      if (response.destroyed || gzip.destroyed || chunk.length === 0) {
        done()
        return
      }
      const finish = (): void => {
        if (unsent.delete(finish)) done()
      }
      unsent.add(finish)
      gzip.write(typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : chunk, finish)
    },
    isClosed: () => response.destroyed,
    end: () => gzip.end(),
    abort: () => response.destroy(),
  }
}
