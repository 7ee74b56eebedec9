/**
 * Compression of rows. Brotli at its lowest useful quality takes half the time of deflate for the same length, and finds
 * repetitions over megabytes. A short row is left alone: it would gain little, and every block has some.
 */
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'

const MIN_BYTES = 2048
/** Compression that saves less than this part is not worth the time that reading takes. */
const MIN_SAVED = 1 / 8
const QUALITY = 1

/** Returns the compressed bytes; undefined if the row is better left as it is. */
export function compress(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.length < MIN_BYTES) return undefined
  const packed = brotliCompressSync(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  })
  return packed.length <= bytes.length * (1 - MIN_SAVED) ? packed : undefined
}

/** Returns the bytes that `compress` received. */
export function decompress(packed: Uint8Array): Uint8Array {
  return brotliDecompressSync(packed)
}
