/**
 * The folder of a home's snapshots, laid out as the reference's: `HEIGHT/FORMAT/CHUNK`. The file `record` beside the chunks is
 * the engine's message about the snapshot. A snapshot appears in one step, by a rename.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { messageOf, recordOf, SNAPSHOT_FORMAT, type SnapshotRecord } from '../../consensus/cometbft/snapshot-record.ts'
import { SnapshotSchema } from '../../gen/tendermint/abci/types_pb.ts'
import { queryError } from '../../primitives/errors.ts'
import { sha256 } from '../../primitives/hash.ts'
import { flushFile } from '../files.ts'

/** Name of the message about a snapshot, beside its chunks. */
export const RECORD = 'record'
/** Start of the names of snapshots in the making. */
const UNFINISHED = 'new.'

export interface SnapshotFolder {
  /** Returns the snapshots, the newest first. Ignores incomplete ones. */
  list(): readonly SnapshotRecord[]
  has(height: bigint): boolean
  /** Reads a chunk. Resolves with undefined if it does not exist. */
  chunk(height: bigint, format: number, index: number): Promise<Uint8Array | undefined>
  /** Deletes a snapshot. Returns whether it existed. */
  remove(height: bigint): boolean
  /**
   * Deletes all but a number of the newest snapshots, and the newest `MOST_HELD` of the others that are held: peers must not be able
   * to keep every one. 0 keeps all. Returns the deleted heights.
   */
  prune(keep: number, isHeld: (height: bigint) => boolean): readonly bigint[]
  /** Begins a snapshot in a folder of its own. */
  begin(height: bigint): NewSnapshot
  /** Deletes what processes that have ended left unfinished. `isAlive` knows a process by its id. */
  clean(isAlive: (pid: number) => boolean): void
}

/** A snapshot in the making. */
export interface NewSnapshot {
  /** Writes the next chunk. */
  add(chunk: Uint8Array): void
  /** Completes the snapshot. Throws `alreadyExists` if another process has made it. */
  finish(): SnapshotRecord
  abandon(): void
}

/** Snapshots beyond those to keep that peers can hold. */
const MOST_HELD = 2

/** Opens the snapshots in a folder, which need not exist. */
export function openSnapshotFolder(root: string): SnapshotFolder {
  const placeOf = (height: bigint): string => join(root, String(height))

  function heights(): readonly bigint[] {
    const names = existsSync(root) ? readdirSync(root) : []
    const found = names.filter((name) => /^[1-9]\d{0,17}$/.test(name)).map(BigInt)
    return found.sort((a, b) => (a > b ? -1 : 1))
  }

  function recordAt(height: bigint): SnapshotRecord | undefined {
    const path = join(placeOf(height), String(SNAPSHOT_FORMAT), RECORD)
    return existsSync(path) ? readRecord(path) : undefined
  }

  const list = () => heights().flatMap((height) => recordAt(height) ?? [])

  function remove(height: bigint): boolean {
    const path = placeOf(height)
    if (!existsSync(path)) return false
    // Renamed first, so that no snapshot is ever partly deleted.
    const doomed = join(root, `${UNFINISHED}${height}.${process.pid}`)
    renameSync(path, doomed)
    rmSync(doomed, { recursive: true, force: true })
    return true
  }

  return {
    list,
    has: (height) => recordAt(height) !== undefined,
    async chunk(height, format, index) {
      if (format !== SNAPSHOT_FORMAT) return undefined
      try {
        return await readFile(join(placeOf(height), String(format), String(index)))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    remove,
    prune(keep, isHeld) {
      const old = keep === 0 ? [] : list().slice(keep)
      let held = 0
      return old
        .map(({ height }) => height)
        .filter((height) => (isHeld(height) && held++ < MOST_HELD ? false : remove(height)))
    },
    begin: (height) => beginSnapshot(root, placeOf(height), height),
    clean(isAlive) {
      for (const name of existsSync(root) ? readdirSync(root) : []) {
        const pid = name.startsWith(UNFINISHED) ? Number(name.slice(name.lastIndexOf('.') + 1)) : undefined
        if (pid !== undefined && !isAlive(pid)) rmSync(join(root, name), { recursive: true, force: true })
      }
    },
  }
}

/** Reads a record. Returns undefined for any other file. */
function readRecord(path: string): SnapshotRecord | undefined {
  try {
    const record = recordOf(fromBinary(SnapshotSchema, readFileSync(path)))
    return typeof record === 'string' ? undefined : record
  } catch {
    return undefined
  }
}

function beginSnapshot(root: string, place: string, height: bigint): NewSnapshot {
  const own = join(root, `${UNFINISHED}${height}.${process.pid}`)
  const folder = join(own, String(SNAPSHOT_FORMAT))
  rmSync(own, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const chunkHashes: Uint8Array[] = []
  const hash = createHash('sha256')
  return {
    add(chunk) {
      hash.update(chunk)
      const path = join(folder, String(chunkHashes.length))
      chunkHashes.push(sha256(chunk))
      writeFileSync(path, chunk, { flush: true })
    },
    finish() {
      const record = { height, format: SNAPSHOT_FORMAT, hash: new Uint8Array(hash.digest()), chunkHashes }
      writeFileSync(join(folder, RECORD), toBinary(SnapshotSchema, messageOf(record)), { flush: true })
      try {
        renameSync(own, place)
      } catch (error) {
        if (!existsSync(place)) throw error
        throw queryError('alreadyExists', `there is a snapshot of height ${height} already`)
      }
      flushFile(root)
      return record
    },
    abandon() {
      rmSync(own, { recursive: true, force: true })
    },
  }
}

/** The chunks of a snapshot on disk, in order. */
export interface ChunkFiles {
  /** Absent for chunks without their record, as the reference keeps it elsewhere. */
  readonly record: SnapshotRecord | undefined
  readonly height: bigint | undefined
  readonly paths: readonly string[]
}

/**
 * Finds the chunks in a folder: that of the chunks, or the one of the height above it. Throws `notFound` for a folder without
 * chunks, `dataLoss` if one is missing.
 */
export function findChunks(path: string): ChunkFiles {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw queryError('notFound', `${path} is no folder`)
  const inner = join(path, String(SNAPSHOT_FORMAT))
  const folder = existsSync(join(path, '0')) || !existsSync(inner) ? path : inner
  const names = readdirSync(folder).filter((name) => /^\d+$/.test(name))
  if (names.length === 0)
    throw queryError('notFound', `${path} contains no snapshot: it must have the files 0, 1, … of the chunks`)
  const paths = names.map((_, index) => join(folder, String(index)))
  const missing = paths.find((one) => !existsSync(one))
  if (missing) throw queryError('dataLoss', `the snapshot is damaged: ${missing} is missing`)
  const recordPath = join(folder, RECORD)
  const record = existsSync(recordPath) ? readRecord(recordPath) : undefined
  const named = folder.split(/[\\/]/).findLast((part) => /^[1-9]\d*$/.test(part) && part !== String(SNAPSHOT_FORMAT))
  return { record, height: record?.height ?? (named === undefined ? undefined : BigInt(named)), paths }
}
