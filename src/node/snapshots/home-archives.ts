/** Snapshots of a home as archives, with which `snapshots dump` and `snapshots load` of the Cosmos SDK carry them to another machine. */
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toBinary } from '@bufbuild/protobuf'
import { messageOf, SNAPSHOT_FORMAT, type SnapshotRecord } from '../../consensus/cometbft/snapshot-record.ts'
import { SnapshotSchema } from '../../gen/tendermint/abci/types_pb.ts'
import { equal } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { sha256 } from '../../primitives/hash.ts'
import { unpackArchive, writeArchive } from './archive.ts'
import { findChunks, openSnapshotFolder, type SnapshotFolder } from './folder.ts'

/**
 * Writes the snapshot of a height to a new archive. Resolves with its record. Rejects with `notFound` without such a snapshot, with
 * `dataLoss` for a damaged one.
 */
export async function dumpSnapshot(snapshots: string, height: bigint, path: string): Promise<SnapshotRecord> {
  const folder = openSnapshotFolder(snapshots)
  const record = folder.list().find((one) => one.height === height)
  if (!record) throw queryError('notFound', `there is no snapshot of height ${height} in ${snapshots}`)
  await writeArchive(path, toBinary(SnapshotSchema, messageOf(record)), chunksOf(folder, record))
  return record
}

async function* chunksOf(folder: SnapshotFolder, { height, format, chunkHashes }: SnapshotRecord) {
  for (const [index, hash] of chunkHashes.entries()) {
    const chunk = await folder.chunk(height, format, index)
    if (!chunk || !equal(sha256(chunk), hash))
      throw queryError('dataLoss', `the snapshot of height ${height} is damaged: chunk ${index} is not as it was made`)
    yield chunk
  }
}

/**
 * Adds the snapshot of an archive to a home. Resolves with its record. Rejects with `dataLoss` for an archive whose chunks do not have
 * the hashes of its message, with `alreadyExists` for a height that the home has.
 */
export async function loadSnapshot(snapshots: string, path: string): Promise<SnapshotRecord> {
  const unpacked = join(snapshots, `new.archive.${process.pid}`)
  try {
    await unpackArchive(path, unpacked)
    const { record, paths } = findChunks(unpacked)
    const damaged = (reason: string) => queryError('dataLoss', `${path} is no archive of a snapshot: ${reason}`)
    if (!record) throw damaged('its message does not have a height, a hash and the hashes of its chunks')
    if (record.format !== SNAPSHOT_FORMAT)
      throw damaged(`its format is ${record.format}, and this build reads ${SNAPSHOT_FORMAT}`)
    if (paths.length !== record.chunkHashes.length)
      throw damaged(`it has ${paths.length} chunks, and its message ${record.chunkHashes.length}`)
    const folder = openSnapshotFolder(snapshots)
    if (folder.has(record.height))
      throw queryError('alreadyExists', `there is a snapshot of height ${record.height} in ${snapshots}`)
    await addChunks(folder, record, paths, damaged)
    return record
  } finally {
    rmSync(unpacked, { recursive: true, force: true })
  }
}

async function addChunks(
  folder: SnapshotFolder,
  { height, hash, chunkHashes }: SnapshotRecord,
  paths: readonly string[],
  damaged: (reason: string) => Error,
): Promise<void> {
  const added = folder.begin(height)
  try {
    const whole = createHash('sha256')
    for (const [index, path] of paths.entries()) {
      const chunk = new Uint8Array(await readFile(path))
      if (!equal(sha256(chunk), chunkHashes[index]!)) throw damaged(`chunk ${index} does not have its hash`)
      whole.update(chunk)
      added.add(chunk)
    }
    if (!equal(new Uint8Array(whole.digest()), hash)) throw damaged('its chunks do not have its hash')
    added.finish()
  } catch (error) {
    added.abandon()
    throw error
  }
}
