/** The modules of a build and the choices of assembly, which all parts of the state machine share. */
import type { Identity } from '../identity/types.ts'
import type { BlockInfo, BranchedContext } from '../sdk/context.ts'
import { createContext, createTransient } from '../sdk/create-context.ts'
import type { Module } from '../sdk/module.ts'
import type { Branch } from '../store/types.ts'
import type { Router } from './router.ts'
import type { Substitution } from './substitution.ts'
import type { AdmissionSettings } from './transaction.ts'

export interface Machine {
  readonly identity: Identity
  readonly chainId: string
  readonly evmChainId: bigint
  readonly modules: readonly Module[]
  readonly router: Router
  readonly settings: AdmissionSettings
  readonly substitution?: Substitution | undefined
  /** Receives unexpected failures of admission and simulation; must not change state. */
  readonly onBug: (error: unknown) => void
  /** Receives the lines that contracts print in blocks; must not change state. */
  readonly onPrint?: ((line: string) => void) | undefined
}

/** Returns a context of the machine that writes to a branch, with an empty transient store. */
export function contextOf({ identity, router }: Machine, branch: Branch, block: BlockInfo): BranchedContext {
  return createContext({ branch, transient: createTransient(), identity, app: router.facts, block })
}
