import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApplication } from '../../app/application.ts'
import { storesOf } from '../../app/stores.ts'
import { CHUNK_BYTES } from '../../consensus/cometbft/snapshot-record.ts'
import { almanac } from '../../identity/profiles/almanac.ts'
import { sha256 } from '../../primitives/hash.ts'
import { createOutput, finish } from '../../primitives/varint.ts'
import { putItem } from '../../store/sync/items.ts'
import { openBoundedSnapshot } from './bounded-snapshot.ts'
import { fetchSnapshot } from './peer-snapshot.ts'
import { restoreFolder, startRestore } from './restore-run.ts'
import { roomOn } from './room.ts'

const MB = 1_000_000
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'almanac-room-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

const hashes = (count: number): Uint8Array[] => Array.from({ length: count }, () => new Uint8Array(32))

test('a budget bounds the room only where the disk has more', () => {
  expect(roomOn(folder, 50, 200)).toEqual({ bytes: 100, limit: '50 % of follow.max_disk (--max-disk)' })
  const free = roomOn(join(folder, 'not', 'there'), 50)
  expect(free.bytes).toBeGreaterThan(0)
  expect(roomOn(folder, 50, 2 ** 50).limit).toBe(`50 % of what is free on the disk of ${folder}`)
  expect(free.limit).toBe(`50 % of what is free on the disk of ${join(folder, 'not', 'there')}`)
})

test('a snapshot that lists more chunks than there is room for is refused before its first chunk', () => {
  const room = { bytes: 2 * CHUNK_BYTES, limit: 'half of the disk' }
  expect(() => openBoundedSnapshot(folder, { height: 9n, chunkHashes: hashes(4) }, room)).toThrow(
    'the snapshot of height 9 has 4 chunks of 10000000 bytes, and at most 20000000 bytes are used for it: half of the disk',
  )
  expect(readdirSync(folder)).toEqual([])
  openBoundedSnapshot(folder, { height: 9n, chunkHashes: hashes(3) }, room).abandon()
})

test('chunks that have more bytes than there is room for are refused, and deleted', async () => {
  const chunk = new Uint8Array(MB)
  const rpc = {
    call: async (method: string) =>
      method === 'snapshots'
        ? { snapshots: [{ height: '9', format: 3, hash: '00'.repeat(32), chunk_hashes: [hashOf(chunk)] }] }
        : { data: Buffer.from(chunk).toString('base64') },
  }
  const fetching = fetchSnapshot(rpc as never, folder, { bytes: MB - 1, limit: 'a part' }, new AbortController().signal)
  await expect(fetching).rejects.toThrow(
    'the chunks of the snapshot of height 9 have at least 1000000 bytes, and at most 999999 bytes are used for it: a part',
  )
  expect(readdirSync(folder)).toEqual([])
})

const hashOf = (bytes: Uint8Array): string => Buffer.from(sha256(bytes)).toString('hex').toUpperCase()

test('a chunk above the size of the format is refused', async () => {
  const chunk = new Uint8Array(CHUNK_BYTES + 1)
  const rpc = {
    call: async (method: string) =>
      method === 'snapshots'
        ? { snapshots: [{ height: '9', format: 3, hash: '00'.repeat(32), chunk_hashes: [hashOf(chunk)] }] }
        : { data: Buffer.from(chunk).toString('base64') },
  }
  const room = { bytes: 100 * MB, limit: 'a part' }
  await expect(fetchSnapshot(rpc as never, folder, room, new AbortController().signal)).rejects.toThrow(
    'chunk 0 of the snapshot of height 9 has 10000001 bytes, and a chunk has at most 10000000',
  )
})

test('a list of more chunks than engines fetch is refused', async () => {
  const list = Array.from({ length: 100_001 }, () => '00'.repeat(32))
  const rpc = {
    call: async () => ({ snapshots: [{ height: '9', format: 3, hash: '00'.repeat(32), chunk_hashes: list }] }),
  }
  const room = { bytes: Number.MAX_SAFE_INTEGER, limit: 'all' }
  await expect(fetchSnapshot(rpc as never, folder, room, new AbortController().signal)).rejects.toThrow(
    'the snapshot of height 9 has 100001 chunks, and at most 100000 are read',
  )
})

test('a small snapshot that inflates to more than there is room for is given up, and leaves nothing', async () => {
  const out = createOutput()
  putItem(out, { kind: 'store', name: 'bank' })
  for (let i = 0; i < 64; i++)
    putItem(out, { kind: 'node', key: Uint8Array.of(i), value: new Uint8Array(MB), version: 1, height: 0 })
  const chunk = new Uint8Array(deflateSync(finish(out)))
  expect(chunk.length).toBeLessThan(MB)
  const chainId = 'room-1'
  const app = createApplication({ identity: almanac, chainId, evmChainId: 1n, settings: { minGasPrices: '' } })
  const data = join(folder, 'data')
  const room = { bytes: 16 * MB, limit: 'a part' }
  const run = startRestore({ data, stores: storesOf(almanac), app, chainId, height: 9n, room })
  await expect(run.write(chunk).then(() => run.finish(undefined))).rejects.toThrow(
    'the state of the snapshot of height 9 does not fit, and at most 16000000 bytes are used for it: a part',
  )
  await run.abandon()
  expect([existsSync(data), existsSync(restoreFolder(data))]).toEqual([false, false])
})
