/** The check that this build can continue a chain, made at the start instead of during a block. */
import type { Application } from '../app/types.ts'
import { queryError } from '../primitives/errors.ts'
import type { VersionedStore } from '../store/versioned.ts'

/**
 * Throws `failedPrecondition` with the misfits between build and state. Ignores a build that is too old or too new for an
 * upgrade: the chain halts with that reason.
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
      `this build cannot continue the chain, which is at height ${height}:\n  ${found.join('\n  ')}\n` +
        'Start the build that ran it, or one with an upgrade to these modules; `almanac upgrade preflight` compares a build with a chain.',
    )
  } finally {
    state.close()
  }
}
