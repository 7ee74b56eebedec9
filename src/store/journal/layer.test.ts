import { expect, test } from 'vitest'
import { formatUtf8, utf8 } from '../../primitives/bytes.ts'
import { seeded } from '../testing/backend-contract.ts'
import { createOutput } from '../varint.ts'
import { type HashSecret, hashKey } from './key-hash.ts'
import { createLayer, type Layer } from './layer.ts'
import { DELETED, putVersion } from './versions.ts'

/** Writes by their number: what each gave its keys; `null` where it took them away. */
type Model = Map<number, Map<string, string | null>>

const SECRETS = [
  [0, 0],
  [0x12345678, -5],
] as const

function lay(layer: Layer, model: Model, number: number, key: string, value: string | null): void {
  const version = { key: utf8(key), value: value === null ? undefined : utf8(value) }
  layer.lay(number, putVersion(createOutput(), version))
  const write = model.get(number) ?? new Map()
  model.set(number, write.set(key, value))
}

/** What each key has as of a write, in the order of the keys. */
function expected(model: Model, upTo: number): [string, string | null][] {
  const all = new Map<string, string | null>()
  for (const [number, write] of model) if (number <= upTo) for (const [key, value] of write) all.set(key, value)
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1))
}

const shown = (covers: Iterable<{ key: Uint8Array; value: Uint8Array | undefined }>) =>
  Array.from(covers, ({ key, value }) => [formatUtf8(key), value ? formatUtf8(value) : null])

function find(layer: Layer, secret: HashSecret, text: string, upTo: number): ReturnType<Layer['find']> {
  const key = utf8(text)
  return layer.find(key, hashKey(key, 0, key.length, secret), upTo)
}

const keyOf = (below: (n: number) => number) => String(below(900)).padStart(1 + below(4), 'k')

test.each(SECRETS)('a layer shows every write what there was as of it (secret %i %i)', (...secret) => {
  const below = seeded(5)
  const layer = createLayer(7, secret)
  const model: Model = new Map()
  for (let number = 7; number < 60; number++) {
    for (let i = below(80); i >= 0; i--) {
      lay(layer, model, number, keyOf(below), below(4) === 0 ? null : `${below(1000)}`)
    }
    if (below(4) === 0) {
      layer.undo(number)
      model.delete(number)
    }
    const upTo = below(3) === 0 ? Number.POSITIVE_INFINITY : 7 + below(number - 6)
    const all = expected(model, upTo)
    expect(shown(layer.covers({}, upTo))).toEqual(all)
    expect(shown(layer.covers({ reverse: true }, upTo))).toEqual([...all].reverse())
    const [start, end] = [keyOf(below), keyOf(below)]
    const within = all.filter(([key]) => key >= start && key < end)
    const range = { start: utf8(start), end: utf8(end) }
    expect(shown(layer.covers(range, upTo))).toEqual(within)
    expect(shown(layer.covers({ ...range, reverse: true }, upTo))).toEqual(within.reverse())
    for (let i = 0; i < 20; i++) {
      const key = keyOf(below)
      const found = find(layer, secret, key, upTo)
      const value = found === DELETED ? null : found && formatUtf8(found)
      expect(value).toBe(all.find(([name]) => name === key)?.[1])
    }
  }
  const newest = Array.from({ length: layer.keyCount() }, (_, i) => layer.newestAt(i)).filter(
    (row) => row !== undefined,
  )
  expect(shown(newest)).toEqual(expected(model, 60))
  const rows = [...model.values()].flatMap((write) => [...write])
  expect(layer.rowCount()).toBeGreaterThanOrEqual(rows.length)
})

test('rows and bytes that a write laid are no longer counted when it is undone', () => {
  const layer = createLayer(1, SECRETS[1])
  const model: Model = new Map()
  lay(layer, model, 1, 'one', '1234')
  lay(layer, model, 2, 'one', '12')
  lay(layer, model, 2, 'three', null)
  expect([layer.rowCount(), layer.sizeBytes()]).toEqual([3, 7 + 5 + 5])
  layer.undo(3)
  layer.undo(2)
  expect([layer.rowCount(), layer.sizeBytes()]).toEqual([1, 7])
  expect(shown(layer.covers({}, 9))).toEqual([['one', '1234']])
  lay(layer, model, 2, 'three', '3')
  expect(formatUtf8(find(layer, SECRETS[1], 'three', 2) as Uint8Array)).toBe('3')
})

test('a walk goes on where it was while thousands of keys come', () => {
  const layer = createLayer(1, SECRETS[0])
  const model: Model = new Map()
  const name = (n: number) => String(n).padStart(5, '0')
  for (let n = 0; n < 9_000; n += 3) lay(layer, model, 1, name(n), '')
  const up = layer.covers({}, 1)
  const down = layer.covers({ reverse: true }, 1)
  for (let n = 0; n < 9_000; n += 3) {
    expect(formatUtf8(up.next().value!.key)).toBe(name(n))
    expect(formatUtf8(down.next().value!.key)).toBe(name(8_997 - n))
    lay(layer, model, 2, name(8_998 - n), '')
  }
  expect(up.next().done).toBe(true)
  expect(down.next().done).toBe(true)
  expect(layer.keyCount()).toBe(6_000)
})
