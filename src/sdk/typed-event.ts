/** Typed events: a message whose fields become attributes, sorted by key, each value its JSON (evm.md §1.5). */
import type { DescMessage, Message } from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import type { ChainEvent } from '../store/types.ts'
import { fieldJson, type JsonNames } from './json.ts'

/** The event of a message: type under the profile, attributes sorted by key. */
export function typedEvent(names: JsonNames, schema: DescMessage, message: Message): ChainEvent {
  const reflected = reflect(schema, message)
  const attributes = schema.fields.map((field) => ({
    key: names.identity.toProfileField(field.name),
    value: JSON.stringify(fieldJson(names, reflected, field)),
  }))
  attributes.sort((a, b) => (a.key < b.key ? -1 : 1))
  return { type: names.identity.toProfileName(schema.typeName), attributes }
}
