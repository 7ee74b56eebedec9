/** Typed events: messages whose fields become attributes, sorted by key, with JSON values (docs/transactions.md#results). */
import type { DescMessage, Message } from '@bufbuild/protobuf'
import { cachePerObject } from '../primitives/cache.ts'
import type { ChainEvent, EventAttribute } from '../store/types.ts'
import { type FieldWriter, fieldWriters, type JsonNames } from './json.ts'

/** Returns field writers sorted by name, from the list in the order of the descriptor. */
const sortedByName = cachePerObject((writers: readonly FieldWriter[]) =>
  writers.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
)

/** Returns the event of a message: its type under the profile, attributes sorted by key. Unset parts of a oneof are omitted. */
export function typedEvent(names: JsonNames, schema: DescMessage, message: Message): ChainEvent {
  const writers = sortedByName(fieldWriters(names.identity, schema))
  // Allocated at its final length: an array that grows reserves more room than events need, and blocks store them.
  const attributes = new Array<EventAttribute>(writers.length)
  let count = 0
  for (const { name, write } of writers) {
    const value = write(names, message)
    if (value !== undefined) attributes[count++] = { key: name, value: JSON.stringify(value) }
  }
  attributes.length = count
  return { type: names.identity.toProfileName(schema.typeName), attributes }
}
