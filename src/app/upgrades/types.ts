/** What an upgrade is: a handler by the name of its plan, with all that it may change declared. */
import type { PlanFacts, VersionMap } from '../../modules/upgrade/keeper.ts'
import type { MigrationContext } from '../../sdk/context.ts'
import type { StoreChanges } from '../../store/history/store-changes.ts'

/** What a handler writes with: on the block's own branch, before its begin hooks, in the stores that the upgrade declares. */
export interface UpgradeContext extends MigrationContext {
  /**
   * Runs the migrations of every module that the upgrade declares, one version after the other, and begins modules that
   * `from` does not know with their default genesis. Answers the versions after it. Throws sdk 38 where a migration is missing.
   */
  migrate(from: VersionMap): VersionMap
}

export interface Upgrade {
  /** Of the plan that it is for. */
  readonly name: string
  /** Whether this build also runs the chain before the plan, so that nobody swaps programs (D32). */
  readonly inPlace?: boolean
  readonly stores?: StoreChanges
  /** Consensus versions after it, of modules that it migrates or adds; `removed` for those that are no more. */
  readonly modules?: Readonly<Record<string, number | 'removed'>>
  /** Stores that it writes to beside those it adds and renames and those of its modules. */
  readonly writes?: readonly string[]
  /**
   * Does it, and answers the consensus versions after it; `from` are those before. Throws to halt the chain before the block.
   * By default it migrates the declared modules.
   */
  readonly run?: (ctx: UpgradeContext, plan: PlanFacts, from: VersionMap) => VersionMap
}
