import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSnapshotFolder } from './folder.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'almanac-snapshots-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test('old snapshots are deleted, except the newest two that peers hold', () => {
  const folder = openSnapshotFolder(root)
  for (let height = 1n; height <= 7n; height++) {
    const snapshot = folder.begin(height)
    snapshot.add(new Uint8Array(10).fill(Number(height)))
    snapshot.finish()
  }
  const heights = () => folder.list().map(({ height }) => height)
  expect(folder.prune(0, () => false)).toEqual([])
  expect(folder.prune(2, () => true)).toEqual([3n, 2n, 1n])
  expect(heights()).toEqual([7n, 6n, 5n, 4n])
  expect(folder.prune(2, (height) => height === 4n)).toEqual([5n])
  expect(folder.prune(2, () => false)).toEqual([4n])
  expect(heights()).toEqual([7n, 6n])
})
