/** The folder of a change stream: which heights it has, will have, and never will. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hex } from '../../../primitives/bytes.ts'
import type { ChangeSource } from '../source.ts'
import { openStreamFolder } from './stream-folder.ts'

/** A file with one change: bank key 04 "ufoo" becomes empty. */
const FILE = hex('000000000000000e0d0a0462616e6b1a050475666f6f')

let folder: string
let source: ChangeSource | undefined
let ends: AbortController

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'almanac-stream-'))
  ends = new AbortController()
})

afterEach(() => {
  ends.abort()
  source?.close()
  source = undefined
  rmSync(folder, { recursive: true, force: true })
})

function open(deletes = false): ChangeSource {
  source = openStreamFolder({ path: folder, deletes })
  return source
}

const write = (name: string, content: Uint8Array = FILE): void => writeFileSync(join(folder, name), content)
const next = (height: bigint) => (source ?? open()).next(height, ends.signal)

/** Whether a height is still waited for after some looks at the folder. */
async function waits(found: Promise<unknown>): Promise<boolean> {
  return Promise.race([found.then(() => false), new Promise<true>((resolve) => setTimeout(() => resolve(true), 700))])
}

test('a height is given once its file is complete', async () => {
  const found = next(5n)
  write('block-5-data', FILE.subarray(0, 12))
  expect(await waits(found)).toBe(true)
  write('block-5-data')
  expect(await found).toMatchObject({ height: 5n, changes: [{ store: 'bank' }] })
  expect(source!.latest()).toBe(5n)
})

test('the prefix of the names is found by looking, also when the first file comes later', async () => {
  const found = next(7n)
  write('validator-2-block-7-data')
  expect(await found).toMatchObject({ height: 7n })
})

test('files of two streams in one folder are told apart from one with a prefix', () => {
  write('block-1-data')
  write('copy-block-1-data')
  expect(() => open()).toThrow('has files of more than one stream (block-* and copy-block-*): move one of them away')
})

test('a file that another name stands for is not there before it is renamed', async () => {
  const found = next(3n)
  write('block-3-data.partial', FILE.subarray(8))
  expect(await waits(found)).toBe(true)
  renameSync(join(folder, 'block-3-data.partial'), join(folder, 'block-3-data'))
  expect(await found).toMatchObject({ height: 3n })
})

test('heights are numbers: block 10 follows block 9', async () => {
  for (const height of [9, 10, 100]) write(`block-${height}-data`)
  expect(await next(9n)).toMatchObject({ height: 9n })
  expect(await next(10n)).toMatchObject({ height: 10n })
})

test('the latest height is that of the files, which a replica that catches up has not read yet', async () => {
  for (let height = 1; height <= 150; height++) write(`block-${height}-data`)
  write('block-152-data')
  await next(1n)
  expect(source!.latest()).toBe(101n)
  await next(2n)
  expect(source!.latest()).toBe(150n)
  source!.forget(40n)
  expect(source!.latest()).toBeUndefined()
  await next(40n)
  expect(source!.latest()).toBe(140n)
})

test('a missing file is a gap up to the next complete one, and only then', async () => {
  write('block-4-meta')
  const found = next(4n)
  expect(await waits(found)).toBe(true)
  write('block-5-data')
  expect(await found).toEqual({ until: 5n, reason: `${join(folder, 'block-4-data')} is missing` })
})

test('a gap of several heights ends at the first file after it', async () => {
  write('block-3-data')
  write('block-90-data')
  write('block-91-data')
  expect(await next(4n)).toEqual({ until: 90n, reason: `${join(folder, 'block-4-data')} is missing` })
})

test('a file that stays cut off is a gap once a later one is complete', async () => {
  write('block-4-data', FILE.subarray(0, 20))
  write('block-5-data', FILE.subarray(0, 9))
  const found = next(4n)
  expect(await waits(found)).toBe(true)
  write('block-5-data')
  expect(await found).toEqual({
    until: 5n,
    reason: `${join(folder, 'block-4-data')} is cut off: it has 12 of 14 bytes`,
  })
})

test('a file that is no part of a stream names itself', async () => {
  write('block-4-data', Uint8Array.from([...FILE, 1]))
  await expect(next(4n)).rejects.toMatchObject({
    status: 'dataLoss',
    message: `${join(folder, 'block-4-data')} is no file of the change stream: it has 15 bytes after a length of 14`,
  })
})

test('a file that is written again is read again', async () => {
  write('block-4-data', Uint8Array.from([...FILE, 1]))
  await expect(next(4n)).rejects.toThrow('is no file')
  write('block-4-data')
  expect(await next(4n)).toMatchObject({ height: 4n })
})

test('files of durable heights stay unless they are to be deleted, and then all but a hundred go with their metadata', () => {
  for (let height = 1; height <= 120; height++) for (const kind of ['data', 'meta']) write(`block-${height}-${kind}`)
  write('notes.txt')
  open().release(120n)
  expect(readdirSync(folder).length).toBe(241)
  source!.close()
  const deleting = open(true)
  deleting.release(110n)
  expect(readdirSync(folder).length).toBe(241 - 20)
  deleting.release(111n)
  deleting.release(119n)
  expect(readdirSync(folder).length).toBe(241 - 38)
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['notes.txt', 'block-20-data', 'block-20-meta']))
})

test('a folder that is not there, or is a file, is refused at the start', () => {
  expect(() => openStreamFolder({ path: join(folder, 'none'), deletes: false })).toThrow(
    'set write_dir in section [streamers.file] of the app.toml of the node to it',
  )
  write('file')
  expect(() => openStreamFolder({ path: join(folder, 'file'), deletes: false })).toThrow('is no folder')
})

test('the wait ends with the follower', async () => {
  const found = next(4n)
  ends.abort(new Error('the node is stopping'))
  await expect(found).rejects.toThrow('the node is stopping')
})

test('a folder or a pipe under the name of a file is refused and holds nothing up', async () => {
  mkdirSync(join(folder, 'block-5-data'))
  await expect(next(5n)).rejects.toThrow('block-5-data is no file of the change stream: it is no regular file')
  execFileSync('mkfifo', [join(folder, 'block-6-data')])
  await expect(next(6n)).rejects.toThrow('block-6-data is no file of the change stream: it is no regular file')
})

test('a file of gigabytes is not read: one with its length is waited for, and any other refused', async () => {
  const found = next(5n)
  write('block-5-data', hex('0000000280000000'))
  truncateSync(join(folder, 'block-5-data'), 3_000_000_000)
  expect(await waits(found)).toBe(true)
  write('block-5-data')
  expect(await found).toMatchObject({ height: 5n })
  write('block-6-data', hex('0d0a0462616e6b1a050475666f6f'))
  truncateSync(join(folder, 'block-6-data'), 3_000_000_000)
  await expect(next(6n)).rejects.toThrow('it has 3000000000 bytes, and at most 2147483647 are read')
})

test('a file of zeroes, which a loss of power leaves, is a gap once a later one is complete', async () => {
  write('block-5-data', new Uint8Array(500))
  write('block-6-data')
  expect(await next(5n)).toEqual({
    until: 6n,
    reason: `${join(folder, 'block-5-data')} is cut off: it has only zeroes`,
  })
})
