/** The comparison of an existing `upgrade-info.json` with the chain's own plan, which alone decides. */
import { upgradeInfo } from '../app/halt.ts'
import type { Application } from '../app/types.ts'
import * as upgrade from '../modules/upgrade/keeper.ts'
import { EMPTY } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import type { ReadContext } from '../sdk/context.ts'
import type { VersionedStore } from '../store/versioned.ts'
import type { Files } from './files.ts'
import type { Log } from './log.ts'
import { readUpgradeInfo, type UpgradeInfo, upgradeInfoPath } from './upgrade-info.ts'

/**
 * Warns of a file that belongs to another chain or another height. Throws `failedPrecondition` if the file cannot be read and
 * the next block runs the upgrade that it should name: an operator must repair it (docs/modules/upgrade.md#block-hooks).
 */
export function checkUpgradeFile(parts: {
  readonly data: string
  readonly files: Files
  readonly store: Pick<VersionedStore, 'latestHeight' | 'at'>
  readonly app: Pick<Application, 'readContext' | 'haltBefore'>
  /** Heights of blocks that drop a due plan. */
  readonly skip: readonly bigint[]
  readonly log: Log
}): void {
  const { data, files, store, app, skip, log } = parts
  const found = readUpgradeInfo(data, files)
  if (found.kind === 'missing') return
  const path = upgradeInfoPath(data)
  const height = store.latestHeight()
  if (height === 0n) {
    log('warn', 'upgrade-info.json belongs to another chain, since this one is new: it has no effect', { path })
    return
  }
  const state = store.at()
  try {
    const ctx = app.readContext(state, { height, timeNs: 0n, proposer: EMPTY, hash: EMPTY, lastCommitHash: EMPTY })
    const next = height + 1n
    if (found.kind === 'whole') {
      const fault = misfit(ctx, found.upgrade, next)
      if (fault !== undefined)
        log('warn', 'upgrade-info.json does not fit this chain: it has no effect', { path, fault })
      return
    }
    const plan = upgrade.plan(ctx)
    const runs = plan && plan.height <= next && !skip.includes(next) && !app.haltBefore(state, next)
    if (!runs) {
      log('warn', 'upgrade-info.json cannot be read: it is ignored, since no upgrade is due', {
        path,
        reason: found.reason,
      })
      return
    }
    throw queryError(
      'failedPrecondition',
      `failed to read upgrade info from disk: ${found.reason}.\n${path} should contain\n  ${upgradeInfo(plan, next)}\n` +
        'Write that text into it, or delete it: the chain has the same plan in its state, and continues with it.',
    )
  } finally {
    state.close()
  }
}

/** Returns the difference between an upgrade and the state; undefined if it is the next upgrade, or was applied. */
function misfit(ctx: ReadContext, { name, height }: UpgradeInfo, next: bigint): string | undefined {
  const plan = upgrade.plan(ctx)
  const done = upgrade.doneHeight(ctx, name)
  const says = `it names ${JSON.stringify(name)} at height ${height}`
  if (done !== undefined) {
    return done === height ? undefined : `${says}, and this chain applied that upgrade at height ${done}`
  }
  if (plan && plan.name === name && plan.height <= height && height === next) return undefined
  const planned = plan ? `has ${JSON.stringify(plan.name)} planned for height ${plan.height}` : 'has no upgrade planned'
  return `${says}, and this chain is at height ${next - 1n} and ${planned}`
}
