/** Heights that are no longer kept: what they wrote leaves the log, and stays where the earliest height still shows it. */
import type { Backend } from '../backend/backend.ts'
import { findCheckpoint, forgetCheckpoints } from '../tree/checkpoints.ts'
import type { TableWrite } from '../types.ts'
import { LOG, piecesOf, readHeight } from './change-log.ts'
import type { Tip } from './heights.ts'
import { BASE, DEAD, HEAD } from './snapshot.ts'
import { takeRun } from './version-refs.ts'

/** Most heights that one commit prunes, so that a shorter history does not stop the chain; and pieces of lists of pages. */
const PER_COMMIT = 4

/**
 * Gives up the heights before those to be kept. What they wrote stays in the log back to a checkpoint, from which the trees
 * of the earliest height can be built. The rows are to be written behind those of the commit, one after the other.
 */
export function prune(
  backend: Backend,
  before: Tip,
  keepHeights: number,
): { readonly tip: Tip; readonly rows: Iterable<TableWrite> } {
  const tip = { ...before, earliest: Math.max(before.earliest, before.height - keepHeights + 1) }
  const base = Number.isFinite(keepHeights) ? findCheckpoint(backend, tip.earliest) : undefined
  if (!base) return { tip, rows: [] }
  const checkpoints = forgetCheckpoints(backend, base.height, PER_COMMIT)
  if (tip.logFrom > base.height) return { tip, rows: checkpoints }
  const last = Math.min(base.height, tip.logFrom + PER_COMMIT - 1)
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

/** Rows that forget a height: what it wrote and later heights replaced goes to `base`. */
function* forgetRows(backend: Backend, height: number): IterableIterator<TableWrite> {
  for (const { key, value } of readHeight(backend, height)) {
    const newest = (bytes: Uint8Array) => takeRun(bytes).newest.height
    const isNewest = (backend.peek(HEAD, key, newest) ?? backend.peek(DEAD, key, newest)) === height
    yield { table: BASE, key, value: isNewest ? undefined : value }
    if (isNewest && value === undefined) yield { table: DEAD, key, value: undefined }
  }
  for (const key of piecesOf(backend, height)) yield { table: LOG, key, value: undefined }
}
