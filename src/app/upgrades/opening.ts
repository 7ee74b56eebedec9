/** Opening of a block: as usual, without a skipped plan, with an upgrade, or with a halt. */

import * as upgradeModule from '../../modules/upgrade/keeper.ts'
import type { Progress } from '../../primitives/progress.ts'
import { createBranch } from '../../store/branch.ts'
import { type StoreChanges, withStoreChanges } from '../../store/history/store-changes.ts'
import type { Reader } from '../../store/types.ts'
import { blockInfoOf, type Opening } from '../block.ts'
import { type Halt, upgradeFailed } from '../halt.ts'
import { contextOf } from '../machine.ts'
import type { BlockFacts } from '../types.ts'
import type { Era, Eras } from './eras.ts'
import { decide, type GateRules } from './gate.ts'
import { MIGRATED, runUpgrade } from './run.ts'
import { versionsAfter } from './versions.ts'

export interface OpenedBlock extends Opening {
  readonly halt?: undefined
  readonly era: Era
  readonly stores?: StoreChanges | undefined
}

export interface OpenBlockOptions {
  readonly eras: Eras
  readonly rules: GateRules
  /** Receives log lines about plans; must not change state. */
  readonly log: (line: string) => void
  /** Receives the error of a failed handler and the upgrade's name; must not change state. It rethrows a host failure, which ends the block. */
  readonly onBug: (error: unknown, upgrade: string) => void
  /** Shows the steps of upgrades. */
  readonly progress?: Progress | undefined
}

/** Returns the halt of the block at a height, except for the failure of a handler. */
export function haltBefore({ eras, rules }: OpenBlockOptions, base: Reader, height: bigint): Halt | undefined {
  const gate = decide({ store: base, identity: eras.identity }, height, rules)
  return gate.kind === 'halt' ? gate.halt : undefined
}

/**
 * Opens a block on the state before it. `isAgain` marks a stored block that is executed again: conditions that only halt new
 * blocks do not apply to it, and nothing is logged.
 */
export function openBlock(
  options: OpenBlockOptions,
  base: Reader,
  input: BlockFacts,
  isAgain = false,
): OpenedBlock | { readonly halt: Halt } {
  const { eras, rules, onBug } = options
  const log = isAgain ? () => {} : options.log
  const { height } = input
  const before = eras.of(base)
  const state = { store: base, identity: eras.identity }
  const gate = decide(state, height, rules)
  if (gate.kind === 'pass') return { era: before, branch: createBranch(base) }
  if (gate.kind === 'halt') {
    const isOfNow = gate.halt.reason === 'tooEarly' || gate.halt.reason === 'wrongVersion'
    return isAgain && isOfNow ? { era: before, branch: createBranch(base) } : { halt: gate.halt }
  }
  const { plan } = gate
  if (gate.kind === 'skip') {
    log(`UPGRADE "${plan.name}" SKIPPED at ${plan.height}: ${plan.info}`)
    return { era: before, branch: withoutPlan(before, base, input) }
  }
  const { upgrade } = gate
  log(`applying upgrade "${plan.name}" at height: ${plan.height}`)
  try {
    const { stores } = upgrade
    const branch = createBranch(stores ? withStoreChanges(base, stores) : base)
    const era = eras.at(versionsAfter(upgradeModule.moduleVersions(state), upgrade))
    const block = blockInfoOf(era.machine, input)
    const report = isAgain ? undefined : options.progress?.(MIGRATED)
    runUpgrade({ upgrade, plan, branch, block, era, log, report })
    return { era, branch, applied: plan, stores }
  } catch (error) {
    onBug(error, plan.name)
    return { halt: upgradeFailed(plan, height, error) }
  }
}

function withoutPlan({ machine }: Era, base: Reader, input: BlockFacts) {
  const branch = createBranch(base)
  upgradeModule.clearPlan(contextOf(machine, branch, blockInfoOf(machine, input)))
  return branch
}
