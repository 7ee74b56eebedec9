import { expect, test } from 'vitest'
import { formatHex, formatUtf8, hex, utf8 } from '../primitives/bytes.ts'
import { openMemory } from './backend/memory.ts'
import { createBranch } from './branch.ts'
import { createReadCache } from './read-cache.ts'
import { openTestStore } from './testing/test-store.ts'
import type { Change, Range, Snapshot } from './types.ts'

const text = (value: Uint8Array | undefined) => value && formatUtf8(value)
const change = (key: string, value?: string | Uint8Array, store = 'bank'): Change => ({
  store,
  key: utf8(key),
  value: typeof value === 'string' ? utf8(value) : value,
})

/** Opens a store with the given changes at height 1. */
function storeWith(...changes: readonly Change[]) {
  const store = openTestStore(openMemory(), { keepHeights: 4 })
  store.commit({ height: 1n, changes })
  const cache = createReadCache()
  const asked: string[] = []
  /** Opens the latest state over the cache, and lists the reads that reach it. */
  const open = () => {
    const base = store.at()
    const watched: Snapshot = {
      ...base,
      get(name, key) {
        asked.push(`${name} ${formatHex(key)}`)
        return base.get(name, key)
      },
      has() {
        throw new Error('a present key is cached with its value')
      },
      iterate(name, range) {
        asked.push(`${name} from ${text(range?.start) ?? ''}`)
        return base.iterate(name, range)
      },
    }
    return cache.over(watched)
  }
  const commit = (height: bigint, ...later: readonly Change[]) => {
    store.commit({ height, changes: later })
    cache.advance(height, later)
  }
  const asksOf = (run: () => void) => {
    asked.length = 0
    run()
    return [...asked]
  }
  return { store, cache, open, commit, asksOf }
}

const keysIn = (reader: Pick<Snapshot, 'iterate'>, range?: Range) =>
  [...reader.iterate('bank', range)].map(([key, value]) => `${formatUtf8(key)}=${formatUtf8(value)}`)

test('a key is read once in each store: present, absent or empty', () => {
  const { open, asksOf } = storeWith(change('1', 'other', 'acc'), change('1', 'one'), change('2', hex('')))
  const reader = open()
  const asked = asksOf(() => {
    for (let i = 0; i < 3; i++) {
      expect(text(reader.get('bank', utf8('1')))).toBe('one')
      expect(reader.get('bank', utf8('2'))).toEqual(hex(''))
      expect(reader.has('bank', utf8('2'))).toBe(true)
      expect(reader.get('bank', utf8('3'))).toBeUndefined()
      expect(reader.has('bank', utf8('3'))).toBe(false)
      expect(text(reader.get('acc', utf8('1')))).toBe('other')
      expect(reader.has('acc', utf8('3'))).toBe(false)
    }
  })
  expect(asked).toEqual(['bank 31', 'bank 32', 'bank 33', 'acc 31', 'acc 33'])
})

test('a block reads what the one before did not change from the cache', () => {
  const { open, commit, asksOf } = storeWith(change('a', 'old a'), change('b', 'old b'), change('c', 'old c'))
  const readAll = () => ['a', 'b', 'c', 'd'].map((key) => text(open().get('bank', utf8(key))))
  expect(readAll()).toEqual(['old a', 'old b', 'old c', undefined])
  commit(2n, change('a', 'new a'), change('b'), change('d', 'new d'))
  expect(asksOf(() => expect(readAll()).toEqual(['new a', undefined, 'old c', 'new d']))).toEqual([])
  commit(3n, change('c', new Uint8Array(513).fill(0x78)))
  expect(readAll()[2]).toBe('x'.repeat(513))
  expect(asksOf(readAll)).toEqual(['bank 63'])
})

test('a short iteration is read once until one of its keys changes', () => {
  const { open, commit, asksOf } = storeWith(change('a1', '1'), change('a3', '3'), change('b1', 'x'))
  const range = { start: utf8('a'), end: utf8('b') }
  const iterate = () => [keysIn(open(), range), keysIn(open(), { ...range, reverse: true })]
  const both = (...entries: readonly string[]) => [entries, [...entries].reverse()]
  expect(asksOf(() => expect(iterate()).toEqual(both('a1=1', 'a3=3')))).toEqual(['bank from a', 'bank from a'])
  commit(2n, change('b1', 'y'), change('a2', 'another store', 'acc'))
  expect(asksOf(() => expect(iterate()).toEqual(both('a1=1', 'a3=3')))).toEqual([])
  commit(3n, change('a2', '2'))
  expect(asksOf(() => expect(iterate()).toEqual(both('a1=1', 'a2=2', 'a3=3')))).toEqual(['bank from a', 'bank from a'])
  commit(4n, change('a1'))
  expect(iterate()).toEqual(both('a2=2', 'a3=3'))
})

test('ranges with and without bounds do not share entries', () => {
  const { open } = storeWith(change('a', '1'), change('ab', '2'), change('b', '3'))
  for (let i = 0; i < 2; i++) {
    const reader = open()
    expect(keysIn(reader)).toEqual(['a=1', 'ab=2', 'b=3'])
    expect(keysIn(reader, { start: utf8('ab') })).toEqual(['ab=2', 'b=3'])
    expect(keysIn(reader, { start: utf8('a'), end: utf8('b') })).toEqual(['a=1', 'ab=2'])
    expect(keysIn(reader, { end: utf8('ab') })).toEqual(['a=1'])
    expect(keysIn(reader, { end: hex('') })).toEqual([])
  }
})

test('long iterations are read each time, and are right', () => {
  const many = Array.from({ length: 17 }, (_, i) => change(`k${String(i).padStart(2, '0')}`, `${i}`))
  const { open, asksOf } = storeWith(...many)
  const asked = asksOf(() => {
    for (let i = 0; i < 2; i++) expect(keysIn(open())).toHaveLength(17)
  })
  // The first time it is also read to see that it is long.
  expect(asked).toHaveLength(3)
})

test('the cache has a bounded number of keys and ranges, and begins again when it is full', () => {
  const numbers = Array.from({ length: 20_000 }, (_, i) => i)
  const { open, commit, asksOf } = storeWith(
    ...numbers
      .map((i) => change(`${i}`, `value ${i}`))
      .sort((a, b) => (formatUtf8(a.key) < formatUtf8(b.key) ? -1 : 1)),
  )
  const readAll = () => {
    const reader = open()
    expect(numbers.filter((i) => text(reader.get('bank', utf8(`${i}`))) !== `value ${i}`)).toEqual([])
  }
  readAll()
  expect(asksOf(readAll)).toHaveLength(20_000 - 16_384)
  const iterateAll = () =>
    numbers.slice(0, 300).map((i) => keysIn(open(), { start: utf8(`${i}.`), end: utf8(`${i}/`) }))
  iterateAll()
  expect(asksOf(iterateAll)).toHaveLength(300 - 256)
  commit(2n)
  expect(asksOf(readAll)).toHaveLength(20_000)
  expect(asksOf(iterateAll)).toHaveLength(300)
})

test('after a rollback, an amendment or a commit that it was not told of, nothing is left of the cache', () => {
  const { store, open, commit } = storeWith(change('a', 'one'))
  const read = () => [text(open().get('bank', utf8('a'))), keysIn(open())]
  const shows = (value: string) => expect(read()).toEqual([value, [`a=${value}`]])
  shows('one')
  commit(2n, change('a', 'two'))
  shows('two')
  store.amend([change('a', 'two and a half')], () => [])
  shows('two and a half')
  store.rollback({ height: 1n })
  shows('one')
  commit(2n, change('a', 'another two'))
  shows('another two')
  store.commit({ height: 3n, changes: [change('a', 'three')] })
  shows('three')
})

test('a reader of an earlier state puts nothing into the cache', () => {
  const { store, cache, open } = storeWith(change('a', 'old'))
  const earlier = cache.over({ ...store.at(), get: () => utf8('of the earlier state') })
  store.commit({ height: 2n, changes: [change('b', 'new')] })
  cache.advance(2n, [change('b', 'new')])
  expect(text(earlier.get('bank', utf8('a')))).toBe('of the earlier state')
  expect(text(open().get('bank', utf8('a')))).toBe('old')
})

test('cached bytes keep no larger memory', () => {
  const { cache, store } = storeWith(change('a', 'one'))
  const base = store.at()
  const part = (bytes: Uint8Array) => {
    const memory = new Uint8Array(16_384)
    memory.set(bytes)
    return memory.subarray(0, bytes.length)
  }
  const reader = cache.over({
    ...base,
    get: (name, key) => part(base.get(name, key)!),
    iterate: (name, range) => [...base.iterate(name, range)].map(([k, v]) => [part(k), part(v)] as const).values(),
  })
  store.commit({ height: 2n, changes: [change('b', 'two')] })
  reader.get('bank', utf8('a'))
  keysIn(reader)
  cache.advance(2n, [{ store: 'bank', key: utf8('c'), value: part(utf8('three')) }])
  const later = cache.over(store.at())
  const cached = ['a', 'c'].map((key) => later.get('bank', utf8(key))!)
  expect(cached.map(formatUtf8)).toEqual(['one', 'three'])
  const iterated = [...later.iterate('bank', { end: utf8('b') })].flat()
  expect([...cached, ...iterated].map(({ buffer, length }) => buffer.byteLength - length)).toEqual([0, 0, 0, 0])
})

test('a branch over it shows its own writes and those of runs', () => {
  const { open } = storeWith(change('a', 'old a'), change('b', 'old b'), change('c', 'old c'))
  const branch = createBranch(open())
  const shown = () => ['a', 'b', 'c', 'd'].map((key) => text(branch.get('bank', utf8(key))))
  expect(shown()).toEqual(['old a', 'old b', 'old c', undefined])
  branch.set('bank', utf8('a'), utf8('new a'))
  branch.delete('bank', utf8('b'))
  expect(shown()).toEqual(['new a', undefined, 'old c', undefined])
  expect(keysIn(branch)).toEqual(['a=new a', 'c=old c'])
  branch.writeRun('bank', [
    [utf8('c'), utf8('run c')],
    [utf8('d'), utf8('run d')],
  ])
  expect(shown()).toEqual(['new a', undefined, 'run c', 'run d'])
  expect(keysIn(branch)).toEqual(['a=new a', 'c=run c', 'd=run d'])
  expect(() => branch.writeRun('nowhere', [])).toThrow('store "nowhere" is not declared')
})
