/** Execution of an upgrade on the state before its block (docs/modules/upgrade.md). */

import type { PlanFacts, VersionMap } from '../../modules/upgrade/keeper.ts'
import * as upgradeModule from '../../modules/upgrade/keeper.ts'
import type { Report } from '../../primitives/progress.ts'
import type { BlockInfo, Context } from '../../sdk/context.ts'
import type { Branch } from '../../store/types.ts'
import { contextOf } from '../machine.ts'
import { declaredBranch, declaredStores } from './declared.ts'
import type { Era } from './eras.ts'
import { migrate, stepCount } from './migrate.ts'
import { countSteps } from './steps.ts'
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
  /** Receives the steps, and the number of keys that are written. */
  readonly report?: Report | undefined
}

/** Name of the work of an upgrade in its progress. */
export const MIGRATED = 'steps migrated'

/**
 * Runs the handler and stores the new versions. Throws the errors of the handler, and for undeclared changes; the caller then
 * drops the branch.
 */
export function runUpgrade({ upgrade, plan, branch, block, era, log, report }: UpgradeRun): void {
  const { machine, modules } = era
  const whole: Context = contextOf(machine, branch, block)
  const from = upgradeModule.moduleVersions(whole)
  const target = versionsAfter(from, upgrade)
  const steps = report && countSteps(stepCount(from, target) + (upgrade.run ? 1 : 0), report)
  const open = steps ? steps.over(branch) : branch
  const declared = declaredBranch(open, upgrade, declaredStores(upgrade, modules))
  const ctx: UpgradeContext = {
    ...contextOf(machine, declared, block),
    writeRun: declared.writeRun,
    expectKeys: steps?.expectKeys,
    migrate: (before) => migrate(ctx, modules, before, target, log, steps?.end),
  }
  const to: VersionMap = upgrade.run ? upgrade.run(ctx, plan, from) : ctx.migrate(from)
  requireDeclared(upgrade, from, to)
  upgradeModule.setModuleVersions(whole, to)
  steps?.endAll()
}
