/** Type URLs of the `Any` values within a message, rewritten to other names. */
import { clone, create, type DescMessage, fromBinary, type Message, type Registry, toBinary } from '@bufbuild/protobuf'
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'

type Rename = (name: string) => string

/**
 * A copy in which every `Any`, at any depth, carries its type under the name that `rename` gives it.
 * What `registry` (neutral names) does not know is renamed but not looked into.
 */
export function renameTypeUrls(
  registry: Registry,
  schema: DescMessage,
  message: Message,
  toNeutral: Rename,
  rename: Rename,
): Message {
  const copy = clone(schema, message)
  renameIn(reflect(schema, copy), (packed) => renameAny(registry, packed, toNeutral, rename))
  return copy
}

function renameAny(registry: Registry, packed: Any, toNeutral: Rename, rename: Rename): Any {
  const name = packed.typeUrl.slice(packed.typeUrl.lastIndexOf('/') + 1)
  const schema = registry.getMessage(toNeutral(name))
  const typeUrl = `/${rename(name)}`
  if (!schema) return create(AnySchema, { typeUrl, value: packed.value })
  const content = renameTypeUrls(registry, schema, fromBinary(schema, packed.value), toNeutral, rename)
  return create(AnySchema, { typeUrl, value: toBinary(schema, content) })
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
