/** Change sets that a node of SDK 0.50 and later sends to its listener, and the files of the change stream that they become. */
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { queryError } from '../../primitives/errors.ts'
import { createOutput, finish, putBytes, putVarint } from '../../primitives/varint.ts'
import { flushFile } from '../files.ts'

/** End of the names of files that are not whole. */
const PARTIAL = '.partial'
/** Bytes of the length before the records. */
const LENGTH_BYTES = 8

/** A change set as it was sent: its height, and its encoded `StoreKVPair` messages. */
interface ChangeSet {
  readonly height: bigint
  readonly pairs: readonly Uint8Array[]
}

/**
 * Reads height and pairs of an encoded `ListenCommitRequest {block_height=1, res=2, change_set=3}`. The pairs stay as they are: a
 * file has them in the same encoding. Throws `invalidArgument` for bytes that are no such message.
 */
export function readChangeSet(bytes: Uint8Array): ChangeSet {
  let height = 0n
  const pairs: Uint8Array[] = []
  let at = 0
  const takeVarint = (): bigint => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) break
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw wrong('a number is cut off')
  }
  while (at < bytes.length) {
    const tag = Number(takeVarint())
    const wire = tag & 7
    if (wire === 0) {
      const value = takeVarint()
      if (tag >>> 3 === 1) height = value
    } else if (wire === 2) {
      const length = Number(takeVarint())
      if (at + length > bytes.length) throw wrong('a field is longer than the message')
      if (tag >>> 3 === 3) pairs.push(bytes.subarray(at, at + length))
      at += length
    } else throw wrong(`field ${tag >>> 3} has wire type ${wire}`)
  }
  if (height <= 0n || height >= 1n << 63n) throw wrong('block_height must be positive')
  return { height, pairs }
}

const wrong = (what: string) => queryError('invalidArgument', `ListenCommitRequest: ${what}`)

/** A folder of the change stream that this process writes. */
export interface StreamWriter {
  /** Writes the file of a block. It is whole and durable when the function returns. */
  write(changes: ChangeSet): void
}

/** Opens a folder, and creates it. Removes what a process that was killed has left. */
export function openStreamWriter(folder: string): StreamWriter {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(folder)) if (name.endsWith(PARTIAL)) rmSync(join(folder, name), { force: true })
  return {
    write({ height, pairs }) {
      const path = join(folder, `block-${height}-data`)
      const file = openSync(`${path}${PARTIAL}`, 'w', 0o600)
      try {
        writeSync(file, contentOf(pairs))
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
      renameSync(`${path}${PARTIAL}`, path)
      flushFile(folder)
    },
  }
}

/** Returns a file as the file streamer of SDK 0.47 writes it. */
function contentOf(pairs: readonly Uint8Array[]): Uint8Array {
  const out = createOutput(pairs.reduce((sum, { length }) => sum + length + 5, LENGTH_BYTES))
  putBytes(out, new Uint8Array(LENGTH_BYTES))
  for (const pair of pairs) {
    putVarint(out, pair.length)
    putBytes(out, pair)
  }
  const content = finish(out)
  new DataView(content.buffer).setBigUint64(0, BigInt(content.length - LENGTH_BYTES))
  return content
}
