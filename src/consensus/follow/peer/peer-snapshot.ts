/** The snapshots of another Almanac, for a replica whose peer does not have the first block. */
import { equal, formatHex, parseBase64, parseHex } from '../../../primitives/bytes.ts'
import { type ChainError, queryError } from '../../../primitives/errors.ts'
import { sha256 } from '../../../primitives/hash.ts'
import { CHUNK_BYTES, MAX_CHUNKS, SNAPSHOT_FORMAT, type SnapshotRecord } from '../../cometbft/snapshot-record.ts'
import type { NodeRpc } from '../rpc/node-rpc.ts'

const wrong = (what: string): ChainError => queryError('dataLoss', `the answer of the peer is wrong: ${what}`)

/** Resolves with the newest snapshot of a format that this build reads; with undefined if there is no such snapshot. */
export async function newestSnapshot(rpc: NodeRpc, signal: AbortSignal): Promise<SnapshotRecord | undefined> {
  const { snapshots } = await rpc.call('snapshots', {}, signal)
  if (!Array.isArray(snapshots)) throw wrong('snapshots must be a list')
  const found = (snapshots as readonly Record<string, unknown>[]).map(recordOf)
  return found
    .filter(({ format }) => format === SNAPSHOT_FORMAT)
    .reduce<SnapshotRecord | undefined>((best, one) => (best && best.height > one.height ? best : one), undefined)
}

function recordOf({ height, format, hash, chunk_hashes: hashes }: Record<string, unknown>): SnapshotRecord {
  const chunkHashes = Array.isArray(hashes) ? hashes.map(hashOf) : []
  if (!/^[1-9]\d{0,15}$/.test(String(height))) throw wrong(`snapshots.height is ${String(height)}`)
  if (chunkHashes.length === 0) throw wrong(`the snapshot of height ${String(height)} has no chunks`)
  if (chunkHashes.length > MAX_CHUNKS)
    throw wrong(
      `the snapshot of height ${String(height)} has ${chunkHashes.length} chunks, and at most ${MAX_CHUNKS} are read`,
    )
  return { height: BigInt(String(height)), format: Number(format), hash: hashOf(hash), chunkHashes }
}

function hashOf(value: unknown): Uint8Array {
  const bytes = typeof value === 'string' ? parseHex(value.toLowerCase()) : undefined
  if (bytes?.length !== 32) throw wrong('a hash of a snapshot must have 64 hexadecimal digits')
  return bytes
}

/** Resolves with a chunk that has its hash. Rejects with `unknown` if the peer no longer has it, `dataLoss` if it is another one. */
export async function fetchChunk(
  rpc: NodeRpc,
  { height, chunkHashes }: SnapshotRecord,
  index: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { data } = await rpc.call('snapshot_chunk', { height: String(height), chunk: String(index) }, signal)
  const chunk = parseBase64(String(data))
  const expected = chunkHashes[index]!
  if (chunk && chunk.length > CHUNK_BYTES)
    throw wrong(
      `chunk ${index} of the snapshot of height ${height} has ${chunk.length} bytes, and a chunk has at most ${CHUNK_BYTES}`,
    )
  if (chunk && equal(sha256(chunk), expected)) return chunk
  throw wrong(
    `chunk ${index} of the snapshot of height ${height} does not have the hash ${formatHex(expected).toUpperCase()}`,
  )
}
