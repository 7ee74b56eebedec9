/** Upgrades: a handler under the name of its plan, with a declaration of everything that it changes. */
import type { PlanFacts, VersionMap } from '../../modules/upgrade/keeper.ts'
import type { MigrationContext } from '../../sdk/context.ts'
import type { StoreChanges } from '../../store/history/store-changes.ts'

/** The context of a handler: it writes to declared stores, on the block's branch, before the begin hooks. */
export interface UpgradeContext extends MigrationContext {
  /**
   * Runs the migrations of every declared module, one version after another, and the default genesis of modules that are not in
   * `from`. Returns the new versions. Throws sdk 38 for a missing migration.
   */
  migrate(from: VersionMap): VersionMap
}

export interface Upgrade {
  /** Name of the plan. */
  readonly name: string
  /** Whether this build also runs the chain before the plan, so that operators need not swap binaries (D32). */
  readonly inPlace?: boolean
  readonly stores?: StoreChanges
  /** New consensus versions of migrated and added modules; `removed` for removed modules. */
  readonly modules?: Readonly<Record<string, number | 'removed'>>
  /** Further stores that it writes to, besides added and renamed ones and those of its modules. */
  readonly writes?: readonly string[]
  /**
   * Runs the upgrade and returns the new consensus versions; `from` are the previous ones. A throw halts the chain before the
   * block. The default migrates the declared modules.
   */
  readonly run?: (ctx: UpgradeContext, plan: PlanFacts, from: VersionMap) => VersionMap
}
