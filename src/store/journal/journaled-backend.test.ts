import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatHex, formatUtf8, utf8 } from '../../primitives/bytes.ts'
import type { Backend } from '../backend/backend.ts'
import { openMemory } from '../backend/memory.ts'
import { JOURNAL, STORE_TABLES } from '../tables.ts'
import { backendContract, seeded } from '../testing/backend-contract.ts'
import type { Tables, TableWrite } from '../types.ts'
import { withJournal } from './journaled-backend.ts'

const lmdb = await import('../../node/lmdb.ts')
const openLmdb = (folder: string, options: object) => lmdb.openLmdb(folder, { ...options, tables: STORE_TABLES })

/** So small that rows drain all the time. */
const SMALL = { rows: 50, bytes: 100_000, rowsOfWrite: 40 }
const SECRET = [1, 2] as const

let path = ''
const over = () => withJournal(openLmdb(path, { noSync: true }), 't', { limits: SMALL, secret: SECRET })

backendContract('LMDB with a journaled table', {
  open() {
    path = mkdtempSync(join(tmpdir(), 'almanac-journal-'))
    return over()
  },
  reopen: over,
  clean: () => rmSync(path, { recursive: true, force: true }),
})

type Model = ReadonlyMap<string, string>

const row = (n: number, value: string | undefined): TableWrite => ({
  table: 't',
  key: utf8(String(n).padStart(3, '0')),
  value: value === undefined ? undefined : utf8(value),
})

function shown(tables: Tables, reverse = false): [string, string][] {
  return Array.from(tables.iterate('t', { reverse }), ([key, value]) => [formatUtf8(key), formatUtf8(value)])
}

const expected = (model: Model) => [...model].sort(([a], [b]) => (a < b ? -1 : 1))

/** Returns random rows, and the contents of the table after them. */
function randomRows(below: (n: number) => number, model: Model, count: number) {
  const after = new Map(model)
  const rows = Array.from({ length: count }, () => {
    const made = row(below(300), below(4) === 0 ? undefined : `${below(1000)}`)
    if (made.value) after.set(formatUtf8(made.key), formatUtf8(made.value))
    else after.delete(formatUtf8(made.key))
    return made
  })
  return { rows, after }
}

/** Returns a size of write: most are small, some drain everything at once. */
const sizeOf = (below: (n: number) => number) => (below(12) === 0 ? 30 + below(60) : 1 + below(12))

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-journal-'))
  try {
    await run(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test.each([11, 12, 13])(
  'writers, readers, open views and new openings see the rows they should (seed %i)',
  async (seed) => {
    await inFolder(async (folder) => {
      const below = seeded(seed)
      const open = () => withJournal(openLmdb(folder, { noSync: true }), 't', { limits: SMALL, secret: SECRET })
      let writer = open()
      const reader = withJournal(openLmdb(folder, { readOnly: true }), 't', { limits: SMALL, secret: SECRET })
      let model: Model = new Map()
      const views: { readonly view: ReturnType<Backend['read']>; readonly model: Model }[] = []
      for (let round = 0; round < 150; round++) {
        const { rows, after } = randomRows(below, model, sizeOf(below))
        if (below(6) === 0) {
          // A write that fails half way, perhaps after everything has drained.
          const failing = function* () {
            yield* rows
            throw new Error('no more')
          }
          expect(() => writer.write(failing())).toThrow('no more')
        } else {
          writer.write(rows)
          model = after
        }
        expect(shown(writer)).toEqual(expected(model))
        expect(shown(writer, true)).toEqual(expected(model).reverse())
        // A reader reads now and then, so that it misses different numbers of writes.
        if (below(5) === 0) {
          const view = reader.read()
          expect(shown(view)).toEqual(expected(model))
          views.push({ view, model })
        }
        if (below(5) === 0) views.push({ view: writer.read(), model })
        const sample = views[below(Math.max(1, views.length))]
        if (sample) {
          expect(shown(sample.view)).toEqual(expected(sample.model))
          const { key } = row(below(300), undefined)
          const value = sample.model.get(formatUtf8(key))
          const found = sample.view.get('t', key)
          expect(found && formatUtf8(found)).toBe(value)
          expect(sample.view.peek('t', key, formatUtf8)).toBe(value)
        }
        if (views.length > 6) views.shift()!.view.close()
        if (below(20) === 0) {
          for (const { view } of views.splice(0)) view.close()
          await writer.close()
          writer = open()
          expect(shown(writer)).toEqual(expected(model))
        }
      }
      for (const { view } of views) view.close()
      await reader.close()
      await writer.close()
      // Closing drains the journal.
      const plain = openLmdb(folder, { readOnly: true })
      expect(shown(plain)).toEqual(expected(model))
      expect([...plain.iterate(JOURNAL)]).toEqual([])
      await plain.close()
    })
  },
)

test('the next opening reads the journal of a backend that was not closed', () => {
  const below = seeded(3)
  const disk = openMemory()
  let model: Model = new Map()
  for (let opening = 0; opening < 40; opening++) {
    const backend = withJournal(disk, 't', { limits: SMALL, secret: SECRET })
    expect(shown(backend)).toEqual(expected(model))
    for (let round = 0; round < below(20); round++) {
      const { rows, after } = randomRows(below, model, sizeOf(below))
      backend.write(rows)
      model = after
    }
    expect(shown(backend)).toEqual(expected(model))
  }
})

test.each([4, 60])(
  'a write of %i rows that fails after it is on disk counts, and earlier rows are not lost',
  async (count) => {
    await inFolder(async (folder) => {
      const disk = openLmdb(folder, { noSync: true })
      let fails = false
      const write: Backend['write'] = (rows) => {
        disk.write(rows)
        if (fails) throw new Error('too late')
      }
      const open = () => withJournal({ ...disk, write, close: async () => {} }, 't', { limits: SMALL, secret: SECRET })
      const below = seeded(9)
      let model: Model = new Map()
      const add = (backend: Backend, size: number) => {
        const { rows, after } = randomRows(below, model, size)
        model = after
        backend.write(rows)
      }
      const backend = open()
      for (let round = 0; round < 15; round++) add(backend, 8)
      fails = true
      expect(() => add(backend, count)).toThrow('too late')
      fails = false
      expect(shown(open())).toEqual(expected(model))
      add(backend, 8)
      expect(shown(backend)).toEqual(expected(model))
      fails = true
      expect(() => add(backend, count)).toThrow('too late')
      fails = false
      await backend.close()
      expect(shown(open())).toEqual(expected(model))
      expect(shown(disk)).toEqual(expected(model))
      await disk.close()
    })
  },
)

test('a write reads the rows it has yielded so far, before and after everything drains', () => {
  const backend = withJournal(openMemory(), 't', { limits: SMALL, secret: SECRET })
  const found: (string | undefined)[] = []
  const rows = function* () {
    for (let n = 0; n < 100; n++) {
      yield row(n, `${n}`)
      const before = backend.get('t', row(Math.floor(n / 2), undefined).key)
      found.push(before && formatUtf8(before))
    }
  }
  backend.write(rows())
  expect(found).toEqual(Array.from({ length: 100 }, (_, n) => String(Math.floor(n / 2))))
})

test('the journal does not grow, and rows drain within the limits', () => {
  const disk = openMemory()
  const backend = withJournal(disk, 't', {
    limits: { rows: 1000, bytes: 10_000_000, rowsOfWrite: 500 },
    secret: SECRET,
  })
  const pieces: number[] = []
  for (let round = 0; round < 400; round++) {
    backend.write(Array.from({ length: 30 }, (_, i) => row((round * 37 + i * 11) % 300, `${round}`.repeat(20))))
    pieces.push([...disk.iterate(JOURNAL)].length)
  }
  expect(Math.max(...pieces.slice(200))).toBeLessThanOrEqual(Math.max(...pieces.slice(100, 200)) + 5)
  // Every row in the table was written at most two full overlays ago.
  const oldest = Math.min(...shown(disk).map(([, value]) => Number(value.slice(0, value.length / 20))))
  expect(oldest).toBeGreaterThan(400 - 2 * Math.ceil(1000 / 30) - 20)
  const journal = [...disk.iterate(JOURNAL)].map(([key]) => formatHex(key))
  expect(journal).toEqual([...journal].sort())
})

test('large values fill an overlay by their bytes', () => {
  const disk = openMemory()
  const backend = withJournal(disk, 't', { limits: { rows: 1000, bytes: 100_000, rowsOfWrite: 500 }, secret: SECRET })
  for (let n = 0; n < 30; n++) backend.write([row(n, 'v'.repeat(20_000))])
  expect([...disk.iterate('t')].length).toBeGreaterThan(15)
  expect(shown(backend)).toHaveLength(30)
})

test('values longer than a buffer are read from the journal, after reopening, and from the table', () => {
  const disk = openMemory()
  const open = () =>
    withJournal(disk, 't', { limits: { rows: 6, bytes: 10_000_000, rowsOfWrite: 500 }, secret: SECRET })
  const sizes = [0, 65_500, 3, 65_536, 70_000, 200_000, 1]
  const value = (n: number) => String.fromCharCode(97 + n).repeat(sizes[n % sizes.length]!)
  let backend = open()
  for (let n = 0; n < 21; n++) {
    backend.write([row(n, value(n)), row(100 + n, value(n + 1))])
    if (n % 4 === 0) backend = open()
    for (let m = 0; m <= n; m++) {
      expect(formatUtf8(backend.get('t', row(m, undefined).key)!) === value(m)).toBe(true)
      expect(formatUtf8(backend.get('t', row(100 + m, undefined).key)!) === value(m + 1)).toBe(true)
    }
  }
})

/** Returns the rows of a round, the same in every process. */
const roundOf = (round: number) => {
  const below = seeded(round)
  return Array.from({ length: sizeOf(below) }, () => row(below(300), below(4) === 0 ? undefined : `${below(1000)}`))
}

/** A process that writes rounds, and is killed in the transaction of the last one after `at` rows. */
const KILLED = `
  const [url, path, options, rounds, at] = process.argv.slice(1)
  const load = (name) => import(new URL(name, url))
  const { openLmdb } = await load('../../node/lmdb.ts')
  const { withJournal } = await load('./journaled-backend.ts')
  const { STORE_TABLES } = await load('../tables.ts')
  const disk = openLmdb(path, { tables: STORE_TABLES })
  const all = JSON.parse(rounds)
  let last = false
  const write = (rows) => disk.write((function* () {
    let count = 0
    for (const row of rows) {
      yield row
      if (last && ++count === Number(at)) process.kill(process.pid, 'SIGKILL')
    }
    if (last) process.kill(process.pid, 'SIGKILL')
  })())
  const backend = withJournal({ ...disk, write }, 't', JSON.parse(options))
  const bytes = (text) => text === null ? undefined : new TextEncoder().encode(text)
  for (const [i, rows] of all.entries()) {
    last = i === all.length - 1
    backend.write(rows.map(([key, value]) => ({ table: 't', key: bytes(key), value: bytes(value) })))
  }`

test('a process killed while rows drain keeps all earlier writes', async () => {
  await inFolder(async (folder) => {
    const model = new Map<string, string>()
    let done = 0
    for (const [count, at] of [
      [9, 1],
      [14, 12],
      [11, 30],
      [5, 1_000_000],
    ] as const) {
      const rounds = Array.from({ length: count }, (_, i) => roundOf(done + i))
      const texts = rounds.map((rows) =>
        rows.map(({ key, value }) => [formatUtf8(key), value === undefined ? null : formatUtf8(value)]),
      )
      const given = [
        import.meta.url,
        folder,
        JSON.stringify({ limits: SMALL, secret: SECRET }),
        JSON.stringify(texts),
        String(at),
      ]
      const flags = ['--import', 'tsx', '--input-type=module', '--eval', KILLED, ...given]
      const { signal, stderr } = spawnSync(process.execPath, flags)
      expect(signal, stderr.toString()).toBe('SIGKILL')
      for (const { key, value } of rounds.slice(0, -1).flat()) {
        if (value) model.set(formatUtf8(key), formatUtf8(value))
        else model.delete(formatUtf8(key))
      }
      done += count - 1
      const reader = withJournal(openLmdb(folder, { readOnly: true }), 't', { limits: SMALL, secret: SECRET })
      expect(shown(reader)).toEqual(expected(model))
      await reader.close()
    }
    const again = withJournal(openLmdb(folder, { noSync: true }), 't', { limits: SMALL, secret: SECRET })
    expect(shown(again)).toEqual(expected(model))
    await again.close()
  })
}, 120_000)
