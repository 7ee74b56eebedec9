/** Type URLs within a message, rewritten to a family of names: those of its `Any` values, and those in text fields. */
import { clone, type DescField, type DescMessage, fromBinary, type Message, toBinary } from '@bufbuild/protobuf'
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { messageType } from '../identity/registry.ts'
import type { Identity } from '../identity/types.ts'
import { cachePerObject } from '../primitives/cache.ts'
import { MAX_ANY_DEPTH } from './json.ts'
import type { Family } from './names.ts'
import { isTypeUrlField, renameTypeUrl } from './type-url-fields.ts'

/** The byte of a dot, which every name of a type contains. */
const DOT = 0x2e

/**
 * Returns a message in which every type is named as in a family; the same message if it names none. The content of an `Any`
 * is copied unchanged if this build lacks its type, its bytes cannot be decoded, it is nested deeper than `MAX_ANY_DEPTH`, or
 * its names are those of the family.
 */
export function renameTypeUrls(identity: Identity, family: Family, schema: DescMessage, message: Message): Message {
  if (!namesTypes(schema)) return message
  const copy = clone(schema, message)
  renameIn(reflect(schema, copy), 0)
  return copy

  /** Renames in place. Returns whether anything changed. */
  function renameIn(reflected: ReflectMessage, depth: number): boolean {
    if (reflected.desc.typeName === AnySchema.typeName) return renameAny(reflected.message as Any, depth)
    let changed = false
    for (const field of reflected.fields) {
      if (!reflected.isSet(field)) continue
      if (isTypeUrlField(field)) changed = renameText(reflected, field) || changed
      else if (field.fieldKind === 'message') changed = renameIn(reflected.get(field), depth) || changed
      else if (field.fieldKind === 'list' && field.listKind === 'message') {
        for (const item of reflected.get(field)) changed = renameIn(item as ReflectMessage, depth) || changed
      } else if (field.fieldKind === 'map' && field.mapKind === 'message') {
        for (const value of reflected.get(field).values()) changed = renameIn(value as ReflectMessage, depth) || changed
      }
    }
    return changed
  }

  function renameText(reflected: ReflectMessage, field: DescField): boolean {
    const slots = reflected.message as unknown as Record<string, string | string[]>
    const given = slots[field.localName]!
    const rename = (url: string): string => renameTypeUrl(identity, family, url)
    const renamed = typeof given === 'string' ? rename(given) : given.map(rename)
    slots[field.localName] = renamed
    return String(renamed) !== String(given)
  }

  function renameAny(packed: Any, depth: number): boolean {
    const { typeUrl, value } = packed
    const end = typeUrl.lastIndexOf('/') + 1
    const neutral = identity.toNeutralName(typeUrl.slice(end))
    const type = messageType(neutral)
    const isRead = type && depth < MAX_ANY_DEPTH && namesTypes(type)
    const content = isRead ? renameContent(type, value, depth) : value
    packed.typeUrl = `${type ? '/' : typeUrl.slice(0, end)}${family.toName(neutral)}`
    packed.value = content
    return packed.typeUrl !== typeUrl || content !== value
  }

  /** Returns the same bytes if nothing in them changes, since an encoding need not be canonical. */
  function renameContent(type: DescMessage, bytes: Uint8Array, depth: number): Uint8Array {
    // Most accounts of a page have no key, and so name no type.
    if (!bytes.includes(DOT)) return bytes
    let content: Message
    try {
      content = fromBinary(type, bytes)
    } catch {
      return bytes
    }
    return renameIn(reflect(type, content), depth + 1) ? toBinary(type, content) : bytes
  }
}

/** Whether a message of a type can name types. */
const namesTypes = cachedPredicate((schema) => {
  const seen = new Set<DescMessage>()
  const rest = [schema]
  for (let type = rest.pop(); type; type = rest.pop()) {
    if (type.typeName === AnySchema.typeName) return true
    if (seen.has(type)) continue
    seen.add(type)
    for (const field of type.fields) {
      if (isTypeUrlField(field)) return true
      if (field.message) rest.push(field.message)
    }
  }
  return false
})

function cachedPredicate(test: (schema: DescMessage) => boolean): (schema: DescMessage) => boolean {
  const known = cachePerObject((schema: DescMessage) => ({ holds: test(schema) }))
  return (schema) => known(schema).holds
}
