/** What the parts of the state machine share: the build's modules and what was chosen at assembly. */
import type { Identity } from '../identity/types.ts'
import type { Module } from '../sdk/module.ts'
import type { Router } from './router.ts'
import type { AdmissionSettings, EvmTxPath } from './transaction.ts'

export interface Machine {
  readonly identity: Identity
  readonly chainId: string
  readonly evmChainId: bigint
  readonly modules: readonly Module[]
  readonly router: Router
  readonly evm: EvmTxPath
  readonly settings: AdmissionSettings
  /**
   * Told of an unexpected failure in a transaction; whatever it does must not change state. It throws one of the environment,
   * which ends the block.
   */
  readonly onBug: (error: unknown) => void
}
