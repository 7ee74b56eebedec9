import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatUtf8, utf8 } from '../primitives/bytes.ts'
import { backendContract } from '../store/contract.ts'
import { openLmdb } from './lmdb.ts'

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
  expect(() => openLmdb(home)).toThrow('has format "almanac store 999", this build reads "almanac store 2"')
  rmSync(home, { recursive: true, force: true })
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
