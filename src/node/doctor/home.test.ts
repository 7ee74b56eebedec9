import { cpSync, mkdtempSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open, type RootDatabase } from 'lmdb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { homePaths } from '../home-paths.ts'
import { startNode } from '../start.ts'
import type { CheckResult } from './check.ts'
import { checkStore } from './home.ts'

const scratch = mkdtempSync(join(tmpdir(), 'almanac-doctor-'))
const home = join(scratch, 'home')

beforeAll(async () => {
  const node = await startNode({ home, ports: false, blocks: { time: 'manual' } })
  for (let i = 0; i < 5; i++) await node.nextBlock()
  await node.stop()
})
afterAll(() => rmSync(scratch, { recursive: true }))

type Database = RootDatabase<Buffer, Buffer>
let copies = 0

/** Returns a copy of the home with a damaged database. */
async function damagedCopy(damage: (database: Database) => void): Promise<string> {
  const copy = join(scratch, `copy-${copies++}`)
  cpSync(home, copy, { recursive: true })
  const { data } = homePaths(copy)
  const database: Database = open({ path: data, encoding: 'binary', keyEncoding: 'binary' })
  damage(database)
  await database.close()
  // As long as its latest commit says: a start reads a shorter one in another process first.
  truncateSync(join(data, 'data.mdb'), 2 ** 22)
  return copy
}

/** Damages a copy of the home, and resolves with what the check of its store finds. */
async function checkDamaged(damage: (database: Database) => void): Promise<CheckResult> {
  const copy = await damagedCopy(damage)
  const [result] = await checkStore(homePaths(copy), { isDeep: true }, Date.now())
  return result!
}

const tableOf = (database: Database, name: string) =>
  database.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' })

/** Cuts the values of a table, of the rows whose keys begin with a text, to their first byte. */
function cutRows(database: Database, name: string, prefix = ''): void {
  const table = tableOf(database, name)
  const keys = [...table.getKeys()].map((key) => Buffer.from(key)).filter((key) => key.toString().startsWith(prefix))
  for (const key of keys) table.putSync(key, Buffer.from(table.get(key)!).subarray(0, 1))
}

test('the store of a whole home is whole', async () => {
  expect(await checkDamaged(() => {})).toMatchObject({
    state: 'ok',
    found: expect.stringContaining('give its app hash'),
  })
})

test('a database without its tables is named', async () => {
  const { state, found } = await checkDamaged((database) => tableOf(database, 'tables').dropSync())
  expect([state, found]).toEqual(['fail', expect.stringContaining('has no table tables: it is damaged')])
})

test.each([
  ['tables', 'meta', 'the record of the latest height'],
  ['block', '', 'the header of height 6'],
  ['head', '', 'the keys of height 6'],
  ['node', '', 'the keys of height 6'],
])('cut rows of %s %s are damage of what they hold, in words for an operator', async (table, prefix, what) => {
  const { state, found, fix } = await checkDamaged((database) => cutRows(database, table, prefix))
  expect([state, fix]).toEqual(['fail', expect.stringContaining('almanac restore')])
  expect(found).toMatch(
    new RegExp(
      `^the database is damaged: ${what} cannot be read \\((a stored number is cut off|page \\d+ of the trees is truncated)\\)$`,
    ),
  )
})

/** Changes the last byte of a row. */
function changeRow(database: Database, name: string, prefix: string): void {
  const table = tableOf(database, name)
  const key = [...table.getKeys()].map((one) => Buffer.from(one)).find((one) => one.toString().startsWith(prefix))!
  const value = Buffer.from(table.get(key)!)
  value[value.length - 1]! ^= 1
  table.putSync(key, value)
}

test.each<[string, (database: Database) => void, string]>([
  ['another app hash', (database) => changeRow(database, 'tables', 'meta\0tip'), 'instead of'],
  ['a cut record', (database) => cutRows(database, 'tables', 'meta'), 'a stored number is cut off'],
  ['a cut checkpoint', (database) => cutRows(database, 'tables', 'checkpoint'), 'cut off'],
])('a start on a database with %s says that it is damaged, and what mends it', async (_, change, found) => {
  const copy = await damagedCopy(change)
  const message = await startNode({ home: copy, ports: false, blocks: { time: 'manual' } }).then(
    () => 'it started',
    (error: Error) => `${error.name}: ${error.message}`,
  )
  expect(message).toMatch(
    /^ChainError: the database is damaged: .*; almanac restore DIR --home NEW .* `almanac doctor --deep` says more$/,
  )
  expect(message).toContain(found)
})
