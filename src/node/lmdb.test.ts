import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test, vi } from 'vitest'
import { formatUtf8, utf8 } from '../primitives/bytes.ts'
import { backendContract } from '../store/testing/backend-contract.ts'
import { openLmdb } from './lmdb.ts'
import { residentMemory } from './resident-memory.ts'

/** A machine that does not tell what is mapped, on which time passes quickly: the file is opened anew after 10,000 rows. */
let now = 0
const OFTEN = { mappedBytes: () => undefined, elapsed: () => (now += 1_000) }

let path = ''
const reopen = () => openLmdb(path)

backendContract('LMDB', {
  open() {
    path = mkdtempSync(join(tmpdir(), 'almanac-lmdb-'))
    return openLmdb(path)
  },
  reopen,
  clean: () => rmSync(path, { recursive: true, force: true }),
})

test('a read-only opener sees each commit, and tables that appear later', async () => {
  const home = mkdtempSync(join(tmpdir(), 'almanac-lmdb-'))
  const writer = openLmdb(home)
  const reader = openLmdb(home, { readOnly: true })
  expect(reader.get('t', utf8('k'))).toBeUndefined()
  for (const value of ['1', '2', '3']) {
    writer.write([{ table: 't', key: utf8('k'), value: utf8(value) }])
    expect(formatUtf8(reader.get('t', utf8('k'))!)).toBe(value)
    expect([...reader.iterate('t')].map(([, found]) => formatUtf8(found))).toEqual([value])
    const view = reader.read()
    expect(formatUtf8(view.get('t', utf8('k'))!)).toBe(value)
    view.close()
  }
  await reader.close()
  await writer.close()
  rmSync(home, { recursive: true, force: true })
})

test('a database of another format is refused by name', async () => {
  const home = mkdtempSync(join(tmpdir(), 'almanac-lmdb-'))
  const backend = openLmdb(home)
  backend.write([{ table: 'format', key: utf8(''), value: utf8('almanac store 999') }])
  await backend.close()
  expect(() => openLmdb(home)).toThrow('has format "almanac store 999", this build reads "almanac store 3"')
  rmSync(home, { recursive: true, force: true })
})

test('a database of the format before becomes one of this build when it is opened for writing, and not before', async () => {
  const home = mkdtempSync(join(tmpdir(), 'almanac-lmdb-'))
  const old = openLmdb(home)
  old.write([{ table: 'head', key: utf8('k'), value: utf8('v') }])
  await old.close()
  const formatRow = (value: string) => ({ table: 'format', key: utf8(''), value: utf8(value) })
  const marking = openLmdb(home)
  marking.write([formatRow('almanac store 2')])
  await marking.close()
  expect(() => openLmdb(home, { readOnly: true })).toThrow('a node that starts in it makes it one of that')
  const heard: string[][] = []
  const backend = openLmdb(home, { onNewFormat: (...formats) => heard.push(formats) })
  expect(heard).toEqual([['almanac store 2', 'almanac store 3']])
  expect(backend.get('format', utf8(''))).toEqual(utf8('almanac store 3'))
  expect(backend.get('head', utf8('k'))).toEqual(utf8('v'))
  await backend.close()
  const reader = openLmdb(home, { readOnly: true })
  expect(reader.get('head', utf8('k'))).toEqual(utf8('v'))
  await reader.close()
  rmSync(home, { recursive: true, force: true })
})

test.each([
  ['removed', (home: string) => rmSync(home, { recursive: true })],
  [
    'replaced',
    (home: string) => {
      rmSync(home, { recursive: true })
      void openLmdb(home).close()
    },
  ],
] as const)(
  'a database that was %s under its writer is written no more, and no empty one is made',
  async (how, harm) => {
    const home = mkdtempSync(join(tmpdir(), 'almanac-lmdb-'))
    const backend = openLmdb(home, { noSync: true, ...OFTEN })
    const reader = openLmdb(home, { readOnly: true })
    const row = (n: number) => ({ table: 'log', key: Uint8Array.of(n >> 8, n), value: utf8(`${n}`) })
    // So many that the file would be opened anew.
    backend.write(Array.from({ length: 9_990 }, (_, n) => row(n)))
    const view = backend.read()
    backend.write(Array.from({ length: 20 }, (_, n) => row(n)))
    harm(home)
    view.close()
    const message = `the database in ${home} was ${how} while it was in use`
    expect(() => backend.write([row(1)])).toThrow(message)
    expect(backend.get('log', row(1).key)).toEqual(utf8('1'))
    expect(existsSync(home)).toBe(how === 'replaced')
    await reader.close()
    await backend.close()
    rmSync(home, { recursive: true, force: true })
  },
)

test('a reader that has closed its file opens no other, and one of nothing makes none', async () => {
  const home = mkdtempSync(join(tmpdir(), 'almanac-lmdb-'))
  expect(() => openLmdb(home, { readOnly: true })).toThrow(`there is no database in ${home}`)
  expect(readdirSync(home)).toEqual([])
  vi.useFakeTimers()
  try {
    await openLmdb(home).close()
    const reader = openLmdb(home, { readOnly: true })
    expect(reader.get('t', utf8('k'))).toBeUndefined()
    vi.advanceTimersByTime(3_000)
    rmSync(home, { recursive: true })
    expect(() => reader.get('t', utf8('k'))).toThrow('was removed while it was in use')
    expect(existsSync(home)).toBe(false)
    await reader.close()
  } finally {
    vi.useRealTimers()
  }
})

test('a reader that stops in the middle keeps no page that later writes replace', async () => {
  const path = mkdtempSync(join(tmpdir(), 'almanac-lmdb-'))
  const backend = openLmdb(path)
  const value = new Uint8Array(20_000).fill(7)
  const write = (n: number) => backend.write([{ table: 'rows', key: new Uint8Array([n % 4]), value }])
  for (let n = 0; n < 8; n++) write(n)
  const before = backend.sizeBytes()
  backend.iterate('rows').next()
  const view = backend.read()
  view.iterate('rows', { reverse: true }).next()
  view.close()
  for (let n = 0; n < 400; n++) write(n)
  expect(backend.sizeBytes()).toBeLessThan(before + 1_000_000)
  await backend.close()
  rmSync(path, { recursive: true })
})

test('a file that is opened anew between two writes leaves open views and iterations what they were', async () => {
  const path = mkdtempSync(join(tmpdir(), 'almanac-lmdb-'))
  const backend = openLmdb(path, { noSync: true, ...OFTEN })
  const rows = (round: number) =>
    Array.from({ length: 15_000 }, (_, i) => ({
      table: 'log',
      key: utf8(String(100_000 + i)),
      value: utf8(`${round}`),
    }))
  backend.write(rows(0))
  const view = backend.read()
  const iteration = backend.iterate('log')
  iteration.next()
  for (let round = 1; round < 8; round++) {
    backend.write(rows(round))
    if (round === 4) view.close()
    else if (round < 4) expect(formatUtf8(view.get('log', utf8('100000'))!)).toBe('0')
    expect(formatUtf8(backend.get('log', utf8('114999'))!)).toBe(`${round}`)
  }
  expect([...iteration]).toHaveLength(14_999)
  await backend.close()
  expect(() => backend.get('log', utf8('100000'))).toThrow('is closed')
  rmSync(path, { recursive: true })
})

test.runIf(residentMemory())(
  'what reads have mapped of the file is given back before many rows are written',
  async () => {
    const path = mkdtempSync(join(tmpdir(), 'almanac-lmdb-'))
    let now = 0
    const backend = openLmdb(path, { noSync: true, elapsed: () => now })
    const MEBIBYTE = 2 ** 20
    const mapped = () => residentMemory()!.mappedBytes / MEBIBYTE
    const rows = (count: number, bytes: number) =>
      Array.from({ length: count }, (_, i) => ({ table: 'log', key: utf8(`${i}`), value: new Uint8Array(bytes) }))
    backend.write(rows(400, MEBIBYTE / 8))
    const before = mapped()
    for (let i = 0; i < 400; i++) backend.get('log', utf8(`${i}`))
    expect(mapped() - before).toBeGreaterThan(40)
    // It has just been opened.
    backend.write(rows(100, 1))
    expect(mapped() - before).toBeGreaterThan(25)
    now = 250
    backend.write(rows(500, 1))
    expect(mapped() - before).toBeLessThan(10)
    await backend.close()
    rmSync(path, { recursive: true })
  },
)

test('a thread that has opened the file for reading before the writer does not take its writing away', async () => {
  const path = mkdtempSync(join(tmpdir(), 'almanac-lmdb-'))
  await openLmdb(path).close()
  const source = `
    const { parentPort, workerData } = require('node:worker_threads')
    import('tsx/esm/api').then(({ tsImport }) => tsImport(workerData.url, workerData.url)).then(({ openLmdb }) => {
      const reader = openLmdb(workerData.path, { readOnly: true })
      reader.get('t', new Uint8Array([1]))
      parentPort.on('message', () => parentPort.postMessage(reader.get('t', new Uint8Array([1]))))
      parentPort.postMessage('ready')
    })`
  const workerData = { path, url: new URL('./lmdb.ts', import.meta.url).href }
  const worker = new Worker(source, { eval: true, workerData })
  const answer = () => new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
  await answer()
  const backend = openLmdb(path)
  backend.write([{ table: 't', key: Uint8Array.of(1), value: utf8('v') }])
  worker.postMessage('read')
  expect(await answer()).toEqual(utf8('v'))
  await worker.terminate()
  backend.write([{ table: 't', key: Uint8Array.of(1), value: utf8('w') }])
  expect(backend.get('t', Uint8Array.of(1))).toEqual(utf8('w'))
  await backend.close()
  rmSync(path, { recursive: true })
})
