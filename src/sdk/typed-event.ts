/** Typed events: a message whose fields become attributes, sorted by key, each value its JSON (evm.md §1.5). */
import type { DescMessage, Message } from '@bufbuild/protobuf'
import type { ChainEvent } from '../store/types.ts'
import { fieldWriters, type JsonNames } from './json.ts'

/** The event of a message: type under the profile, attributes sorted by key. Unset parts of a oneof are left out. */
export function typedEvent(names: JsonNames, schema: DescMessage, message: Message): ChainEvent {
  const attributes = []
  for (const { name, write } of fieldWriters(names.identity, schema)) {
    const value = write(names, message)
    if (value !== undefined) attributes.push({ key: name, value: JSON.stringify(value) })
  }
  attributes.sort((a, b) => (a.key < b.key ? -1 : 1))
  return { type: names.identity.toProfileName(schema.typeName), attributes }
}
