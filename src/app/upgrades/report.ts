/** Reports for operators: the changes of an upgrade, and whether a build fits a chain. */
import type { PlanFacts } from '../../modules/upgrade/keeper.ts'
import type { Halt } from '../halt.ts'

/** Changed keys of one store, under its name after the upgrade. A key written both in a run and outside it counts twice. */
export interface StoreDifference {
  readonly store: string
  /** Change of the store itself. */
  readonly fate: 'kept' | 'added' | 'renamed' | 'deleted'
  /** Previous name of a renamed store. */
  readonly from?: string
  readonly added: number
  readonly changed: number
  readonly deleted: number
  /** Unchanged keys of a renamed store. */
  readonly moved: number
  /** Size of all written keys and values. */
  readonly bytes: number
}

/** An operation that answers before the upgrade and fails after it. */
export interface LostOperation {
  /** Neutral path of the method. */
  readonly path: string
  readonly message: string
  /** Whether it belongs to a module that the upgrade removes. */
  readonly isMeant: boolean
}

export interface Rehearsal {
  readonly upgrade: string
  /** The block that would run it. */
  readonly height: bigint
  /** Reason for which it would halt the chain; the other fields then cover the part before the failure. */
  readonly failure?: string
  /** Log lines of the upgrade. */
  readonly lines: readonly string[]
  /** Differences of changed stores, by name. */
  readonly stores: readonly StoreDifference[]
  /** Modules whose consensus version would change; undefined means absent. */
  readonly versions: readonly { readonly module: string; readonly before?: number; readonly after?: number }[]
  readonly operations: {
    /** Number of operations that were called. */
    readonly asked: number
    /** Number of requests in all. */
    readonly questions: number
    readonly lost: readonly LostOperation[]
  }
}

/** One finding. A `fault` will stop the chain or this node. */
export interface Finding {
  readonly level: 'fine' | 'note' | 'fault'
  readonly text: string
}

/** A module's consensus version: on the chain, after the plan, and in this build; undefined means absent. */
export interface ModuleVersions {
  readonly module: string
  readonly onChain: number | undefined
  readonly afterPlan: number | undefined
  readonly inBuild: number | undefined
}

export interface Preflight {
  readonly plan: PlanFacts | undefined
  /** Blocks until the plan is due; 0 is the next block. */
  readonly blocksLeft: bigint | undefined
  readonly findings: readonly Finding[]
  /** Modules whose three versions differ, by name. */
  readonly versions: readonly ModuleVersions[]
  /** Halt of this build at the next block. */
  readonly halt: Halt | undefined
}
