import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { diskFiles, type Files } from './files.ts'
import { acquireLock, lockHolder } from './lock.ts'

const folder = mkdtempSync(join(tmpdir(), 'almanac-lock-'))
const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
afterAll(() => {
  other.kill()
  rmSync(folder, { recursive: true })
})
const path = join(folder, 'lock')
beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name))
})

/** The lock of another running process of this program, and that of an ended process. */
const LIVING = `${other.pid} 1\n`
const DEAD = `${spawnSync(process.execPath, ['-e', '0']).pid} 1\n`
const busy = `process ${other.pid} already runs in this home (${path}); stop it, or use --home DIR`

test('one node holds a lock until its release, against nodes of its own and of other processes', () => {
  const release = acquireLock(path, diskFiles)
  expect(lockHolder(path, diskFiles)).toBe(process.pid)
  expect(() => acquireLock(path, diskFiles)).toThrow('this process already runs in this home')
  release()
  expect([lockHolder(path, diskFiles), readdirSync(folder)]).toEqual([undefined, []])
  writeFileSync(path, LIVING)
  release()
  expect(() => acquireLock(path, diskFiles)).toThrow(busy)
  expect(readFileSync(path, 'utf8')).toBe(LIVING)
})

test('the lock of a dead process is replaced, whatever its text, even by a process with the same id', () => {
  for (const text of [DEAD, '', 'no number', `${process.pid}\n`, `${process.pid} 1\n`]) {
    writeFileSync(path, text)
    expect(lockHolder(path, diskFiles), text).toBeUndefined()
    const release = acquireLock(path, diskFiles)
    expect(lockHolder(path, diskFiles), text).toBe(process.pid)
    release()
  }
  expect(readdirSync(folder)).toEqual([])
})

test('of several processes that find a dead lock only one replaces it', () => {
  const turn = `${path}.turn`
  writeFileSync(path, DEAD)
  writeFileSync(turn, LIVING)
  expect(() => acquireLock(path, diskFiles)).toThrow(busy)
  expect(readFileSync(path, 'utf8')).toBe(DEAD)
  writeFileSync(turn, DEAD)
  acquireLock(path, diskFiles)()

  /** Another process replaces the lock after this process read it. */
  const slow = (rival: () => void): Files => ({
    ...diskFiles,
    create(at, text) {
      if (at === turn) rival()
      return diskFiles.create(at, text)
    },
  })
  writeFileSync(path, DEAD)
  expect(() =>
    acquireLock(
      path,
      slow(() => writeFileSync(path, LIVING)),
    ),
  ).toThrow(busy)
  expect([readFileSync(path, 'utf8'), existsSync(turn)]).toEqual([LIVING, false])
  // That process has ended again.
  writeFileSync(path, DEAD)
  acquireLock(
    path,
    slow(() => rmSync(path)),
  )()
  expect(readdirSync(folder)).toEqual([])
})
