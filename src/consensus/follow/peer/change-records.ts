/** The changes of a block as records of the change stream: what another Almanac sends to its followers. */
import { utf8 } from '../../../primitives/bytes.ts'
import { createOutput, finish, putBytes, putVarint, varintLength } from '../../../primitives/varint.ts'
import type { Change, Reader } from '../../../store/types.ts'

/** Tags of the fields of `StoreKVPair`, and the value of `delete`. */
const TAG = { store: 0x0a, delete: 0x10, key: 0x1a, value: 0x22 } as const

const sizeOf = ({ length }: Uint8Array): number => (length === 0 ? 0 : 1 + varintLength(length) + length)

/** Encodes changes: each a `StoreKVPair` with its length in front. */
export function encodeRecords(changes: Iterable<Change>): Uint8Array {
  const out = createOutput(1 << 12)
  const field = (tag: number, bytes: Uint8Array): void => {
    if (bytes.length === 0) return
    putVarint(out, tag)
    putVarint(out, bytes.length)
    putBytes(out, bytes)
  }
  for (const { store, key, value } of changes) {
    const name = utf8(store)
    putVarint(out, sizeOf(name) + sizeOf(key) + (value ? sizeOf(value) : 2))
    field(TAG.store, name)
    if (!value) {
      putVarint(out, TAG.delete)
      putVarint(out, 1)
    }
    field(TAG.key, key)
    if (value) field(TAG.value, value)
  }
  return finish(out)
}

/** Yields everything that the height of a state wrote, equal values included. Throws the errors of `Reader.writtenAt`. */
export function* changesAt(state: Reader, height: bigint): IterableIterator<Change> {
  for (const { store, key } of state.writtenAt!(height)) yield { store, key, value: state.get(store, key) }
}
