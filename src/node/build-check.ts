/** Whether this build can go on with a chain, found out at its start instead of in the midst of a block. */
import type { Application } from '../app/types.ts'
import { queryError } from '../primitives/errors.ts'
import type { VersionedStore } from '../store/versioned.ts'

/**
 * Throws `failedPrecondition` that names what does not fit. A build that came too early or too late for an upgrade is left to the
 * halt that says so.
 */
export function requireFittingBuild(
  store: Pick<VersionedStore, 'latestHeight' | 'at'>,
  app: Pick<Application, 'haltBefore' | 'misfits'>,
): void {
  const height = store.latestHeight()
  if (height === 0n) return
  const state = store.at()
  try {
    if (app.haltBefore(state, height + 1n)) return
    const found = app.misfits(state)
    if (found.length === 0) return
    throw queryError(
      'failedPrecondition',
      `this build cannot go on with the chain, which is at height ${height}:\n  ${found.join('\n  ')}\n` +
        'Start the build that ran it, or one with an upgrade that leads here; `almanac upgrade preflight` compares a build with a chain.',
    )
  } finally {
    state.close()
  }
}
