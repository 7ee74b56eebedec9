/** What a start makes of the `upgrade-info.json` it finds: the chain's own plan decides, the file is only compared with it. */
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
 * Warns of a file that is of another chain or another time. Throws `failedPrecondition` for one that cannot be read when the
 * next block is to run the upgrade that it should name: then somebody must look (upgrade.md §6).
 */
export function checkUpgradeFile(parts: {
  readonly data: string
  readonly files: Files
  readonly store: Pick<VersionedStore, 'latestHeight' | 'at'>
  readonly app: Pick<Application, 'readContext' | 'haltBefore'>
  /** Heights of blocks that drop a plan that is due. */
  readonly skip: readonly bigint[]
  readonly log: Log
}): void {
  const { data, files, store, app, skip, log } = parts
  const found = readUpgradeInfo(data, files)
  if (found.kind === 'missing') return
  const path = upgradeInfoPath(data)
  const height = store.latestHeight()
  if (height === 0n) {
    log('warn', 'upgrade-info.json is not of this chain, which begins now: it has no effect', { path })
    return
  }
  const state = store.at()
  try {
    const ctx = app.readContext(state, { height, timeNs: 0n, proposer: EMPTY, hash: EMPTY, lastCommitHash: EMPTY })
    const next = height + 1n
    if (found.kind === 'whole') {
      const fault = foreignness(ctx, found.upgrade, next)
      if (fault !== undefined)
        log('warn', 'upgrade-info.json is of another chain or another time: it has no effect', { path, fault })
      return
    }
    const plan = upgrade.plan(ctx)
    const runs = plan && plan.height <= next && !skip.includes(next) && !app.haltBefore(state, next)
    if (!runs) {
      log('warn', 'upgrade-info.json cannot be read: it is taken as missing, since no upgrade is due', {
        path,
        reason: found.reason,
      })
      return
    }
    throw queryError(
      'failedPrecondition',
      `failed to read upgrade info from disk: ${found.reason}.\n${path} should hold\n  ${upgradeInfo(plan, next)}\n` +
        'Write that into it, or remove it: the chain has the same plan in its state, and goes on with it.',
    )
  } finally {
    state.close()
  }
}

/** What about an upgrade does not fit the state; undefined if it is the next, or was applied. */
function foreignness(ctx: ReadContext, { name, height }: UpgradeInfo, next: bigint): string | undefined {
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
