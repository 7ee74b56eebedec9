import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createEphemeralFolder } from './ephemeral-folder.ts'

test('a new ephemeral folder deletes the folders of killed processes, and no others', () => {
  const parent = mkdtempSync(join(tmpdir(), 'almanac-parent-'))
  const living = createEphemeralFolder(parent)
  const { pid: dead } = spawnSync(process.execPath, ['-e', '0'])
  const left = createEphemeralFolder(parent).replace(`-${process.pid}-`, `-${dead}-`)
  renameSync(left.replace(`-${dead}-`, `-${process.pid}-`), left)
  mkdirSync(join(left, 'data'))
  const other = join(parent, 'almanac-of-somebody')
  mkdirSync(other)
  const mine = createEphemeralFolder(parent)
  expect([living, left, other, mine].map((path) => existsSync(path))).toEqual([true, false, true, true])
  rmSync(parent, { recursive: true })
})
