import { expect, test } from 'vitest'
import { formatUtf8, utf8 } from '../../primitives/bytes.ts'
import { createOutput } from '../../primitives/varint.ts'
import { seeded } from '../testing/backend-contract.ts'
import { type HashSecret, hashKey } from './key-hash.ts'
import { createOverlay, type Overlay } from './overlay.ts'
import { DELETED, putVersion } from './versions.ts'

/** Writes by number: the values of their keys, `null` for a deletion. */
type Model = Map<number, Map<string, string | null>>

const SECRETS = [
  [0, 0],
  [0x12345678, -5],
] as const

function add(overlay: Overlay, model: Model, number: number, key: string, value: string | null): void {
  const version = { key: utf8(key), value: value === null ? undefined : utf8(value) }
  overlay.add(number, putVersion(createOutput(), version))
  const write = model.get(number) ?? new Map()
  model.set(number, write.set(key, value))
}

/** Returns the value of each key as of a write, in key order. */
function expected(model: Model, upTo: number): [string, string | null][] {
  const all = new Map<string, string | null>()
  for (const [number, write] of model) if (number <= upTo) for (const [key, value] of write) all.set(key, value)
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1))
}

const shown = (entries: Iterable<{ key: Uint8Array; value: Uint8Array | undefined }>) =>
  Array.from(entries, ({ key, value }) => [formatUtf8(key), value ? formatUtf8(value) : null])

function find(overlay: Overlay, secret: HashSecret, text: string, upTo: number): ReturnType<Overlay['find']> {
  const key = utf8(text)
  return overlay.find(key, hashKey(key, 0, key.length, secret), upTo)
}

const keyOf = (below: (n: number) => number) => String(below(900)).padStart(1 + below(4), 'k')

test.each(SECRETS)('an overlay shows the rows as of any write (secret %i %i)', (...secret) => {
  const below = seeded(5)
  const overlay = createOverlay(7, secret)
  const model: Model = new Map()
  for (let number = 7; number < 60; number++) {
    for (let i = below(80); i >= 0; i--) {
      add(overlay, model, number, keyOf(below), below(4) === 0 ? null : `${below(1000)}`)
    }
    if (below(4) === 0) {
      overlay.undo(number)
      model.delete(number)
    }
    const upTo = below(3) === 0 ? Number.POSITIVE_INFINITY : 7 + below(number - 6)
    const all = expected(model, upTo)
    expect(shown(overlay.entries({}, upTo))).toEqual(all)
    expect(shown(overlay.entries({ reverse: true }, upTo))).toEqual([...all].reverse())
    const [start, end] = [keyOf(below), keyOf(below)]
    const within = all.filter(([key]) => key >= start && key < end)
    const range = { start: utf8(start), end: utf8(end) }
    expect(shown(overlay.entries(range, upTo))).toEqual(within)
    expect(shown(overlay.entries({ ...range, reverse: true }, upTo))).toEqual(within.reverse())
    for (let i = 0; i < 20; i++) {
      const key = keyOf(below)
      const found = find(overlay, secret, key, upTo)
      const value = found === DELETED ? null : found && formatUtf8(found)
      expect(value).toBe(all.find(([name]) => name === key)?.[1])
    }
  }
  const newest = Array.from({ length: overlay.keyCount() }, (_, i) => overlay.newestAt(i)).filter(
    (row) => row !== undefined,
  )
  expect(shown(newest)).toEqual(expected(model, 60))
  const rows = [...model.values()].flatMap((write) => [...write])
  expect(overlay.rowCount()).toBeGreaterThanOrEqual(rows.length)
})

test('undoing a write removes its rows and bytes from the counts', () => {
  const overlay = createOverlay(1, SECRETS[1])
  const model: Model = new Map()
  add(overlay, model, 1, 'one', '1234')
  add(overlay, model, 2, 'one', '12')
  add(overlay, model, 2, 'three', null)
  expect([overlay.rowCount(), overlay.sizeBytes()]).toEqual([3, 7 + 5 + 5])
  overlay.undo(3)
  overlay.undo(2)
  expect([overlay.rowCount(), overlay.sizeBytes()]).toEqual([1, 7])
  expect(shown(overlay.entries({}, 9))).toEqual([['one', '1234']])
  add(overlay, model, 2, 'three', '3')
  expect(formatUtf8(find(overlay, SECRETS[1], 'three', 2) as Uint8Array)).toBe('3')
})

test('a walk is not disturbed by thousands of keys added during it', () => {
  const overlay = createOverlay(1, SECRETS[0])
  const model: Model = new Map()
  const name = (n: number) => String(n).padStart(5, '0')
  for (let n = 0; n < 9_000; n += 3) add(overlay, model, 1, name(n), '')
  const up = overlay.entries({}, 1)
  const down = overlay.entries({ reverse: true }, 1)
  for (let n = 0; n < 9_000; n += 3) {
    expect(formatUtf8(up.next().value!.key)).toBe(name(n))
    expect(formatUtf8(down.next().value!.key)).toBe(name(8_997 - n))
    add(overlay, model, 2, name(8_998 - n), '')
  }
  expect(up.next().done).toBe(true)
  expect(down.next().done).toBe(true)
  expect(overlay.keyCount()).toBe(6_000)
})
