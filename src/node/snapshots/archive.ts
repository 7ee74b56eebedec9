/**
 * Archives of snapshots, as `snapshots dump` of the Cosmos SDK writes them: a gzipped tar of `_snapshot`, the message about the snapshot,
 * and of its chunks `0`, `1`, …
 */
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { CHUNK_BYTES, MAX_CHUNKS } from '../../consensus/cometbft/snapshot-record.ts'
import { queryError } from '../../primitives/errors.ts'
import { RECORD } from './folder.ts'

/** The message in an archive. */
const MESSAGE = '_snapshot'
/** The message has the hash of each chunk, 34 bytes with its tag and length, and some fields of a few bytes. */
const MAX_MESSAGE_BYTES = MAX_CHUNKS * 34 + 1024
/** A tar file has blocks of this size: a header, then the content of its file. Unit: bytes. */
const BLOCK = 512
/** Places of the fields of a header. */
const NAME_END = 100
const SIZE = { start: 124, end: 136 }
const CHECKSUM = 148
const KIND = 156
/** Kinds of an entry that is a file. */
const FILES = new Set([0, 0x30])

/** Unpacks an archive into a folder with the layout of `findChunks`. Rejects with `dataLoss` for anything else than such an archive. */
export async function unpackArchive(path: string, into: string): Promise<void> {
  mkdirSync(into, { recursive: true })
  const writer = createWriter(path, into)
  try {
    let rest: Buffer = Buffer.alloc(0)
    const take = new Writable({
      write(piece: Buffer, _, done) {
        try {
          const all = rest.length === 0 ? piece : Buffer.concat([rest, piece])
          const whole = all.length - (all.length % BLOCK)
          for (let at = 0; at < whole; at += BLOCK) writer.block(all.subarray(at, at + BLOCK))
          rest = Buffer.from(all.subarray(whole))
          done()
        } catch (error) {
          done(error as Error)
        }
      },
    })
    await pipeline(createReadStream(path), createGunzip(), take)
    writer.end()
  } catch (error) {
    writer.close()
    const { code, message } = error as NodeJS.ErrnoException
    if (typeof code === 'string' && code.startsWith('Z_')) throw damaged(path, `it is no gzip, or cut off (${message})`)
    throw error
  }
}

const damaged = (path: string, reason: string) =>
  queryError('dataLoss', `${path} is no archive of a snapshot: ${reason}`)

/** Writes the files of an archive, whose blocks it receives in order. */
function createWriter(path: string, into: string) {
  let file: number | undefined
  let left = 0
  let chunks = 0
  let hasMessage = false

  function open(header: Buffer): void {
    const end = header.indexOf(0)
    const name = header.subarray(0, end < 0 || end > NAME_END ? NAME_END : end).toString('utf8')
    const sizeText = header
      .subarray(SIZE.start, SIZE.end)
      .toString('latin1')
      .replace(/[\0 ]+$/, '')
      .trim()
    if (!/^[0-7]{1,11}$/.test(sizeText) || !FILES.has(header[KIND]!))
      throw damaged(path, `its entry "${name}" is no file`)
    const wanted = hasMessage ? String(chunks) : MESSAGE
    if (name !== wanted) throw damaged(path, `it has "${name}" where "${wanted}" must be`)
    left = Number.parseInt(sizeText, 8)
    const most = hasMessage ? CHUNK_BYTES : MAX_MESSAGE_BYTES
    if (left > most) throw damaged(path, `its entry "${name}" has ${left} bytes, and at most ${most} are read`)
    file = openSync(join(into, hasMessage ? name : RECORD), 'w')
    if (hasMessage) chunks++
    hasMessage = true
    if (left === 0) close()
  }

  function close(): void {
    if (file !== undefined) closeSync(file)
    file = undefined
  }

  return {
    close,
    block(bytes: Buffer): void {
      if (file === undefined) {
        // Blocks of zeros end the archive.
        if (bytes.some((byte) => byte !== 0)) open(bytes)
        return
      }
      const length = Math.min(left, BLOCK)
      writeSync(file, bytes.subarray(0, length))
      left -= length
      if (left === 0) close()
    },
    end(): void {
      if (file !== undefined) throw damaged(path, 'it is cut off')
      if (chunks === 0) throw damaged(path, 'it has no chunk')
    },
  }
}

/** Writes an archive of a message and chunks, in order, to a new file. Rejects with `alreadyExists` if the file exists. */
export async function writeArchive(
  path: string,
  message: Uint8Array,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  if (existsSync(path)) throw queryError('alreadyExists', `${path} exists: name another file with --output-file`)
  const unfinished = `${path}.new`
  try {
    await pipeline(blocksOf(message, chunks), createGzip(), createWriteStream(unfinished))
    renameSync(unfinished, path)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}

async function* blocksOf(message: Uint8Array, chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  yield* fileBlocks(MESSAGE, message)
  let index = 0
  for await (const chunk of chunks) yield* fileBlocks(String(index++), chunk)
  // Two blocks of zeros end a tar file.
  yield new Uint8Array(2 * BLOCK)
}

function* fileBlocks(name: string, content: Uint8Array): Iterable<Uint8Array> {
  yield headerOf(name, content.length)
  yield content
  yield new Uint8Array((BLOCK - (content.length % BLOCK)) % BLOCK)
}

/** Returns the header of a file in the POSIX format of tar, without owner and time. */
function headerOf(name: string, size: number): Uint8Array {
  const header = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`
  header.write(name, 0)
  header.write(octal(0o644, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(size, 11), SIZE.start)
  header.write(octal(0, 11), SIZE.end)
  // The sum of all bytes, with its own field as spaces.
  header.fill(0x20, CHECKSUM, CHECKSUM + 8)
  header[KIND] = 0x30
  header.write('ustar\x0000', 257, 'latin1')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)} `, CHECKSUM)
  return header
}
