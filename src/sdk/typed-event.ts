/** Typed events: a message whose fields become attributes, sorted by key, each value its JSON (evm.md §1.5). */
import type { DescMessage, Message } from '@bufbuild/protobuf'
import type { ChainEvent, EventAttribute } from '../store/types.ts'
import { type FieldWriter, fieldWriters, type JsonNames } from './json.ts'

/** The writers of a message's fields by the name they write, for the list in the order of the descriptor. */
const sortedWriters = new WeakMap<readonly FieldWriter[], readonly FieldWriter[]>()

function inOrderOfNames(writers: readonly FieldWriter[]): readonly FieldWriter[] {
  let sorted = sortedWriters.get(writers)
  if (!sorted) {
    sorted = writers.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    sortedWriters.set(writers, sorted)
  }
  return sorted
}

/** The event of a message: type under the profile, attributes sorted by key. Unset parts of a oneof are left out. */
export function typedEvent(names: JsonNames, schema: DescMessage, message: Message): ChainEvent {
  const writers = inOrderOfNames(fieldWriters(names.identity, schema))
  // Of the right length from the start: an array that grows has room for more than events ever have, and blocks keep them.
  const attributes = new Array<EventAttribute>(writers.length)
  let count = 0
  for (const { name, write } of writers) {
    const value = write(names, message)
    if (value !== undefined) attributes[count++] = { key: name, value: JSON.stringify(value) }
  }
  attributes.length = count
  return { type: names.identity.toProfileName(schema.typeName), attributes }
}
