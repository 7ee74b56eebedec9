/** Codecs for the keys of collections (docs/state-layout.md#keys). */
import { decodeBech32, formatBech32 } from '../../primitives/address.ts'
import * as bytes from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { formatKey, parseRfc3339 } from '../../primitives/time.ts'
import type { CodecContext } from './codecs.ts'

/** A decoded key, and the offset after its last byte. */
type DecodedKey<Key> = readonly [key: Key, end: number]

/** A codec for keys. `Prefix` is the type of a composite key's first components; `never` for a key of one part. */
export interface KeyCodec<Key, Prefix = never> {
  /** Returns `head` followed by the encoded key. Keys are encoded so often that separate arrays for their parts would be slow. */
  append(ctx: CodecContext, head: Uint8Array, key: Key): Uint8Array
  /** Decodes the key at `offset`. Throws an `Error` for bytes that are not such a key: the stored state is then broken. */
  decode(ctx: CodecContext, encoded: Uint8Array, offset: number): DecodedKey<Key>
  /** Returns `head` followed by the bytes that every key of a prefix begins with. */
  appendPrefix(ctx: CodecContext, head: Uint8Array, prefix: Prefix): Uint8Array
}

type Simple<Key> = Pick<KeyCodec<Key>, 'append' | 'decode'>

/** Makes a codec for a key of one part. */
function single<Key>(codec: Simple<Key>): KeyCodec<Key> {
  return {
    ...codec,
    appendPrefix() {
      throw new Error('a key of one part has no prefix')
    },
  }
}

/** Returns `head`, the text in UTF-8, and `zeros` zero bytes. */
function appendText(head: Uint8Array, text: string, zeros: 0 | 1): Uint8Array {
  const { length } = text
  const out = new Uint8Array(head.length + length + zeros)
  for (let i = 0; i < head.length; i++) out[i] = head[i]!
  for (let i = 0, at = head.length; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code > 127) return bytes.concat(head, bytes.utf8(text), new Uint8Array(zeros))
    out[at++] = code
  }
  return out
}

/** UTF-8 and a final 0x00. Throws 3 `invalidArgument` for a text that contains one. */
export const stringKey: KeyCodec<string> = single({
  append(_ctx, head, text) {
    if (text.includes('\0')) throw queryError('invalidArgument', 'a key must not contain a NUL byte')
    return appendText(head, text, 1)
  },
  decode: (_ctx, encoded, offset) => terminated(encoded, offset),
})

function terminated(encoded: Uint8Array, offset: number): DecodedKey<string> {
  const end = encoded.indexOf(0, offset)
  if (end < 0) throw new Error('a text in a stored key has no zero byte at its end')
  return [bytes.formatUtf8(encoded.subarray(offset, end)), end + 1]
}

/** UTF-8 without a terminator. Last component only. */
export const bareStringKey: KeyCodec<string> = single({
  append: (_ctx, head, text) => appendText(head, text, 0),
  decode: (_ctx, encoded, offset) => [bytes.formatUtf8(encoded.subarray(offset)), encoded.length],
})

/** Raw bytes without a terminator. Last component only. */
export const bytesKey: KeyCodec<Uint8Array> = single({
  append: (_ctx, head, raw) => bytes.concat(head, raw),
  decode: (_ctx, encoded, offset) => [encoded.slice(offset), encoded.length],
})

/** Exactly `length` raw bytes. */
function fixedBytesKey(length: number): KeyCodec<Uint8Array> {
  return single({
    append(_ctx, head, raw) {
      if (raw.length !== length) throw new RangeError(`a key component of ${raw.length} bytes: it must have ${length}`)
      return bytes.concat(head, raw)
    },
    decode: (_ctx, encoded, offset) => [encoded.slice(offset, offset + length), offset + length],
  })
}

/** Twenty raw bytes. */
export const evmAddressKey: KeyCodec<Uint8Array> = fixedBytesKey(20)

/** Thirty-two raw bytes: slots, code hashes, ids. */
export const hashKey: KeyCodec<Uint8Array> = fixedBytesKey(32)

/** An address in the Cosmos SDK's modules: one byte of length, then the bytes. The empty address has no bytes at all. */
export const addressKey: KeyCodec<Uint8Array> = single({
  append(_ctx, head, address) {
    const { length } = address
    if (length === 0) return head
    if (length > 255) throw new RangeError(`an address of ${length} bytes: at most 255 fit in a key`)
    const out = new Uint8Array(head.length + 1 + length)
    for (let i = 0; i < head.length; i++) out[i] = head[i]!
    out[head.length] = length
    for (let i = 0, at = head.length + 1; i < length; i++) out[at++] = address[i]!
    return out
  },
  decode(_ctx, encoded, offset) {
    const end = offset + 1 + (encoded[offset] ?? 0)
    if (end > encoded.length) throw new Error('an address in a stored key is truncated')
    return [encoded.slice(offset + 1, end), end]
  },
})

function bech32Key(kind: 'account' | 'validator' | 'consensus'): KeyCodec<Uint8Array> {
  return single({
    append: (ctx, head, address) =>
      appendText(head, address.length === 0 ? '' : formatBech32(ctx.identity.bech32[kind], address), 1),
    decode(_ctx, encoded, offset) {
      const [text, end] = terminated(encoded, offset)
      if (text === '') return [bytes.EMPTY, end]
      const parts = decodeBech32(text)
      if ('reason' in parts) throw new Error(`a stored key contains an invalid address: ${parts.reason}`)
      return [parts.bytes, end]
    },
  })
}

/** An address as Bech32 text with the profile's prefix, and 0x00. The empty address is 0x00 alone. Keys sort by the text. */
export const accountTextKey: KeyCodec<Uint8Array> = bech32Key('account')
export const validatorTextKey: KeyCodec<Uint8Array> = bech32Key('validator')
export const consensusTextKey: KeyCodec<Uint8Array> = bech32Key('consensus')

/** Eight bytes, big-endian. */
export const uint64Key: KeyCodec<bigint> = single({
  append: (_ctx, head, value) => bytes.concat(head, bytes.encodeUint64(value)),
  decode: (_ctx, encoded, offset) => [bytes.decodeUint64(encoded.subarray(offset)), offset + 8],
})

/** Eight bytes, little-endian, for slashing's bit array and distribution's periods. */
export const uint64LittleEndianKey: KeyCodec<bigint> = single({
  append: (_ctx, head, value) => bytes.concat(head, bytes.encodeUint64LittleEndian(value)),
  decode: (_ctx, encoded, offset) => [
    new DataView(encoded.buffer, encoded.byteOffset).getBigUint64(offset, true),
    offset + 8,
  ],
})

/** Decimal digits without padding or terminator, for staking's headers. Last component only; keys sort as text. */
export const decimalTextKey: KeyCodec<bigint> = single({
  append: (_ctx, head, value) => appendText(head, value.toString(), 0),
  decode: (_ctx, encoded, offset) => [BigInt(bytes.formatUtf8(encoded.subarray(offset))), encoded.length],
})

/** An unsigned integer in 32 bytes, big-endian. */
export const uint256Key: KeyCodec<bigint> = single({
  append: (_ctx, head, value) => bytes.concat(head, bytes.encodeUint(value, 32)),
  decode: (_ctx, encoded, offset) => [bytes.decodeUint(encoded.subarray(offset, offset + 32)), offset + 32],
})

const TIME_LENGTH = 29

/** Nanoseconds since the epoch as 29 characters of text that sort by time. */
export const timeKey: KeyCodec<bigint> = single({
  append: (_ctx, head, timeNs) => appendText(head, formatKey(timeNs), 0),
  decode(_ctx, encoded, offset) {
    const end = offset + TIME_LENGTH
    const timeNs = parseRfc3339(`${bytes.formatUtf8(encoded.subarray(offset, end))}Z`)
    if (timeNs === undefined) throw new Error('a stored key contains an invalid time')
    return [timeNs, end]
  },
})

/** Makes a codec for two components. A prefix is the first. */
export function pairKey<A, B>(a: KeyCodec<A, unknown>, b: KeyCodec<B, unknown>): KeyCodec<readonly [A, B], A> {
  return {
    append: (ctx, head, [first, second]) => b.append(ctx, a.append(ctx, head, first), second),
    appendPrefix: (ctx, head, first) => a.append(ctx, head, first),
    decode(ctx, encoded, offset) {
      const [first, middle] = a.decode(ctx, encoded, offset)
      const [second, end] = b.decode(ctx, encoded, middle)
      return [[first, second], end]
    },
  }
}

/** Makes a codec for three components. A prefix is the first, or the first two. */
export function tripleKey<A, B, C>(
  a: KeyCodec<A, unknown>,
  b: KeyCodec<B, unknown>,
  c: KeyCodec<C, unknown>,
): KeyCodec<readonly [A, B, C], readonly [A] | readonly [A, B]> {
  return {
    append: (ctx, head, [first, second, third]) =>
      c.append(ctx, b.append(ctx, a.append(ctx, head, first), second), third),
    appendPrefix(ctx, head, [first, second]) {
      const one = a.append(ctx, head, first)
      return second === undefined ? one : b.append(ctx, one, second)
    },
    decode(ctx, encoded, offset) {
      const [first, afterFirst] = a.decode(ctx, encoded, offset)
      const [second, afterSecond] = b.decode(ctx, encoded, afterFirst)
      const [third, end] = c.decode(ctx, encoded, afterSecond)
      return [[first, second, third], end]
    },
  }
}
