/** Typed events: a message whose fields become attributes, sorted by key, each value its JSON (evm.md §1.5). */
import type { DescMessage, Message } from '@bufbuild/protobuf'
import type { ChainEvent } from '../store/types.ts'
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
  const attributes = []
  for (const { name, write } of inOrderOfNames(fieldWriters(names.identity, schema))) {
    const value = write(names, message)
    if (value !== undefined) attributes.push({ key: name, value: JSON.stringify(value) })
  }
  return { type: names.identity.toProfileName(schema.typeName), attributes }
}
