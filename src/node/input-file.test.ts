import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { diskFiles } from './files.ts'
import { readInputText } from './input-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'almanac-input-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a file is read, and so is a pipe', () => {
  const path = join(folder, 'text')
  writeFileSync(path, 'café')
  expect(readInputText(path)).toBe('café')
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  execFileSync('sh', ['-c', 'printf piped > "$0" &', pipe], { stdio: 'ignore' })
  expect(readInputText(pipe)).toBe('piped')
})

test('a device, a folder, a missing file and too many bytes are refused with the name', () => {
  const path = join(folder, 'long')
  writeFileSync(path, '12345')
  expect(() => readInputText('/dev/zero', { name: '--key-file /dev/zero' })).toThrow(
    '--key-file /dev/zero: must be a file or a pipe, and is a device',
  )
  expect(() => readInputText(folder)).toThrow(`${folder}: must be a file, and is a folder`)
  expect(() => readInputText(join(folder, 'absent'))).toThrow('absent: cannot be read: ENOENT')
  expect(readInputText(path, { maxBytes: 5 })).toBe('12345')
  expect(() => readInputText(path, { maxBytes: 4 })).toThrow('long: above the limit of 4 bytes')
})

test('files of a node are no devices either', () => {
  expect(() => diskFiles.read('/dev/zero')).toThrow('/dev/zero: must be a file or a pipe, and is a device')
})
