/** Module accounts: addresses owned by code, and the capabilities they give. */
import { ofModule } from '../primitives/address.ts'

export type Permission = 'minter' | 'burner' | 'staking'

/** A capability: whoever holds the value may do what its permissions say. */
export interface ModuleAccount {
  readonly name: string
  /** First 20 bytes of sha256 of the name. */
  readonly address: Uint8Array
  readonly permissions: readonly Permission[]
  /** Whether ordinary accounts may not send to it: all but governance (support-modules.md §6.3). */
  readonly blocked: boolean
}

/** Declares a module account: `moduleAccount('inflation', 'minter')`. Permissions keep the order given: it is state. */
export function moduleAccount<const Granted extends readonly Permission[]>(
  name: string,
  ...permissions: Granted
): ModuleAccount & { readonly permissions: Granted } {
  return { name, address: ofModule(name), permissions, blocked: name !== 'gov' }
}
