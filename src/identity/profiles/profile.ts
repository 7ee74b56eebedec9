/** What one file per chain says: data alone, applied by `identity.ts` and `apply.ts`. */

import type { BehaviourName } from '../behaviours.ts'

/** Neutral names and what stands in their place; the longest entry that fits decides. */
export interface NameMap {
  /** Leading parts of full names: `sdk.bank` fits `sdk.bank.v1beta1.Query`. */
  readonly packages: Readonly<Record<string, string>>
  /** Leading segments of REST paths: `/sdk` fits `/sdk/bank/v1beta1/supply`. */
  readonly paths: Readonly<Record<string, string>>
  /** Leading segments of amino names, or whole ones: `sdk` fits `sdk/MsgSend`. */
  readonly amino: Readonly<Record<string, string>>
  /** Whole field names. */
  readonly fields: Readonly<Record<string, string>>
}

export interface Profile {
  readonly name: string
  readonly bech32: { readonly account: string; readonly validator: string; readonly consensus: string }
  readonly baseDenom: string
  readonly displayDenom: string
  readonly wrappedNativeName: string
  readonly wrappedNativeSymbol: string
  readonly defaultChainId: string
  readonly evmChainIds: Readonly<Record<string, bigint>>
  readonly defaultEvmChainId: bigint
  readonly factoryPrefix: string
  /** The names that answers carry. */
  readonly names: NameMap
  /** Further names that are understood when they come in (D18). */
  readonly accepted: readonly NameMap[]
  /** Those that are on. */
  readonly behaviours: readonly BehaviourName[]
}
