import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { diskFiles } from './files.ts'

test('a folder and a missing path have no text', () => {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-files-'))
  try {
    writeFileSync(join(folder, 'a'), 'text')
    expect(diskFiles.read(join(folder, 'a'))).toBe('text')
    expect(diskFiles.read(join(folder, 'b'))).toBeUndefined()
    expect(diskFiles.read(folder)).toBeUndefined()
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a file is created once, and no temporary file remains', () => {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-files-'))
  try {
    const path = join(folder, 'within', 'a')
    expect([diskFiles.create(path, 'first'), diskFiles.create(path, 'second')]).toEqual([true, false])
    expect([diskFiles.read(path), readdirSync(join(folder, 'within'))]).toEqual(['first', ['a']])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('what is written in the place of a folder is an error that says so, and leaves nothing behind', () => {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-files-'))
  try {
    const path = join(folder, 'within')
    diskFiles.write(join(path, 'a'), 'text')
    expect(() => diskFiles.write(path, 'text')).toThrow(`${path}: must be a file, and is a folder`)
    expect(readdirSync(folder)).toEqual(['within'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
