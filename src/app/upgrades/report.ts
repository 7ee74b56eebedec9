/** What operators are told before they vote: what an upgrade would change, and whether a build fits a chain. */
import type { PlanFacts } from '../../modules/upgrade/keeper.ts'
import type { Halt } from '../halt.ts'

/** Keys of one store, under its name after the upgrade. One that is written in a run and beside it as well counts twice. */
export interface StoreDifference {
  readonly store: string
  /** What becomes of the store itself. */
  readonly fate: 'kept' | 'added' | 'renamed' | 'deleted'
  /** The name before, of a renamed one. */
  readonly from?: string
  readonly added: number
  readonly changed: number
  readonly deleted: number
  /** Keys that a renamed store takes along as they are. */
  readonly moved: number
  /** Of all keys and values that are written. */
  readonly bytes: number
}

/** An operation that answered before the upgrade and does not after it. */
export interface LostOperation {
  /** Neutral path of the method. */
  readonly path: string
  readonly message: string
  /** Whether it belongs to a module that the upgrade takes away. */
  readonly isMeant: boolean
}

export interface Rehearsal {
  readonly upgrade: string
  /** The block that would run it. */
  readonly height: bigint
  /** Why it would halt the chain; the rest is then what was seen until there. */
  readonly failure?: string
  /** What the log would say. */
  readonly lines: readonly string[]
  /** Of stores that something would happen to, by name. */
  readonly stores: readonly StoreDifference[]
  /** Modules whose consensus version would change; undefined is none. */
  readonly versions: readonly { readonly module: string; readonly before?: number; readonly after?: number }[]
  readonly operations: {
    /** How many were asked, and with how many questions. */
    readonly asked: number
    readonly questions: number
    readonly lost: readonly LostOperation[]
  }
}

/** `fault`: the chain or this node will stop on it. */
export interface Finding {
  readonly level: 'fine' | 'note' | 'fault'
  readonly text: string
}

/** A module's consensus version: on the chain, after the plan, and in this build; undefined where there is none. */
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
  /** Modules whose three versions are not one, by name. */
  readonly versions: readonly ModuleVersions[]
  /** What this build would do at the next block. */
  readonly halt: Halt | undefined
}
