/** Accounts: the record that the chain stores for an address. */
import type { AnyValue } from '../../sdk/public-key.ts'
import type { Vesting } from './vesting.ts'

/** `other` is a kind that only another build has, such as an interchain account. */
export type AccountKind = 'eth' | 'base' | 'module' | 'vesting' | 'other'

export interface Account {
  readonly kind: AccountKind
  readonly address: Uint8Array
  /** Bech32 text of the address, in canonical spelling. */
  readonly addressText: string
  readonly publicKey: AnyValue | undefined
  readonly number: bigint
  /** Sequence of the next transaction; also the EVM nonce. */
  readonly sequence: bigint
  /** keccak256 of the code, 32 bytes; that of empty code for every kind but `eth`. */
  readonly codeHash: Uint8Array
  readonly module?: { readonly name: string; readonly permissions: readonly string[] }
  readonly vesting?: Vesting
  /** The whole account of kind `other`, as it is stored. */
  readonly stored?: AnyValue
}
