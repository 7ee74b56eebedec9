/** Module accounts: addresses owned by code, and the capabilities they grant. */
import { ofModule } from '../primitives/address.ts'

export type Permission = 'minter' | 'burner' | 'staking'

/** A capability: code that has the value can use its permissions. */
export interface ModuleAccount {
  readonly name: string
  /** First 20 bytes of sha256 of the name. */
  readonly address: Uint8Array
  readonly permissions: readonly Permission[]
  /** Whether the account refuses sends from ordinary accounts: true for all but governance (docs/modules/bank.md#state). */
  readonly blocked: boolean
}

/** Declares a module account: `moduleAccount('inflation', 'minter')`. The order of the permissions is part of the state. */
export function moduleAccount<const Granted extends readonly Permission[]>(
  name: string,
  ...permissions: Granted
): ModuleAccount & { readonly permissions: Granted } {
  return { name, address: ofModule(name), permissions, blocked: name !== 'gov' }
}
