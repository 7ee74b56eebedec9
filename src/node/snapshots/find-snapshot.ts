/** The snapshot on disk that a replica begins with. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { queryError } from '../../primitives/errors.ts'
import { type ChunkFiles, findChunks } from './folder.ts'

/** Chunks of a snapshot, with the height of its state. */
export type PlacedChunks = ChunkFiles & { readonly height: bigint }

/**
 * Finds the snapshot in a folder: that of its chunks, that of its height, or the folder `data/snapshots` of a node, which has
 * one for each of several heights; then the newest that the stream continues. Throws the errors of `findChunks`.
 */
export function findSnapshot(path: string, stream: string): PlacedChunks {
  const heights = heightsIn(path)
  if (heights.length === 0) return withHeight(findChunks(path), path)
  const files = stream === '' ? [] : readdirSync(stream)
  const continues = (height: bigint): boolean => files.some((name) => name.endsWith(`block-${height + 1n}-data`))
  const chosen = heights.find(continues) ?? heights[0]!
  return withHeight(findChunks(join(path, String(chosen))), path)
}

/** Returns the heights whose folders have chunks, the newest first. */
function heightsIn(path: string): bigint[] {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return []
  if (existsSync(join(path, '0')) || existsSync(join(path, '3', '0'))) return []
  return readdirSync(path)
    .filter((name) => /^[1-9]\d{0,17}$/.test(name) && existsSync(join(path, name, '3', '0')))
    .map(BigInt)
    .sort((a, b) => (a > b ? -1 : 1))
}

function withHeight(chunks: ChunkFiles, path: string): PlacedChunks {
  const { height } = chunks
  if (height !== undefined) return { ...chunks, height }
  throw queryError(
    'invalidArgument',
    `${path} does not say the height of its state: name the folder of the height, as in data/snapshots/1000`,
  )
}
