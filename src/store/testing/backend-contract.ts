/** The contract of a backend: one test suite for memory and disk. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { compare, formatHex, formatUtf8, hex, utf8 } from '../../primitives/bytes.ts'
import { type Backend, MAX_ROW_KEY } from '../backend/backend.ts'
import { compareTexts } from '../order.ts'
import type { Change, Range, Tables } from '../types.ts'

export interface BackendMaker {
  open(): Backend
  /** Opens the closed backend of the last `open` again; undefined if its rows end with it. */
  reopen: (() => Backend) | undefined
  clean(): void
}

/** Returns a seeded generator of numbers below `n`. */
export function seeded(seed: number): (n: number) => number {
  let state = seed
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 8) % n
  }
}

/** Stores that random blocks write to. */
export const STORES = ['acc', 'bank', 'evm']

/** Returns the writes of a random block, sorted as a branch returns them. */
export function randomBlock(below: (n: number) => number, count = 20): Change[] {
  const changes = new Map<string, Change>()
  // One key changes so often that its references fill several rows.
  if (below(8) > 0) {
    const value = below(9) === 0 ? undefined : Uint8Array.of(below(256))
    changes.set('bank 01', { store: 'bank', key: Uint8Array.of(1), value })
  }
  for (let i = 0; i < count; i++) {
    const store = STORES[below(3)]!
    const key = Uint8Array.of(below(4) === 0 ? 0xff : 1, below(24)).subarray(0, 1 + below(2))
    const value = below(3) === 0 ? undefined : Uint8Array.from({ length: below(4) }, () => below(256))
    changes.set(`${store} ${formatHex(key)}`, { store, key, value })
  }
  return [...changes].sort(([a], [b]) => compareTexts(a, b)).map(([, change]) => change)
}

const keysOf = (tables: Tables, table: string, range?: Range) =>
  [...tables.iterate(table, range)].map(([key]) => formatHex(key))

/** Declares the tests of a backend. */
export function backendContract(name: string, maker: BackendMaker): void {
  describe(`${name} as a backend`, () => {
    let backend: Backend
    beforeEach(() => {
      backend = maker.open()
    })
    afterEach(async () => {
      await backend.close()
      maker.clean()
    })

    test('written rows are read, an empty value is present, an unwritten row is absent', () => {
      backend.write([
        { table: 'a', key: utf8('k'), value: utf8('v') },
        { table: 'a', key: utf8('empty'), value: hex('') },
        { table: 'b', key: utf8('k'), value: utf8('other') },
      ])
      expect(backend.get('a', utf8('k'))).toEqual(utf8('v'))
      expect(backend.get('a', utf8('empty'))).toEqual(hex(''))
      expect(backend.get('b', utf8('k'))).toEqual(utf8('other'))
      expect(backend.get('a', utf8('x'))).toBeUndefined()
      expect(backend.get('never', utf8('x'))).toBeUndefined()
      expect([...backend.iterate('never')]).toEqual([])
    })

    test('values of any size are read whole, and do not change later', () => {
      const sizes = [0, 1, 100, 2000, 5000, 100_000]
      const value = (size: number) => Uint8Array.from({ length: size }, (_, i) => (i * 7 + size) & 0xff)
      backend.write(sizes.map((size) => ({ table: 'v', key: utf8(`k${size}`), value: value(size) })))
      const kept = sizes.map((size) => backend.get('v', utf8(`k${size}`)))
      for (const size of sizes) backend.get('v', utf8(`k${size}`))
      expect(kept.map((bytes, i) => compare(bytes!, value(sizes[i]!)))).toEqual(sizes.map(() => 0))
    })

    test('ranges run in byte order, start included, end not, in both directions', () => {
      const keys = ['00', '01', '0100', '7f', '80', 'ff', 'ff00']
      backend.write(keys.map((key) => ({ table: 't', key: hex(key), value: hex(key) })))
      expect(keysOf(backend, 't')).toEqual(keys)
      expect(keysOf(backend, 't', { reverse: true })).toEqual([...keys].reverse())
      const middle = { start: hex('01'), end: hex('80') }
      expect(keysOf(backend, 't', middle)).toEqual(['01', '0100', '7f'])
      expect(keysOf(backend, 't', { ...middle, reverse: true })).toEqual(['7f', '0100', '01'])
      expect(keysOf(backend, 't', { start: hex('02'), end: hex('81'), reverse: true })).toEqual(['80', '7f'])
      expect(keysOf(backend, 't', { start: hex('ff01') })).toEqual([])
      expect(keysOf(backend, 't', { start: hex('80'), end: hex('01') })).toEqual([])
      expect(keysOf(backend, 't', { start: hex('80'), end: hex('80'), reverse: true })).toEqual([])
      expect(keysOf(backend, 't', { start: hex('') })).toEqual(keys)
    })

    test.each([1, 2, 3])('random writes leave the contents of a model (seed %i)', (seed) => {
      const below = seeded(seed)
      const model = new Map<string, string>()
      for (let batch = 0; batch < 40; batch++) {
        const rows = Array.from({ length: 60 }, () => {
          const key = Uint8Array.of(below(8), below(40)).subarray(0, 1 + below(2))
          return { table: 't', key, value: below(4) === 0 ? undefined : Uint8Array.of(below(256)) }
        })
        backend.write(rows)
        for (const { key, value } of rows) {
          if (value) model.set(formatHex(key), formatHex(value))
          else model.delete(formatHex(key))
        }
      }
      const expected = [...model].sort(([a], [b]) => (a < b ? -1 : 1))
      expect([...backend.iterate('t')].map(([k, v]) => [formatHex(k), formatHex(v)])).toEqual(expected)
      const start = Uint8Array.of(3)
      const tail = expected.filter(([k]) => k >= '03').reverse()
      expect([...backend.iterate('t', { start, reverse: true })].map(([k, v]) => [formatHex(k), formatHex(v)])).toEqual(
        tail,
      )
    })

    test('a write whose source fails half way writes nothing', () => {
      function* failing() {
        yield { table: 't', key: utf8('a'), value: utf8('1') }
        throw new Error('no more')
      }
      expect(() => backend.write(failing())).toThrow('no more')
      expect(backend.get('t', utf8('a'))).toBeUndefined()
      backend.write([{ table: 't', key: utf8('b'), value: utf8('2') }])
      expect(keysOf(backend, 't')).toEqual([formatHex(utf8('b'))])
    })

    test('keys that are too long cannot be written, are not found, and bound ranges as if they existed', () => {
      const long = (length: number, last: number) =>
        Uint8Array.from({ length }, (_, i) => (i === length - 1 ? last : 7))
      const longest = long(MAX_ROW_KEY - 4, 7)
      backend.write([{ table: 'head', key: longest, value: hex('01') }])
      backend.write([{ table: 'head', key: utf8('z'), value: hex('02') }])
      for (const [table, size] of [
        ['head', 5000],
        ['other', MAX_ROW_KEY - 4],
      ] as const) {
        expect(() => backend.write([{ table, key: long(size, 1), value: hex('') }])).toThrow(`a key of ${size} bytes`)
        expect(backend.get(table, long(size, 1))).toBeUndefined()
      }
      const beyond = long(5000, 7)
      expect([...backend.iterate('head', { start: beyond })].map(([, value]) => value)).toEqual([hex('02')])
      expect([...backend.iterate('head', { end: beyond })].map(([, value]) => value)).toEqual([hex('01')])
      expect([...backend.iterate('head', { end: beyond, reverse: true })].map(([, value]) => value)).toEqual([
        hex('01'),
      ])
      expect([...backend.iterate('other', { start: beyond, reverse: true })]).toEqual([])
    })

    test('an iteration is not disturbed by writes made meanwhile', () => {
      const rows = (from: number) =>
        Array.from({ length: 2000 }, (_, i) => ({ table: 't', key: utf8(String(from + i * 2)), value: utf8('v') }))
      backend.write(rows(100_000))
      const seen: string[] = []
      for (const [key] of backend.iterate('t')) {
        seen.push(formatUtf8(key))
        if (seen.length === 500) backend.write(rows(100_001))
      }
      expect([...new Set(seen)].length).toBe(seen.length)
      expect(seen.filter((key) => Number(key) % 2 === 0)).toHaveLength(2000)
      expect([...seen].sort(compareTexts)).toEqual(seen)
    })

    test('an isolated view does not see later writes', () => {
      backend.write([{ table: 't', key: utf8('k'), value: utf8('old') }])
      const view = backend.read()
      backend.write([{ table: 't', key: utf8('k'), value: utf8('new') }])
      expect(formatUtf8(view.get('t', utf8('k'))!)).toBe(backend.isolates ? 'old' : 'new')
      expect(formatUtf8(backend.get('t', utf8('k'))!)).toBe('new')
      const later = backend.read()
      expect(formatUtf8(later.get('t', utf8('k'))!)).toBe('new')
      expect(later.peek('t', utf8('k'), (bytes) => formatUtf8(bytes))).toBe('new')
      expect(later.peek('t', utf8('none'), () => true)).toBeUndefined()
      view.close()
      later.close()
    })

    test('rows outlive closing if the backend is durable', async () => {
      if (!maker.reopen) {
        expect(backend.isolates).toBe(false)
        return
      }
      backend.write([{ table: 't', key: utf8('k'), value: utf8('v') }])
      await backend.close()
      backend = maker.reopen()
      expect(backend.get('t', utf8('k'))).toEqual(utf8('v'))
    })

    test('the size grows with what is written', () => {
      const before = backend.sizeBytes()
      backend.write([{ table: 't', key: utf8('k'), value: new Uint8Array(200_000) }])
      expect(backend.sizeBytes() - before).toBeGreaterThan(199_000)
    })

    test('rows are in use, and at most as large as the backend', () => {
      backend.write([{ table: 't', key: utf8('k'), value: new Uint8Array(200_000) }])
      expect(backend.usedBytes()).toBeGreaterThan(199_000)
      expect(backend.usedBytes()).toBeLessThanOrEqual(backend.sizeBytes())
    })
  })
}
