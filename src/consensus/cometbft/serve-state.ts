/** The snapshots that this node serves to peers of its engine. */
import { create } from '@bufbuild/protobuf'
import { type RequestLoadSnapshotChunk, type Response, ResponseSchema } from '../../gen/tendermint/abci/types_pb.ts'
import { EMPTY } from '../../primitives/bytes.ts'
import { messageOf, type SnapshotRecord } from './snapshot-record.ts'

export interface ServedSnapshots {
  /** Returns the snapshots, the newest first. */
  list(): readonly SnapshotRecord[]
  /** Resolves with undefined for a chunk that does not exist. */
  chunk(height: bigint, format: number, index: number): Promise<Uint8Array | undefined>
  /** Returns the height of the oldest one. Peers that restore it need the blocks after it. */
  oldest(): bigint | undefined
}

/** The most that an engine advertises to a peer. */
const MOST_LISTED = 10

export function listSnapshots(served: ServedSnapshots | undefined): Response {
  const snapshots = (served?.list() ?? []).slice(0, MOST_LISTED).map(messageOf)
  return create(ResponseSchema, { value: { case: 'listSnapshots', value: { snapshots } } })
}

/** An empty chunk says that there is no such chunk. */
export async function loadChunk(
  served: ServedSnapshots | undefined,
  { height, format, chunk: index }: RequestLoadSnapshotChunk,
): Promise<Response> {
  const chunk = (await served?.chunk(height, format, index)) ?? EMPTY
  return create(ResponseSchema, { value: { case: 'loadSnapshotChunk', value: { chunk } } })
}
