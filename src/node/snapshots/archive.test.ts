import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { create, toBinary } from '@bufbuild/protobuf'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SnapshotSchema } from '../../gen/tendermint/abci/types_pb.ts'
import { unpackArchive } from './archive.ts'
import { findChunks } from './folder.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'almanac-archive-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Returns an entry as the tar writer of Go makes it: mode 0644, sizes in octal. */
function entry(name: string, content: Uint8Array, kind = '0'): Buffer {
  const header = Buffer.alloc(512)
  header.write(name, 0)
  header.write('0000644\0', 100)
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124)
  header.write(kind, 156)
  header.write('ustar\x0000', 257)
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)])
}

/** The message of the SDK has the hashes of the chunks as field 1 of `metadata`. */
const metadata = Buffer.concat([1, 2].flatMap((fill) => [Buffer.from([0x0a, 0x20]), Buffer.alloc(32, fill)]))
const message = toBinary(
  SnapshotSchema,
  create(SnapshotSchema, { height: 1000n, format: 3, chunks: 2, hash: new Uint8Array(32).fill(7), metadata }),
)
const chunks = [Buffer.alloc(70_000, 1), Buffer.alloc(1024, 2)]
const whole = [entry('_snapshot', message), entry('0', chunks[0]!), entry('1', chunks[1]!), Buffer.alloc(1024)]

function unpack(entries: readonly Uint8Array[], zipped = gzipSync(Buffer.concat(entries))): Promise<void> {
  const path = join(folder, '1000-3.tar.gz')
  writeFileSync(path, zipped)
  return unpackArchive(path, join(folder, 'out'))
}

test('an archive becomes the folder of its chunks, with height and hash', async () => {
  await unpack(whole)
  const { height, record, paths } = findChunks(join(folder, 'out'))
  expect(height).toBe(1000n)
  expect(Buffer.from(record!.hash).toString('hex')).toBe('07'.repeat(32))
  expect(paths.map((path) => readFileSync(path))).toEqual(chunks)
})

test.each([
  ['without a message', [entry('0', chunks[0]!)], 'it has "0" where "_snapshot" must be'],
  ['with chunks out of order', [whole[0]!, whole[2]!], 'it has "1" where "0" must be'],
  ['with a path', [entry('../../escape', message)], 'it has "../../escape" where "_snapshot" must be'],
  ['with a link', [entry('_snapshot', message, '2')], 'its entry "_snapshot" is no file'],
  ['without chunks', [whole[0]!], 'it has no chunk'],
  [
    'with a chunk that no snapshot has',
    [whole[0]!, entry('0', Buffer.alloc(10_000_001))],
    'its entry "0" has 10000001 bytes, and at most 10000000 are read',
  ],
  ['cut off in a file', [whole[0]!, whole[1]!.subarray(0, 5120)], 'it is cut off'],
])('an archive %s is refused', async (_, entries, reason) => {
  await expect(unpack(entries)).rejects.toThrow(`1000-3.tar.gz is no archive of a snapshot: ${reason}`)
  expect(readdirSync(folder)).not.toContain('escape')
})

test('a file that is no gzip, or half of one, is refused', async () => {
  await expect(unpack([], Buffer.from('no gzip'))).rejects.toThrow('it is no gzip, or cut off')
  const zipped = gzipSync(Buffer.concat(whole))
  await expect(unpack([], zipped.subarray(0, zipped.length - 20))).rejects.toThrow('it is no gzip, or cut off')
})
