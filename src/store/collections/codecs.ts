/** Codecs for the values of collections (docs/state-layout.md#values). */
import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import { complete } from '../../identity/complete.ts'
import type { Identity } from '../../identity/types.ts'
import * as bytes from '../../primitives/bytes.ts'
import { createCache } from '../../primitives/cache.ts'
import { type Decimal, fromRaw } from '../../primitives/decimal.ts'

/** Wire types of protobuf. */
const VARINT = 0
const DELIMITED = 2

/** A context for codecs: the profile's address prefixes. Every handler's context is one. */
export interface CodecContext {
  readonly identity: Pick<Identity, 'bech32'>
}

export interface ValueCodec<Value> {
  encode(ctx: CodecContext, value: Value): Uint8Array
  /** Throws an `Error` for bytes that are not such a value: the stored state is then broken. */
  decode(ctx: CodecContext, encoded: Uint8Array): Value
}

/**
 * Makes a codec for a message. Fields ascend. The chain also writes empty times, decimals and nested messages, so these are added
 * to the message first. Unknown fields are dropped.
 */
export function protoValue<Desc extends DescMessage>(schema: Desc): ValueCodec<MessageShape<Desc>> {
  return {
    encode: (_ctx, message) => toBinary(schema, complete(schema, message), { writeUnknownFields: false }),
    decode: (_ctx, encoded) => fromBinary(schema, encoded, { readUnknownFields: false }),
  }
}

/**
 * Caches the value decoded last, for values that are read far more often than written, such as parameters. The same bytes return
 * the same object, which is frozen.
 */
export function cacheLast<Value extends object>(codec: ValueCodec<Value>): ValueCodec<Value> {
  let last: { readonly encoded: Uint8Array; readonly value: Value } | undefined
  return {
    encode: codec.encode,
    decode(ctx, encoded) {
      if (!last || !bytes.equal(last.encoded, encoded)) {
        last = { encoded: encoded.slice(), value: Object.freeze(codec.decode(ctx, encoded)) }
      }
      return last.value
    },
  }
}

/**
 * Caches at least the `size` values decoded most recently, for collections with many hot values, such as the records of contracts.
 * The same bytes return the same object, which is frozen. It is encoded once, since blocks write many values as they were.
 */
export function cacheRecent<Value extends object>(codec: ValueCodec<Value>, size: number): ValueCodec<Value> {
  const cache = createCache<Value>(size)
  const encodings = new WeakMap<Value, Uint8Array>()
  return {
    encode(ctx, value) {
      const known = encodings.get(value)
      if (known) return known
      const encoded = codec.encode(ctx, value)
      if (Object.isFrozen(value)) encodings.set(value, encoded)
      return encoded
    },
    decode(ctx, encoded) {
      const key = bytes.toKey(encoded)
      return cache.get(key) ?? cache.set(key, Object.freeze(codec.decode(ctx, encoded)))
    },
  }
}

/**
 * Makes a codec for a message whose last field is a list of messages that return in value after value, such as the validators of
 * recorded heights. The codec of the items can cache them.
 */
export function withItems<Name extends string, Value extends Readonly<Record<Name, Item[]>>, Item extends object>(
  codec: ValueCodec<Value>,
  list: { readonly name: Name; readonly field: number; readonly item: ValueCodec<Item> },
): ValueCodec<Value> {
  return {
    encode(ctx, value) {
      const writer = new BinaryWriter().raw(codec.encode(ctx, { ...value, [list.name]: [] }))
      for (const item of value[list.name]) writer.tag(list.field, DELIMITED).bytes(list.item.encode(ctx, item))
      return writer.finish()
    },
    decode: codec.decode,
  }
}

/** Makes a codec for values that another codec encodes in their own form. */
export function convertedValue<Value, Form>(
  codec: ValueCodec<Form>,
  toForm: (value: Value) => Form,
  fromForm: (form: Form) => Value,
): ValueCodec<Value> {
  return {
    encode: (ctx, value) => codec.encode(ctx, toForm(value)),
    decode: (ctx, encoded) => fromForm(codec.decode(ctx, encoded)),
  }
}

/** Makes a codec for a message whose fields are all texts, numbered from 1 in the order of `names`. It needs no descriptor. */
export function textsValue<Name extends string>(...names: readonly Name[]): ValueCodec<Readonly<Record<Name, string>>> {
  const empty = Object.fromEntries(names.map((name) => [name, ''])) as Record<Name, string>
  return {
    encode(_ctx, value) {
      const writer = new BinaryWriter()
      for (const [i, name] of names.entries()) {
        if (value[name] !== '') writer.tag(i + 1, DELIMITED).string(value[name])
      }
      return writer.finish()
    },
    decode(_ctx, encoded) {
      const out = { ...empty }
      const reader = new BinaryReader(encoded)
      while (reader.pos < reader.len) {
        const [field, type] = reader.tag()
        const name = names[field - 1]
        if (name !== undefined && type === DELIMITED) out[name] = bytes.formatUtf8(reader.bytes())
        else reader.skip(type, field)
      }
      return out
    },
  }
}

/** Eight bytes, big-endian. */
export const uint64Value: ValueCodec<bigint> = {
  encode: (_ctx, value) => bytes.encodeUint64(value),
  decode: (_ctx, encoded) => bytes.decodeUint64(encoded),
}

/** Decimal digits, `-` before a negative one. */
export const intTextValue: ValueCodec<bigint> = {
  encode: (_ctx, value) => bytes.utf8(value.toString()),
  decode: (_ctx, encoded) => BigInt(bytes.formatUtf8(encoded)),
}

/** An unsigned integer in 32 bytes, big-endian. */
export const uint256Value: ValueCodec<bigint> = {
  encode: (_ctx, value) => bytes.encodeUint(value, 32),
  decode: (_ctx, encoded) => bytes.decodeUint(encoded),
}

/** Digits of the value × 10^18. */
export const decimalValue: ValueCodec<Decimal> = {
  encode: (_ctx, value) => bytes.utf8(value.toString()),
  decode: (_ctx, encoded) => fromRaw(BigInt(bytes.formatUtf8(encoded))),
}

/** Raw bytes; also addresses as values. */
export const bytesValue: ValueCodec<Uint8Array> = {
  encode: (_ctx, value) => value,
  decode: (_ctx, encoded) => encoded,
}

/** UTF-8 without a terminator. */
export const stringValue: ValueCodec<string> = {
  encode: (_ctx, value) => bytes.utf8(value),
  decode: (_ctx, encoded) => bytes.formatUtf8(encoded),
}

/** The member of a set: present, with zero bytes. */
export const emptyValue: ValueCodec<true> = { encode: () => bytes.EMPTY, decode: () => true }

/** Makes a codec for a message whose only field has number 1. The field's default encodes to zero bytes. */
function wrapped<Value>(
  isDefault: (value: Value) => boolean,
  write: (writer: BinaryWriter, value: Value) => void,
  read: (reader: BinaryReader) => Value,
  absent: Value,
): ValueCodec<Value> {
  return {
    encode(_ctx, value) {
      if (isDefault(value)) return bytes.EMPTY
      const writer = new BinaryWriter()
      write(writer, value)
      return writer.finish()
    },
    decode(_ctx, encoded) {
      const reader = new BinaryReader(encoded)
      let value = absent
      while (reader.pos < reader.len) {
        const [field, type] = reader.tag()
        if (field === 1) value = read(reader)
        else reader.skip(type, field)
      }
      return value
    },
  }
}

/** `BoolValue`: false is zero bytes, present. */
export const wrappedBoolValue: ValueCodec<boolean> = wrapped(
  (value) => !value,
  (writer, value) => writer.tag(1, VARINT).bool(value),
  (reader) => reader.bool(),
  false,
)

/** `UInt64Value`. */
export const wrappedUint64Value: ValueCodec<bigint> = wrapped(
  (value) => value === 0n,
  (writer, value) => writer.tag(1, VARINT).uint64(value),
  (reader) => BigInt(reader.uint64()),
  0n,
)

/** `Int64Value`. */
export const wrappedInt64Value: ValueCodec<bigint> = wrapped(
  (value) => value === 0n,
  (writer, value) => writer.tag(1, VARINT).int64(value),
  (reader) => BigInt(reader.int64()),
  0n,
)

/** `IntProto`: decimal text, also written for 0. */
export const wrappedIntValue: ValueCodec<bigint> = wrapped(
  () => false,
  (writer, value) => writer.tag(1, DELIMITED).string(value.toString()),
  (reader) => BigInt(reader.string()),
  0n,
)

/** `BytesValue`. */
export const wrappedBytesValue: ValueCodec<Uint8Array> = wrapped(
  (value) => value.length === 0,
  (writer, value) => writer.tag(1, DELIMITED).bytes(value),
  (reader) => reader.bytes(),
  bytes.EMPTY,
)
