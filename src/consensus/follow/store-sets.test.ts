import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Change } from '../../store/types.ts'
import { canChangeStores, otherStores } from './store-sets.ts'

const hash = (...parts: Uint8Array[]): Uint8Array => {
  const hasher = createHash('sha256')
  for (const part of parts) hasher.update(part)
  return new Uint8Array(hasher.digest())
}

/** The app hash as RFC 6962 and the multi-store define it, without the code under test: leaves of `len name 32 sha256(root)`. */
function appHashOf(roots: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const leaves = [...roots.keys()]
    .sort()
    .map((name) => hash(Uint8Array.of(0, name.length), Buffer.from(name), Uint8Array.of(32), hash(roots.get(name)!)))
  const rootOf = (part: Uint8Array[]): Uint8Array => {
    if (part.length === 1) return part[0]!
    let split = 1
    while (split * 2 < part.length) split *= 2
    return hash(Uint8Array.of(1), rootOf(part.slice(0, split)), rootOf(part.slice(split)))
  }
  return rootOf(leaves)
}

const root = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)
const EMPTY_ROOT = hash()
const here = new Map([
  ['acc', root(1)],
  ['bank', root(2)],
  ['crisis', EMPTY_ROOT],
  ['evm', root(3)],
  ['params', root(4)],
  ['upgrade', root(5)],
])
const written: Change[] = ['bank', 'upgrade'].map((store) => ({ store, key: root(0), value: root(0) }))
const without = (...names: string[]) => new Map([...here].filter(([name]) => !names.includes(name)))
const search = (theirs: ReadonlyMap<string, Uint8Array>, more: Partial<Parameters<typeof otherStores>[0]> = {}) => [
  ...otherStores({
    roots: here,
    appHash: appHashOf(theirs),
    written,
    added: [],
    known: [...here.keys(), 'feeibc', 'wasm'],
    ...more,
  }),
]

test('a chain that began with fewer stores is found by its app hash', () => {
  expect(search(without('params', 'crisis'))).toEqual([{ added: [], deleted: ['crisis', 'params'] }])
})

test('a store that comes empty and one that goes are found together', () => {
  const theirs = new Map([...without('crisis'), ['wasm', EMPTY_ROOT]])
  expect(search(theirs)).toEqual([{ added: ['wasm'], deleted: ['crisis'] }])
})

test('a store that the block wrote to never goes, and other hashes find nothing', () => {
  expect(search(without('bank'))).toEqual([])
  expect(search(new Map([...here, ['acc', root(9)]]))).toEqual([])
})

test('a store that only the changes name can be each store that the block did not write to, under a new name', () => {
  const roots = new Map([...here, ['memos', root(7)]])
  const tried = search(new Map([...here, ['acc', root(9)]]), {
    roots,
    added: ['memos'],
    written: [...written, { store: 'memos', key: root(0), value: root(0) }],
  })
  expect(tried).toEqual(
    ['acc', 'crisis', 'evm', 'params'].map((from) => ({ added: [], renamed: [{ from, to: 'memos' }] })),
  )
})

test('only the first block and that of an upgrade can change the stores', () => {
  const plan: Change = { store: 'upgrade', key: Uint8Array.of(0), value: undefined }
  expect(canChangeStores(written, true)).toBe(true)
  expect(canChangeStores(written, false)).toBe(false)
  expect(canChangeStores([...written, plan], false)).toBe(true)
  expect(canChangeStores([{ ...plan, store: 'bank' }], false)).toBe(false)
})
