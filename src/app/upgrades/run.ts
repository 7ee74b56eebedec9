/** Execution of an upgrade on the state before its block (docs/modules/upgrade.md). */

import type { PlanFacts, VersionMap } from '../../modules/upgrade/keeper.ts'
import * as upgradeModule from '../../modules/upgrade/keeper.ts'
import type { BlockInfo, Context } from '../../sdk/context.ts'
import type { Branch } from '../../store/types.ts'
import { contextOf } from '../machine.ts'
import { declaredBranch, declaredStores } from './declared.ts'
import type { Era } from './eras.ts'
import { migrate } from './migrate.ts'
import type { Upgrade, UpgradeContext } from './types.ts'
import { requireDeclared, versionsAfter } from './versions.ts'

export interface UpgradeRun {
  readonly upgrade: Upgrade
  readonly plan: PlanFacts
  /** Branch of the block, with the store names after the upgrade. */
  readonly branch: Branch
  readonly block: BlockInfo
  /** Era of the state after the upgrade. */
  readonly era: Era
  /** Receives a line for each step; must not change state. */
  readonly log: (line: string) => void
}

/**
 * Runs the handler and stores the new versions. Throws the errors of the handler, and for undeclared changes; the caller then
 * drops the branch.
 */
export function runUpgrade({ upgrade, plan, branch, block, era, log }: UpgradeRun): void {
  const { machine, modules } = era
  const whole: Context = contextOf(machine, branch, block)
  const from = upgradeModule.moduleVersions(whole)
  const target = versionsAfter(from, upgrade)
  const declared = declaredBranch(branch, upgrade, declaredStores(upgrade, modules))
  const ctx: UpgradeContext = {
    ...contextOf(machine, declared, block),
    writeRun: declared.writeRun,
    migrate: (before) => migrate(ctx, modules, before, target, log),
  }
  const to: VersionMap = upgrade.run ? upgrade.run(ctx, plan, from) : ctx.migrate(from)
  requireDeclared(upgrade, from, to)
  upgradeModule.setModuleVersions(whole, to)
}
