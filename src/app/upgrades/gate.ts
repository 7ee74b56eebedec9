/** The first decision about a block: pass, run or skip a plan, or halt (docs/modules/upgrade.md). */

import type { PlanFacts } from '../../modules/upgrade/keeper.ts'
import * as upgrade from '../../modules/upgrade/keeper.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { type Halt, upgradedTooEarly, upgradeNeeded, wrongVersion } from '../halt.ts'
import type { Upgrade } from './types.ts'

/** Upgrades of the build and settings of the operator that the decision depends on. */
export interface GateRules {
  readonly upgrades: ReadonlyMap<string, Upgrade>
  /** Heights at which a due plan is dropped instead of run. */
  readonly skip: ReadonlySet<bigint>
}

export type Gate =
  | { readonly kind: 'pass' }
  | { readonly kind: 'skip'; readonly plan: PlanFacts }
  | { readonly kind: 'run'; readonly plan: PlanFacts; readonly upgrade: Upgrade }
  | { readonly kind: 'halt'; readonly halt: Halt }

/** Decides about the block of a height, on the state before it. */
export function decide(ctx: Pick<ReadContext, 'store' | 'identity'>, height: bigint, rules: GateRules): Gate {
  const plan = upgrade.plan(ctx)
  const isDue = plan !== undefined && plan.height <= height
  const isSkipped = isDue && rules.skip.has(height)
  if (!isDue || isSkipped) {
    const last = upgrade.lastApplied(ctx)
    if (last && !rules.upgrades.has(last.name)) {
      return { kind: 'halt', halt: wrongVersion(last.name, upgrade.protocolVersion(ctx), height) }
    }
  }
  if (!plan) return { kind: 'pass' }
  if (isSkipped) return { kind: 'skip', plan }
  const handler = rules.upgrades.get(plan.name)
  if (isDue) {
    return handler ? { kind: 'run', plan, upgrade: handler } : { kind: 'halt', halt: upgradeNeeded(plan, height) }
  }
  return handler && !handler.inPlace ? { kind: 'halt', halt: upgradedTooEarly(plan, height) } : { kind: 'pass' }
}
