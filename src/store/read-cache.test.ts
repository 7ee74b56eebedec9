import { expect, test } from 'vitest'
import { formatHex, formatUtf8, hex, utf8 } from '../primitives/bytes.ts'
import { openMemory } from './backend/memory.ts'
import { createBranch, createEmptyBranch } from './branch.ts'
import { cacheReads } from './read-cache.ts'
import { openTestStore } from './testing/test-store.ts'
import type { Reader } from './types.ts'

/** Makes a reader that lists its reads. */
function watched(base: Reader): { readonly reader: Reader; readonly asked: string[] } {
  const asked: string[] = []
  const reader: Reader = {
    ...base,
    get(store, key) {
      asked.push(`${store} ${formatHex(key)}`)
      return base.get(store, key)
    },
    has() {
      throw new Error('a present key is cached with its value')
    },
  }
  return { reader, asked }
}

test('a key is read once in each store: present, absent or empty', () => {
  const base = createEmptyBranch()
  base.set('a', hex('01'), utf8('one'))
  base.set('a', hex('02'), hex(''))
  base.set('b', hex('01'), utf8('other'))
  const { reader, asked } = watched(base)
  const known = cacheReads(reader)
  for (let i = 0; i < 3; i++) {
    expect(known.get('a', hex('01'))).toEqual(utf8('one'))
    expect(known.get('a', hex('02'))).toEqual(hex(''))
    expect(known.has('a', hex('02'))).toBe(true)
    expect(known.get('a', hex('03'))).toBeUndefined()
    expect(known.has('a', hex('03'))).toBe(false)
    expect(known.get('b', hex('01'))).toEqual(utf8('other'))
    expect(known.has('b', hex('03'))).toBe(false)
  }
  expect(asked).toEqual(['a 01', 'a 02', 'a 03', 'b 01', 'b 03'])
})

test('long values, and keys beyond the limit, are read again and are right', () => {
  const base = createEmptyBranch()
  base.set('s', utf8('code'), new Uint8Array(257).fill(7))
  const { reader, asked } = watched(base)
  const known = cacheReads(reader)
  for (let i = 0; i < 2; i++) expect(known.get('s', utf8('code'))).toEqual(new Uint8Array(257).fill(7))
  expect(asked.length).toBe(2)
  for (let i = 0; i < 20_000; i++) base.set('s', utf8(`${i}`), utf8(`value ${i}`))
  for (let round = 0; round < 2; round++) {
    const numbers = Array.from({ length: 20_000 }, (_, i) => i)
    expect(numbers.filter((i) => formatUtf8(known.get('s', utf8(`${i}`))!) !== `value ${i}`)).toEqual([])
  }
  expect(asked.length).toBe(2 + 20_000 + 20_000 - 16_384)
})

test('a branch over it shows its own writes and those of runs', () => {
  const store = openTestStore(openMemory(), { keepHeights: 4 })
  const changes = ['a', 'b', 'c'].map((key) => ({ store: 'bank', key: utf8(key), value: utf8(`old ${key}`) }))
  store.commit({ height: 1n, changes })
  const base = store.at()
  const branch = createBranch(cacheReads(base))
  const shown = () =>
    ['a', 'b', 'c', 'd'].map((key) => branch.get('bank', utf8(key))).map((value) => value && formatUtf8(value))
  expect(shown()).toEqual(['old a', 'old b', 'old c', undefined])
  branch.set('bank', utf8('a'), utf8('new a'))
  branch.delete('bank', utf8('b'))
  expect(shown()).toEqual(['new a', undefined, 'old c', undefined])
  branch.writeRun('bank', [
    [utf8('c'), utf8('run c')],
    [utf8('d'), utf8('run d')],
  ])
  expect(shown()).toEqual(['new a', undefined, 'run c', 'run d'])
  expect(() => branch.writeRun('nowhere', [])).toThrow('store "nowhere" is not declared')
  base.close()
})
