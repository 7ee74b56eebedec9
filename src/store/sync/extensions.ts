/**
 * Extensions of a snapshot: data of modules beside the stores, such as the code of Wasm contracts. This build does not use
 * them; it keeps them for its own snapshots. The app hash does not cover them.
 */
import { formatUtf8, utf8 } from '../../primitives/bytes.ts'
import { createOutput, finish, type Input, putBytes, putVarint, takeVarint } from '../../primitives/varint.ts'
import { compareTexts } from '../order.ts'
import { EXTENSIONS } from '../tables.ts'
import type { Tables, TableWrite } from '../types.ts'
import { damaged, type Item } from './items.ts'

type ExtensionItem = Extract<Item, { readonly kind: 'extension' | 'payload' }>

function rowKey(extension: number, payload: number): Uint8Array {
  const key = new Uint8Array(8)
  const view = new DataView(key.buffer)
  view.setUint32(0, extension)
  view.setUint32(4, payload)
  return key
}

/** Creates the function that returns the row of each item in turn. It throws `dataLoss` for one out of place. */
export function extensionRows(): { row(item: ExtensionItem): TableWrite; hasAny(): boolean } {
  let [extension, payload] = [0, 0]
  let name: string | undefined
  return {
    hasAny: () => name !== undefined,
    row(item) {
      if (item.kind === 'payload') {
        if (name === undefined) throw damaged('a payload comes before the first extension')
        return { table: EXTENSIONS, key: rowKey(extension, ++payload), value: item.payload.slice() }
      }
      if (name !== undefined && compareTexts(name, item.name) >= 0)
        throw damaged(`extension ${item.name} comes after extension ${name}`)
      name = item.name
      extension++
      payload = 0
      const out = createOutput()
      putVarint(out, item.format)
      putBytes(out, utf8(name))
      return { table: EXTENSIONS, key: rowKey(extension, 0), value: finish(out) }
    },
  }
}

/** Yields the extensions that a store keeps. */
export function* keptExtensions(tables: Tables): IterableIterator<Item> {
  for (const [key, value] of tables.iterate(EXTENSIONS)) {
    const isPayload = new DataView(key.buffer, key.byteOffset).getUint32(4) > 0
    if (isPayload) {
      yield { kind: 'payload', payload: value }
      continue
    }
    const input: Input = { bytes: value, at: 0 }
    const format = takeVarint(input)
    yield { kind: 'extension', name: formatUtf8(value.subarray(input.at)), format }
  }
}
