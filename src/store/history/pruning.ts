/** Pruning: removes old heights from the log, and keeps in `base` the values that the earliest height still needs. */
import type { Backend } from '../backend/backend.ts'
import { BASE, DEAD, HEAD, LOG } from '../tables.ts'
import { deleteCheckpoints, findCheckpoint } from '../tree/checkpoints.ts'
import type { TableWrite } from '../types.ts'
import { piecesOf, readHeight } from './change-log.ts'
import type { Tip } from './heights.ts'
import { readRefs } from './version-refs.ts'

/** Maximum number of heights, and of pieces of page lists, that one commit prunes: a lowered setting must not stop the chain. */
const PER_COMMIT = 4

/**
 * Prunes the heights before the last `keepHeights`, but no pinned height. The log keeps them back to a checkpoint, from which the trees of the
 * earliest height can be built. Write the rows after those of the commit, each before requesting the next.
 */
export function prune(
  backend: Backend,
  before: Tip,
  keepHeights: number,
  pinned: Iterable<number> = [],
  perCommit = PER_COMMIT,
): { readonly tip: Tip; readonly rows: Iterable<TableWrite> } {
  let first = before.height - keepHeights + 1
  for (const height of pinned) first = Math.min(first, height)
  const tip = { ...before, earliest: Math.max(before.earliest, first) }
  const base = Number.isFinite(keepHeights) ? findCheckpoint(backend, tip.earliest) : undefined
  if (!base) return { tip, rows: [] }
  const checkpoints = deleteCheckpoints(backend, base.height, perCommit)
  if (tip.logFrom > base.height) return { tip, rows: checkpoints }
  const last = Math.min(base.height, tip.logFrom + perCommit - 1)
  return { tip: { ...tip, logFrom: last + 1 }, rows: pruneRows(backend, checkpoints, tip.logFrom, last) }
}

function* pruneRows(
  backend: Backend,
  checkpoints: readonly TableWrite[],
  from: number,
  last: number,
): IterableIterator<TableWrite> {
  yield* checkpoints
  for (let height = from; height <= last; height++) yield* forgetRows(backend, height)
}

/** Yields rows that remove a height from the log. Values that later heights replaced go to `base`. */
function* forgetRows(backend: Backend, height: number): IterableIterator<TableWrite> {
  for (const { key, value } of readHeight(backend, height)) {
    const newest = (bytes: Uint8Array) => readRefs(bytes).newest.height
    const isNewest = (backend.peek(HEAD, key, newest) ?? backend.peek(DEAD, key, newest)) === height
    yield { table: BASE, key, value: isNewest ? undefined : value }
    if (isNewest && value === undefined) yield { table: DEAD, key, value: undefined }
  }
  for (const key of piecesOf(backend, height)) yield { table: LOG, key, value: undefined }
}
