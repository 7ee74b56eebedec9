/** The facts of a snapshot as an engine passes them on: format, chunks and hashes. Source: docs/state-sync.md#format. */
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { type Snapshot, SnapshotSchema } from '../../gen/tendermint/abci/types_pb.ts'
import {
  createOutput,
  finish,
  type Input,
  putBytes,
  putVarint,
  takeBytes,
  takeVarint,
} from '../../primitives/varint.ts'

/** The format of this build's snapshots, and the length of all chunks but the last. */
export const SNAPSHOT_FORMAT = 3
export const CHUNK_BYTES = 10_000_000
/** The most chunks that an engine fetches. */
export const MAX_CHUNKS = 100_000

export interface SnapshotRecord {
  readonly height: bigint
  readonly format: number
  /** sha256 of all chunks in order. */
  readonly hash: Uint8Array
  /** sha256 of each chunk. */
  readonly chunkHashes: readonly Uint8Array[]
}

const HASH_BYTES = 32
/** Field 1 of the metadata, as bytes. */
const CHUNK_HASH_TAG = 0x0a

export function messageOf({ height, format, hash, chunkHashes }: SnapshotRecord): Snapshot {
  const metadata = createOutput()
  for (const chunkHash of chunkHashes) {
    putVarint(metadata, CHUNK_HASH_TAG)
    putVarint(metadata, chunkHash.length)
    putBytes(metadata, chunkHash)
  }
  const message: MessageInitShape<typeof SnapshotSchema> = {
    height,
    format,
    chunks: chunkHashes.length,
    hash,
    metadata: finish(metadata),
  }
  return create(SnapshotSchema, message)
}

/** Returns the record of a message, or what is wrong with it. */
export function recordOf({ height, format, chunks, hash, metadata }: Snapshot): SnapshotRecord | string {
  const chunkHashes = chunkHashesOf(metadata)
  if (!chunkHashes) return 'its metadata are not the hashes of its chunks'
  if (chunkHashes.length !== chunks) return `it has ${chunks} chunks and ${chunkHashes.length} hashes`
  if (chunks === 0 || chunks > MAX_CHUNKS) return `it has ${chunks} chunks`
  if (hash.length !== HASH_BYTES) return `its hash has ${hash.length} bytes`
  if (height === 0n || height > BigInt(Number.MAX_SAFE_INTEGER)) return `its height is ${height}`
  return { height, format, hash, chunkHashes }
}

function chunkHashesOf(metadata: Uint8Array): Uint8Array[] | undefined {
  const hashes: Uint8Array[] = []
  const input: Input = { bytes: metadata, at: 0 }
  try {
    while (input.at < metadata.length) {
      if (takeVarint(input) !== CHUNK_HASH_TAG) return undefined
      const hash = takeBytes(input, takeVarint(input))
      if (hash.length !== HASH_BYTES) return undefined
      hashes.push(hash.slice())
    }
  } catch {
    return undefined
  }
  return hashes
}
