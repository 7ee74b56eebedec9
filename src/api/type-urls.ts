/** Type URLs of the `Any` values within a message, rewritten to other names. */
import { clone, create, type DescMessage, fromBinary, type Message, type Registry, toBinary } from '@bufbuild/protobuf'
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { MAX_ANY_DEPTH } from './json.ts'

type Rename = (name: string) => string

/**
 * Returns a copy in which every `Any` names its type as `rename` does. The content of an `Any` is copied unchanged if
 * `registry` (neutral names) lacks its type, its bytes cannot be decoded, or it is nested deeper than `MAX_ANY_DEPTH`.
 */
export function renameTypeUrls(
  registry: Registry,
  schema: DescMessage,
  message: Message,
  toNeutral: Rename,
  rename: Rename,
): Message {
  return renameWithin(schema, message, 0)

  function renameWithin(type: DescMessage, original: Message, depth: number): Message {
    const copy = clone(type, original)
    renameIn(reflect(type, copy), (packed) => renameAny(packed, depth))
    return copy
  }

  function renameAny({ typeUrl, value }: Any, depth: number): Any {
    const name = typeUrl.slice(typeUrl.lastIndexOf('/') + 1)
    const type = depth < MAX_ANY_DEPTH ? registry.getMessage(toNeutral(name)) : undefined
    return create(AnySchema, { typeUrl: `/${rename(name)}`, value: type ? renameContent(type, value, depth) : value })
  }

  function renameContent(type: DescMessage, bytes: Uint8Array, depth: number): Uint8Array {
    let content: Message
    try {
      content = fromBinary(type, bytes)
    } catch {
      return bytes
    }
    return toBinary(type, renameWithin(type, content, depth + 1))
  }
}

function renameIn(message: ReflectMessage, renameOne: (packed: Any) => Any): void {
  if (message.desc.typeName === AnySchema.typeName) {
    Object.assign(message.message, renameOne(message.message as Any))
    return
  }
  for (const field of message.fields) {
    if (!message.isSet(field)) continue
    if (field.fieldKind === 'message') {
      renameIn(message.get(field), renameOne)
    } else if (field.fieldKind === 'list' && field.listKind === 'message') {
      for (const item of message.get(field)) renameIn(item as ReflectMessage, renameOne)
    } else if (field.fieldKind === 'map' && field.mapKind === 'message') {
      for (const value of message.get(field).values()) renameIn(value as ReflectMessage, renameOne)
    }
  }
}
