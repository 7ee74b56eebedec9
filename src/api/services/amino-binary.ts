/**
 * Amino binary: the encoding of messages before protobuf. It is that of protobuf, with the positions of fields as their numbers,
 * a prefix of four bytes for each type that an interface can contain, and durations as nanoseconds.
 */
import {
  create,
  type DescField,
  type DescMessage,
  fromBinary,
  type Message,
  ScalarType,
  toBinary,
} from '@bufbuild/protobuf'
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect'
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { type Any, AnySchema, DurationSchema } from '@bufbuild/protobuf/wkt'
import { messageType, registry } from '../../identity/registry.ts'
import { neutralTypeName } from '../../identity/type-name.ts'
import type { Identity } from '../../identity/types.ts'
import { type Amino, isKey } from '../../messages/amino-converter.ts'
import { concat, formatHex } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { MAX_LEVELS, MAX_NODES } from '../../primitives/nesting.ts'
import { fromTimestamp, toDuration } from '../../primitives/time.ts'
import { encodeVarint } from '../../primitives/varint.ts'
import { aminoPrefix } from '../../sdk/public-key.ts'

const PREFIX_BYTES = 4

/** Levels and messages that a decoding has left. */
export interface Room {
  levels: number
  nodes: number
}

/** Returns the room of a new decoding. */
export const newRoom = (): Room => ({ levels: MAX_LEVELS, nodes: MAX_NODES })

export interface AminoBinary {
  /** Encodes a packed message, behind the prefix of its type. Throws `invalidArgument`, `unimplemented`. */
  encodeAny(any: Any): Uint8Array
  /** Decodes a prefix and its message. Throws `invalidArgument`, `unimplemented`. */
  decodeAny(bytes: Uint8Array, room: Room): Any
  encode(schema: DescMessage, message: Message): Uint8Array
  decode(schema: DescMessage, bytes: Uint8Array, room: Room): Message
}

export const invalid = (why: string) => queryError('invalidArgument', `amino binary: ${why}`)
const unknownForm = (what: string) => queryError('unimplemented', `amino binary of ${what} is not part of this build`)

export function createAminoBinary(identity: Identity, amino: Amino): AminoBinary {
  let byPrefix: ReadonlyMap<string, DescMessage> | undefined

  function schemaOfPrefix(prefix: Uint8Array): DescMessage {
    if (!byPrefix) {
      const messages = [...registry].filter((type) => type.kind === 'message')
      byPrefix = new Map(
        messages.flatMap((schema) => {
          const name = amino.nameOf(schema)
          return name === undefined ? [] : [[formatHex(aminoPrefix(name)), schema]]
        }),
      )
    }
    const schema = byPrefix.get(formatHex(prefix))
    if (!schema) throw invalid(`no type has the prefix ${formatHex(prefix)}`)
    return schema
  }

  function encodeAny({ typeUrl, value }: Any): Uint8Array {
    const schema = messageType(neutralTypeName(identity, typeUrl))
    const name = schema && amino.nameOf(schema)
    if (!name) throw invalid(`${typeUrl} has no amino name`)
    const message = fromBinary(schema, value)
    if (!isKey(schema)) return concat(aminoPrefix(name), encode(schema, message))
    const { key } = message as Message & { readonly key: Uint8Array }
    return concat(aminoPrefix(name), encodeVarint(key.length), key)
  }

  /** Bounded by: the room. */
  function decodeAny(bytes: Uint8Array, room: Room): Any {
    if (bytes.length < PREFIX_BYTES) throw invalid('a message of an interface has fewer than four bytes')
    const schema = schemaOfPrefix(bytes.subarray(0, PREFIX_BYTES))
    const rest = bytes.subarray(PREFIX_BYTES)
    const message = isKey(schema)
      ? create(schema, { key: new BinaryReader(rest).bytes() } as never)
      : decode(schema, rest, room)
    return create(AnySchema, {
      typeUrl: `/${identity.toProfileName(schema.typeName)}`,
      value: toBinary(schema, message),
    })
  }

  /** Bounded by: the levels of the message. */
  function encode(schema: DescMessage, message: Message): Uint8Array {
    const writer = new BinaryWriter()
    const reflected = reflect(schema, message)
    for (const [i, field] of schema.fields.entries()) {
      if (reflected.isSet(field)) encodeField(writer, i + 1, field, reflected)
    }
    return writer.finish()
  }

  function encodeMessage(schema: DescMessage, { message }: ReflectMessage): Uint8Array {
    return schema.typeName === AnySchema.typeName ? encodeAny(message as Any) : encode(schema, message)
  }

  function encodeField(writer: BinaryWriter, at: number, field: DescField, reflected: ReflectMessage): void {
    if (field.oneof) throw unknownForm(`${field.parent.typeName}.${field.oneof.name}`)
    switch (field.fieldKind) {
      case 'message': {
        const value = reflected.get(field)
        if (field.message.typeName === DurationSchema.typeName) {
          writer.tag(at, WireType.Varint).int64(fromTimestamp(value.message as never))
          return
        }
        const bytes = encodeMessage(field.message, value)
        if (bytes.length > 0) writer.tag(at, WireType.LengthDelimited).bytes(bytes)
        return
      }
      case 'list':
        for (const item of reflected.get(field)) {
          if (field.listKind === 'message') {
            const bytes = encodeMessage(field.message, item as ReflectMessage)
            writer.tag(at, WireType.LengthDelimited).bytes(bytes)
          } else if (field.listKind === 'scalar' && isText(field.scalar)) {
            encodeScalar(writer, at, field.scalar, item)
          } else throw unknownForm(`${field.parent.typeName}.${field.name}`)
        }
        return
      case 'enum':
        writer.tag(at, WireType.Varint).int32(reflected.get(field) as number)
        return
      case 'scalar':
        encodeScalar(writer, at, field.scalar, reflected.get(field))
        return
      case 'map':
        throw unknownForm(`${field.parent.typeName}.${field.name}`)
    }
  }

  /** Bounded by: the room. */
  function decode(schema: DescMessage, bytes: Uint8Array, room: Room): Message {
    if (room.levels === 0) throw invalid(`more than ${MAX_LEVELS} levels`)
    if (--room.nodes < 0) throw invalid(`more than ${MAX_NODES} messages`)
    room.levels--
    const reader = new BinaryReader(bytes)
    const fields: Record<string, unknown> = {}
    while (reader.pos < reader.len) {
      const [at, wire] = reader.tag()
      const field = schema.fields[at - 1]
      if (!field) throw invalid(`${schema.typeName} has no field at position ${at}`)
      const value = decodeField(field, wire, reader, room)
      if (field.fieldKind !== 'list') fields[field.localName] = value
      else {
        const list = (fields[field.localName] as unknown[] | undefined) ?? []
        list.push(value)
        fields[field.localName] = list
      }
    }
    room.levels++
    return create(schema, fields as never)
  }

  function decodeField(field: DescField, wire: WireType, reader: BinaryReader, room: Room): unknown {
    const where = `${field.parent.typeName}.${field.name}`
    if (field.oneof || field.fieldKind === 'map') throw unknownForm(where)
    const expect = (wanted: WireType): void => {
      if (wire !== wanted) throw invalid(`${where} has wire type ${wire}, not ${wanted}`)
    }
    if (field.message) {
      if (field.message.typeName === DurationSchema.typeName) {
        expect(WireType.Varint)
        return create(DurationSchema, toDuration(BigInt(reader.int64())))
      }
      expect(WireType.LengthDelimited)
      const bytes = reader.bytes()
      return field.message.typeName === AnySchema.typeName ? decodeAny(bytes, room) : decode(field.message, bytes, room)
    }
    if (field.enum) {
      expect(WireType.Varint)
      return reader.int32()
    }
    if (field.fieldKind === 'list' && !isText(field.scalar)) throw unknownForm(where)
    expect(isText(field.scalar) ? WireType.LengthDelimited : WireType.Varint)
    return decodeScalar(field.scalar, reader, where)
  }
  return { encodeAny, decodeAny, encode, decode }
}

const isText = (type: ScalarType): boolean => type === ScalarType.STRING || type === ScalarType.BYTES

function encodeScalar(writer: BinaryWriter, at: number, type: ScalarType, value: unknown): void {
  switch (type) {
    case ScalarType.STRING:
      writer.tag(at, WireType.LengthDelimited).string(value as string)
      return
    case ScalarType.BYTES:
      writer.tag(at, WireType.LengthDelimited).bytes(value as Uint8Array)
      return
    case ScalarType.BOOL:
      writer.tag(at, WireType.Varint).bool(value as boolean)
      return
    case ScalarType.INT64:
      writer.tag(at, WireType.Varint).int64(value as bigint)
      return
    case ScalarType.UINT64:
      writer.tag(at, WireType.Varint).uint64(value as bigint)
      return
    case ScalarType.INT32:
      writer.tag(at, WireType.Varint).int32(value as number)
      return
    case ScalarType.UINT32:
      writer.tag(at, WireType.Varint).uint32(value as number)
      return
    default:
      throw unknownForm(`a number of type ${ScalarType[type]}`)
  }
}

function decodeScalar(type: ScalarType, reader: BinaryReader, where: string): unknown {
  switch (type) {
    case ScalarType.STRING:
      return reader.string(true)
    case ScalarType.BYTES:
      return reader.bytes()
    case ScalarType.BOOL:
      return reader.bool()
    case ScalarType.INT64:
      return BigInt(reader.int64())
    case ScalarType.UINT64:
      return BigInt(reader.uint64())
    case ScalarType.INT32:
      return reader.int32()
    case ScalarType.UINT32:
      return reader.uint32()
    default:
      throw unknownForm(where)
  }
}
