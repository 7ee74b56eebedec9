import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { open } from 'lmdb'
import { expect, test, vi } from 'vitest'
import { INDEX_TABLES } from '../indexer/tables.ts'
import { formatUtf8, utf8 } from '../primitives/bytes.ts'
import type { Backend, TableDeclaration } from '../store/backend/backend.ts'
import { STORE_TABLES } from '../store/tables.ts'
import { backendContract } from '../store/testing/backend-contract.ts'
import { openDisk } from './disk.ts'
import { openLmdb } from './lmdb.ts'
import { residentMemory } from './resident-memory.ts'

/** Facts of a system that does not report mapped memory, with a fast clock: the file is reopened after 10,000 rows. */
let now = 0
const OFTEN = { mappedBytes: () => undefined, elapsed: () => (now += 1_000) }

const DECLARED: readonly TableDeclaration[] = [
  { name: 'head', placement: 'own' },
  { name: 't', placement: 'append' },
]

let path = ''
const reopen = () => openDisk(path)

const clean = () => rmSync(path, { recursive: true, force: true })
const newFolder = () => mkdtempSync(join(tmpdir(), 'almanac-lmdb-'))

backendContract('LMDB', {
  open() {
    path = newFolder()
    return openLmdb(path, { tables: DECLARED })
  },
  reopen: () => openLmdb(path, { tables: DECLARED }),
  clean,
})

backendContract('the disk of a node', {
  open() {
    path = newFolder()
    return openDisk(path)
  },
  reopen,
  clean,
})

/** Opens the disk of a node so that all of its writes are held. */
function openHolding(): Backend {
  const backend = reopen()
  return { ...backend, write: (rows) => backend.write(rows, true) }
}

backendContract('the disk of a node that holds writes', {
  open() {
    path = newFolder()
    return openHolding()
  },
  reopen: openHolding,
  clean,
})

test('each table is in the database of its declaration, and others in the shared one behind their names', async () => {
  const folder = newFolder()
  const backend = openDisk(folder)
  const key = Uint8Array.of(1)
  const tables = [...STORE_TABLES, ...INDEX_TABLES, { name: 'undeclared', placement: 'shared' }]
  backend.write(
    tables.filter(({ name }) => !name.startsWith('journal')).map(({ name: table }) => ({ table, key, value: key })),
  )
  await backend.close()
  const root = open({ path: folder, encoding: 'binary', keyEncoding: 'binary', readOnly: true })
  const names = Array.from(root.getKeys(), (name) => String(name).replace('\0', ''))
  expect(names).toEqual(['block', 'head', 'journal', 'log', 'node', 'receipts', 'results', 'tables'])
  const keysIn = (name: string) =>
    Array.from(root.openDB({ name, encoding: 'binary', keyEncoding: 'binary' }).getKeys(), String)
  for (const name of names.filter((one) => one !== 'tables' && one !== 'journal'))
    expect(keysIn(name)).toEqual(['\x01'])
  const ownRows = [
    'base',
    'block_hash',
    'checkpoint',
    'dead',
    'evm_tx',
    'extension',
    'fresh_terms',
    'index',
    'meta',
    'restored_block',
    'segment_pages',
  ]
  const others = ['segments', 'staged', 'stale', 'tx', 'undeclared', 'validators']
  const expected = [...[...ownRows, ...others].map((name) => `${name}\0\x01`), 'format\0', 'journaled\0']
  expect(keysIn('tables')).toEqual(expected.sort())
  await root.close()
  rmSync(folder, { recursive: true })
})

test('a reader sees each commit, and tables that are written later', async () => {
  const home = mkdtempSync(join(tmpdir(), 'almanac-lmdb-'))
  const writer = openDisk(home)
  const reader = openDisk(home, { readOnly: true })
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

test('a database of an unknown format is refused with its name', async () => {
  const home = mkdtempSync(join(tmpdir(), 'almanac-lmdb-'))
  const backend = openDisk(home)
  backend.write([{ table: 'format', key: utf8(''), value: utf8('almanac store 999') }])
  await backend.close()
  expect(() => openDisk(home)).toThrow('has format "almanac store 999", this build reads "almanac store 3"')
  rmSync(home, { recursive: true, force: true })
})

test('a database of the previous format is converted when it is opened for writing, not for reading', async () => {
  const home = mkdtempSync(join(tmpdir(), 'almanac-lmdb-'))
  const old = openDisk(home)
  old.write([{ table: 'head', key: utf8('k'), value: utf8('v') }])
  await old.close()
  const formatRow = (value: string) => ({ table: 'format', key: utf8(''), value: utf8(value) })
  const marking = openDisk(home)
  marking.write([formatRow('almanac store 2')])
  await marking.close()
  expect(() => openDisk(home, { readOnly: true })).toThrow('start a node on it once to convert it')
  const heard: string[][] = []
  const backend = openDisk(home, { onNewFormat: (...formats) => heard.push(formats) })
  expect(heard).toEqual([['almanac store 2', 'almanac store 3']])
  expect(backend.get('format', utf8(''))).toEqual(utf8('almanac store 3'))
  expect(backend.get('head', utf8('k'))).toEqual(utf8('v'))
  await backend.close()
  const reader = openDisk(home, { readOnly: true })
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
      void openDisk(home).close()
    },
  ],
] as const)('a writer whose database is %s stops writing, and creates no empty one', async (how, harm) => {
  const home = mkdtempSync(join(tmpdir(), 'almanac-lmdb-'))
  const backend = openDisk(home, { noSync: true, ...OFTEN })
  const reader = openDisk(home, { readOnly: true })
  const row = (n: number) => ({ table: 'log', key: Uint8Array.of(n >> 8, n), value: utf8(`${n}`) })
  // Enough rows that a reopening is due.
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
})

test('a reader creates no database, neither at its start nor after it closed its file', async () => {
  const home = mkdtempSync(join(tmpdir(), 'almanac-lmdb-'))
  expect(() => openDisk(home, { readOnly: true })).toThrow(`there is no database in ${home}`)
  expect(readdirSync(home)).toEqual([])
  vi.useFakeTimers()
  try {
    await openDisk(home).close()
    const reader = openDisk(home, { readOnly: true })
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

test('an abandoned iteration keeps no pages that later writes replace', async () => {
  const path = mkdtempSync(join(tmpdir(), 'almanac-lmdb-'))
  const backend = openDisk(path)
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

test('pages of removed rows are no longer in use, although the file keeps them', async () => {
  const path = mkdtempSync(join(tmpdir(), 'almanac-lmdb-'))
  const backend = openDisk(path)
  const keys = Array.from({ length: 20 }, (_, i) => Uint8Array.of(i))
  backend.write(keys.map((key) => ({ table: 'rows', key, value: new Uint8Array(10_000) })))
  const [used, size] = [backend.usedBytes(), backend.sizeBytes()]
  backend.write(keys.slice(5).map((key) => ({ table: 'rows', key, value: undefined })))
  expect(used - backend.usedBytes()).toBeGreaterThan(149_000)
  expect(backend.sizeBytes()).toBeGreaterThanOrEqual(size)
  await backend.close()
  rmSync(path, { recursive: true })
})

test('reopening the file between two writes does not change open views and iterations', async () => {
  const path = mkdtempSync(join(tmpdir(), 'almanac-lmdb-'))
  const backend = openDisk(path, { noSync: true, ...OFTEN })
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

test.runIf(residentMemory())('pages that reads have mapped are freed after at most 500 written rows', async () => {
  const path = mkdtempSync(join(tmpdir(), 'almanac-lmdb-'))
  let now = 0
  const backend = openDisk(path, { noSync: true, elapsed: () => now })
  const MEBIBYTE = 2 ** 20
  const mapped = () => residentMemory()!.mappedBytes / MEBIBYTE
  const rows = (count: number, bytes: number) =>
    Array.from({ length: count }, (_, i) => ({ table: 'log', key: utf8(`${i}`), value: new Uint8Array(bytes) }))
  backend.write(rows(400, MEBIBYTE / 8))
  const before = mapped()
  for (let i = 0; i < 400; i++) backend.get('log', utf8(`${i}`))
  expect(mapped() - before).toBeGreaterThan(40)
  // The file was opened less than 250 ms ago.
  backend.write(rows(100, 1))
  expect(mapped() - before).toBeGreaterThan(25)
  now = 250
  backend.write(rows(500, 1))
  expect(mapped() - before).toBeLessThan(10)
  await backend.close()
  rmSync(path, { recursive: true })
})

test('a thread that opened the file for reading first does not prevent writing', async () => {
  const path = mkdtempSync(join(tmpdir(), 'almanac-lmdb-'))
  await openDisk(path).close()
  const source = `
    const { parentPort, workerData } = require('node:worker_threads')
    import('tsx/esm/api').then(({ tsImport }) => tsImport(workerData.url, workerData.url)).then(({ openDisk }) => {
      const reader = openDisk(workerData.path, { readOnly: true })
      reader.get('t', new Uint8Array([1]))
      parentPort.on('message', () => parentPort.postMessage(reader.get('t', new Uint8Array([1]))))
      parentPort.postMessage('ready')
    })`
  const workerData = { path, url: new URL('./disk.ts', import.meta.url).href }
  const worker = new Worker(source, { eval: true, workerData })
  const answer = () => new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
  await answer()
  const backend = openDisk(path)
  backend.write([{ table: 't', key: Uint8Array.of(1), value: utf8('v') }])
  worker.postMessage('read')
  expect(await answer()).toEqual(utf8('v'))
  await worker.terminate()
  backend.write([{ table: 't', key: Uint8Array.of(1), value: utf8('w') }])
  expect(backend.get('t', Uint8Array.of(1))).toEqual(utf8('w'))
  await backend.close()
  rmSync(path, { recursive: true })
})
