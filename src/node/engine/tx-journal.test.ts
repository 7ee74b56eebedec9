import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { utf8 } from '../../primitives/bytes.ts'
import { openTxJournal } from './tx-journal.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'almanac-journal-'))
  path = join(folder, 'data/waiting.txs')
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

test('a later process reads what an earlier one added', () => {
  const journal = openTxJournal(path)
  expect(journal.read()).toEqual([])
  journal.add(utf8('first'))
  journal.add(new Uint8Array(100_000).fill(7))
  expect(openTxJournal(path).read()).toEqual([utf8('first'), new Uint8Array(100_000).fill(7)])
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a write that was cut off loses its own transaction alone', () => {
  const journal = openTxJournal(path)
  journal.add(utf8('whole'))
  journal.add(utf8('cut off'))
  const bytes = readFileSync(path)
  for (let cut = 1; cut < 11; cut++) {
    rmSync(path)
    appendFileSync(path, bytes.subarray(0, bytes.length - cut))
    expect(openTxJournal(path).read()).toEqual([utf8('whole')])
  }
})

test('a journal of many transactions is replaced', () => {
  const journal = openTxJournal(path)
  const many = Array.from({ length: 150_000 }, (_, i) => Uint8Array.of(i & 255))
  journal.replace(many)
  expect(journal.read()).toHaveLength(many.length)
})

test('a journal that was replaced is added to', () => {
  const journal = openTxJournal(path)
  journal.add(utf8('gone'))
  journal.replace([utf8('stays')])
  journal.add(utf8('new'))
  expect(openTxJournal(path).read()).toEqual([utf8('stays'), utf8('new')])
  journal.replace([])
  expect(openTxJournal(path).read()).toEqual([])
})
