/** What becomes of a block before anything else in it: the decision table of upgrade.md §4.3. */

import type { PlanFacts } from '../../modules/upgrade/keeper.ts'
import * as upgrade from '../../modules/upgrade/keeper.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { type Halt, upgradedTooEarly, upgradeNeeded, wrongVersion } from '../halt.ts'
import type { Upgrade } from './types.ts'

/** What a build and its operator bring to the decision. */
export interface GateRules {
  readonly upgrades: ReadonlyMap<string, Upgrade>
  /** Heights of blocks that drop a plan that is due instead of running it. */
  readonly skip: ReadonlySet<bigint>
}

export type Gate =
  | { readonly kind: 'pass' }
  | { readonly kind: 'skip'; readonly plan: PlanFacts }
  | { readonly kind: 'run'; readonly plan: PlanFacts; readonly upgrade: Upgrade }
  | { readonly kind: 'halt'; readonly halt: Halt }

/** Judges the block of a height on the state before it. */
export function judge(ctx: Pick<ReadContext, 'store' | 'identity'>, height: bigint, rules: GateRules): Gate {
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
