import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gunzipSync, inflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { REFERENCE_STORES } from '../../app/stores.ts'
import { formatHex, hex, utf8 } from '../../primitives/bytes.ts'
import { createOutput, finish } from '../../primitives/varint.ts'
import type { Backend } from '../backend/backend.ts'
import { openMemory } from '../backend/memory.ts'
import { PAGES } from '../tables.ts'
import { randomBlock, STORES, seeded } from '../testing/backend-contract.ts'
import type { Change } from '../types.ts'
import { openVersionedStore, type VersionedStore } from '../versioned.ts'
import { createItemReader, type Item, putItem } from './items.ts'
import { createRestore } from './restore.ts'

const LIST = { hashedStores: STORES, otherStores: [] }

/** Commits blocks of random changes up to a height. */
function grow(store: VersionedStore, below: (n: number) => number, to: number): void {
  for (let height = Number(store.latestHeight()) + 1; height <= to; height++) {
    store.commit({ height: BigInt(height), changes: randomBlock(below) })
  }
}

function itemsAt(store: VersionedStore, height: bigint): Item[] {
  const exported = store.exportAt(height)
  try {
    return [...exported.items()]
  } finally {
    exported.close()
  }
}

function restored(items: readonly Item[], height: number, nodesInMemory = 7) {
  const backend = openMemory()
  const restore = createRestore(backend, { height, ...LIST, nodesInMemory })
  restore.add(items)
  const { appHash: found } = restore.finish(undefined)
  return { backend, found, store: openVersionedStore(backend, LIST) }
}

const pageCount = (backend: Backend) => [...backend.iterate(PAGES)].length

const entries = (store: VersionedStore, name: string, height?: bigint) =>
  Array.from(store.at(height).iterate(name), ([key, value]) => [formatHex(key), formatHex(value)])

/** Returns the bytes of items as a snapshot contains them. */
function encoded(items: readonly Item[]): Uint8Array {
  const out = createOutput()
  for (const item of items) putItem(out, item)
  return finish(out)
}

describe('a restored store', () => {
  const below = seeded(11)
  const origin = openVersionedStore(openMemory(), { ...LIST, checkpoints: { changedKeys: 40, blocks: 9 } })
  grow(origin, below, 60)

  test('an export knows its number of keys before it is read', () => {
    for (const height of [1n, 30n, 60n]) {
      const exported = origin.exportAt(height)
      const { keyCount } = exported
      const leaves = [...exported.items()].filter((item) => item.kind === 'node' && item.height === 0)
      exported.close()
      expect(keyCount).toBe(leaves.length)
      expect(keyCount).toBeGreaterThan(0)
    }
  })

  const hashes = new Map<bigint, string>()

  test.each([1n, 17n, 45n, 60n])('has the app hash and the state of height %s', (height) => {
    const items = itemsAt(origin, height)
    const { store, found, backend } = restored(items, Number(height))
    const exported = origin.exportAt(height)
    expect(formatHex(found)).toBe(formatHex(exported.appHash))
    exported.close()
    for (const name of STORES) expect(entries(store, name)).toEqual(entries(origin, name, height))
    expect(store.latestHeight()).toBe(height)
    expect(itemsAt(store, height)).toEqual(items)
    const inMemory = restored(items, Number(height), 100_000).backend
    expect(pageCount(backend)).toBe(pageCount(inMemory))
    hashes.set(height, formatHex(found))
  })

  test('continues with the same app hashes, keeps the restored height, and goes back to it', () => {
    const { store } = restored(itemsAt(origin, 45n), 45)
    const before = entries(store, STORES[0]!)
    for (let height = 46n; height <= 60n; height++) {
      const changes = changesOf(origin, height)
      const exported = origin.exportAt(height)
      expect(formatHex(store.commit({ height, changes }).appHash)).toBe(formatHex(exported.appHash))
      exported.close()
    }
    expect(entries(store, STORES[0]!, 45n)).toEqual(before)
    const [key] = [...store.at(45n).iterate(STORES[0]!)][0]!
    expect(store.at(45n).proofs.prove(STORES[0]!, key).value).toBeDefined()
    const { appHash } = store.rollback({ height: 45n })
    expect(formatHex(appHash)).toBe(hashes.get(45n))
    expect(entries(store, STORES[0]!)).toEqual(before)
  })

  test('says at which height its history begins', () => {
    const { store, backend } = restored(itemsAt(origin, 45n), 45)
    const text = 'height 44 is before the history of this node, which was restored from a snapshot of height 45'
    expect(() => store.at(44n)).toThrow(text)
    expect(() => openVersionedStore(backend, LIST).at(44n)).toThrow(text)
    expect(() => [...store.at().writtenAt!(45n)]).toThrow('the changes of height 45 are not stored')
    expect(() => store.amend([], () => [])).toThrow('the state of height 45 was restored')
  })

  test('prunes like any other', () => {
    const { backend } = restored(itemsAt(origin, 45n), 45)
    const store = openVersionedStore(backend, { ...LIST, keepHeights: 3 })
    for (let height = 46n; height <= 60n; height++) store.commit({ height, changes: changesOf(origin, height) })
    expect(store.earliestHeight()).toBe(58n)
    expect(() => store.at(45n)).toThrow('height 45 is pruned: the earliest height is 58')
    for (const name of STORES) expect(entries(store, name, 58n)).toEqual(entries(origin, name, 58n))
  })

  test('keeps a pinned height until it is released', () => {
    const store = openVersionedStore(openMemory(), { ...LIST, keepHeights: 3 })
    grow(store, seeded(5), 10)
    const [first, second] = [store.pin(9n), store.pin(9n)]
    first()
    first()
    grow(store, seeded(6), 20)
    expect(store.earliestHeight()).toBe(9n)
    store.at(9n).close()
    second()
    grow(store, seeded(7), 21)
    expect(store.earliestHeight()).toBe(19n)
  })

  test('refuses another app hash and stays empty', () => {
    const backend = openMemory()
    const restore = createRestore(backend, { height: 45, ...LIST })
    restore.add(itemsAt(origin, 45n))
    expect(() => restore.finish(new Uint8Array(32))).toThrow('instead of 0000')
    expect(openVersionedStore(openMemory(), LIST).latestHeight()).toBe(0n)
  })

  test('keeps the extensions of its snapshot', () => {
    const extensions: Item[] = [
      { kind: 'extension', name: '08-wasm', format: 1 },
      { kind: 'extension', name: 'wasm', format: 2 },
      { kind: 'payload', payload: utf8('code') },
      { kind: 'payload', payload: utf8('') },
    ]
    const items = [...itemsAt(origin, 45n), ...extensions]
    expect(itemsAt(restored(items, 45).store, 45n)).toEqual(items)
  })

  test('has stores that the build does not declare', () => {
    const changes: Change[] = [{ store: 'more', key: utf8('key'), value: utf8('value') }]
    const other = openVersionedStore(openMemory(), { hashedStores: [...STORES.slice(1), 'more'], otherStores: [] })
    const { appHash } = other.commit({ height: 1n, changes })
    const { store, found } = restored(itemsAt(other, 1n), 1)
    expect(formatHex(found)).toBe(formatHex(appHash))
    expect(store.at().get('more', utf8('key'))).toEqual(utf8('value'))
    expect(store.at().stores).toEqual([...STORES.slice(1), 'more'].sort())
    expect(formatHex(store.commit({ height: 2n, changes }).appHash)).toBe(
      formatHex(other.commit({ height: 2n, changes }).appHash),
    )
  })
})

/** Returns what a height changed, as its writes: equal values are not seen, so that all keys of the height are compared. */
function changesOf(store: VersionedStore, height: bigint): Change[] {
  const items = itemsAt(store, height)
  const changes: Change[] = []
  let name = ''
  for (const item of items) {
    if (item.kind === 'store') name = item.name
    else if (item.kind === 'node' && item.height === 0 && item.version === Number(height))
      changes.push({ store: name, key: item.key, value: item.value })
  }
  for (const store_ of STORES) {
    const now = new Set(entries(store, store_, height).map(([key]) => key))
    for (const [key] of store.at(height - 1n).iterate(store_)) {
      if (!now.has(formatHex(key))) changes.push({ store: store_, key, value: undefined })
    }
  }
  const order = (a: Change, b: Change) =>
    a.store === b.store ? Buffer.compare(a.key, b.key) : a.store < b.store ? -1 : 1
  return changes.sort(order)
}

const recording = resolve('../shared/recordings/reference-1')

interface RecordedChanges {
  readonly changes: readonly {
    readonly store: string
    readonly key: string
    readonly value?: string
    readonly delete?: true
  }[]
}

describe.skipIf(!existsSync(recording))('a snapshot of the reference', () => {
  const linesOf = (name: string) =>
    gunzipSync(readFileSync(join(recording, name)))
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)

  test.each([100, 200])('of height %s restores to its app hash, back to its bytes, and continues', (height) => {
    // Without the recording the function of a skipped group runs too: only its tests may read.
    const blocks = linesOf('blocks.jsonl.gz') as readonly { readonly height: number; readonly appHash: string }[]
    const bytes = inflateSync(readFileSync(join(recording, 'snapshot', `${height}/3/0`)))
    const items = [...createItemReader().push(bytes)]
    expect(items.slice(-2)).toEqual([
      { kind: 'extension', name: '08-wasm', format: 1 },
      { kind: 'extension', name: 'wasm', format: 1 },
    ])
    const backend = openMemory()
    const restore = createRestore(backend, { height, ...REFERENCE_STORES, nodesInMemory: 100 })
    restore.add(items)
    const next = blocks[height]!
    expect(next.height).toBe(height + 1)
    expect(formatHex(restore.finish(Buffer.from(next.appHash, 'hex')).appHash).toUpperCase()).toBe(next.appHash)
    const store = openVersionedStore(backend, REFERENCE_STORES)
    expect(encoded(itemsAt(store, BigInt(height)))).toEqual(new Uint8Array(bytes))

    const changes = linesOf('changes.jsonl.gz') as readonly RecordedChanges[]
    for (let at = height + 1; at < blocks.length; at++) {
      const written = changes[at - 1]!.changes.map((one) => ({
        store: one.store,
        key: hex(one.key),
        value: one.delete ? undefined : hex(one.value ?? ''),
      }))
      const { appHash } = store.commit({ height: BigInt(at), changes: written })
      expect(formatHex(appHash)).toBe(blocks[at]!.appHash.toLowerCase())
    }
    expect(store.latestHeight()).toBe(418n)
    expect(encoded(itemsAt(store, BigInt(height)))).toEqual(new Uint8Array(bytes))
  })
})

describe('items', () => {
  const leaf = (key: string, value = 'v', version = 1): Item => ({
    kind: 'node',
    key: utf8(key),
    value: utf8(value),
    version,
    height: 0,
  })
  const inner = (key: string, height: number): Item => ({
    kind: 'node',
    key: utf8(key),
    value: new Uint8Array(0),
    version: 1,
    height,
  })
  const first: Item = { kind: 'store', name: STORES[0]! }

  test('have the bytes of the reference', () => {
    const items: Item[] = [
      { kind: 'store', name: 'inflation' },
      {
        kind: 'node',
        key: Buffer.from('000000000000000000', 'hex'),
        value: Buffer.from('000000000000000c', 'hex'),
        version: 1,
        height: 0,
      },
    ]
    expect(formatHex(encoded(items))).toBe(
      '0d0a0b0a09696e666c6174696f6e1912170a090000000000000000001208000000000000000c1801',
    )
  })

  test('come out of pieces of any size', () => {
    const items: Item[] = [
      first,
      leaf('a', 'x'.repeat(300)),
      leaf('b', ''),
      inner('b', 1),
      { kind: 'extension', name: 'wasm', format: 1 },
      { kind: 'payload', payload: utf8('p'.repeat(5000)) },
    ]
    const bytes = encoded(items)
    for (const size of [1, 2, 7, 100, 1000, bytes.length]) {
      const reader = createItemReader()
      const found: Item[] = []
      for (let at = 0; at < bytes.length; at += size) found.push(...reader.push(bytes.subarray(at, at + size)))
      reader.end()
      expect(encoded(found)).toEqual(bytes)
    }
    const reader = createItemReader()
    for (const _ of reader.push(bytes.subarray(0, bytes.length - 1)));
    expect(() => reader.end()).toThrow('its last item is cut off')
  })

  test('are refused if the bytes are wrong', () => {
    const read = (...bytes: number[]) => [...createItemReader().push(Uint8Array.from(bytes))]
    expect(() => read(2, 0x32, 0)).toThrow('field 6')
    expect(() => read(2, 0x08, 1)).toThrow('an item is no message')
    expect(() => read(2, 0x0a, 9)).toThrow('a field is longer than its message')
    expect(() => read(0xff, 0xff, 0xff, 0xff, 0x7f)).toThrow('the limit is 64000000')
  })

  test.each<[string, Item[]]>([
    ['its keys do not ascend', [leaf('b'), leaf('a')]],
    ['its keys do not ascend', [leaf('a'), leaf('a')]],
    ['a node lacks a child', [leaf('a'), inner('a', 1)]],
    ['a node has height 2', [leaf('a'), leaf('b'), inner('b', 2)]],
    ['a node has another key than its right subtree', [leaf('a'), leaf('b'), inner('a', 1)]],
    ['it ends with 2 separate trees', [leaf('a'), leaf('b')]],
    ['a node has version 0', [leaf('a', 'v', 0)]],
    ['a node of height 6, after its own 5', [leaf('a', 'v', 6)]],
    ['store a comes after', [{ kind: 'store', name: 'a' }]],
    ['a payload comes before the first extension', [{ kind: 'payload', payload: utf8('p') }]],
    [
      'store c comes after an extension',
      [
        { kind: 'extension', name: 'wasm', format: 1 },
        { kind: 'store', name: 'c' },
      ],
    ],
    [
      'extension 08-wasm comes after extension wasm',
      [
        { kind: 'extension', name: 'wasm', format: 1 },
        { kind: 'extension', name: '08-wasm', format: 1 },
      ],
    ],
    [
      'a node is not balanced',
      [leaf('a'), leaf('b'), leaf('c'), inner('c', 1), leaf('d'), inner('d', 2), inner('b', 3)],
    ],
  ])('refuses a tree: %s', (text, items) => {
    const run = () => {
      const restore = createRestore(openMemory(), { height: 5, ...LIST })
      restore.add([{ kind: 'store' as const, name: 'b' }, ...items])
      restore.finish(undefined)
    }
    expect(run).toThrow(text)
  })
})
