/** The data of a profile, one file per chain. `identity.ts` and `apply.ts` apply it. */

import type { BehaviourName } from '../behaviours.ts'

/** New names by neutral names. The longest matching entry applies. */
export interface NameMap {
  /** Leading parts of full names: `sdk.bank` matches `sdk.bank.v1beta1.Query`. */
  readonly packages: Readonly<Record<string, string>>
  /** Leading segments of REST paths: `/sdk` matches `/sdk/bank/v1beta1/supply`. */
  readonly paths: Readonly<Record<string, string>>
  /** Leading segments of amino names, or whole ones: `sdk` matches `sdk/MsgSend`. */
  readonly amino: Readonly<Record<string, string>>
  /** Whole field names. */
  readonly fields: Readonly<Record<string, string>>
}

/** Rules of a chain's EVM that its genesis sets, beside the fork. */
export interface EvmRules {
  /** Largest code of a contract, bytes; absent: 24,576 (EIP-170). */
  readonly codeSizeLimit?: number
  /** Whether transactions that are signed without a chain id are valid. */
  readonly allowsUnprotected?: boolean
  /** Whether transactions have no gas limit of their own (without EIP-7825). */
  readonly hasNoTxGasLimit?: boolean
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
  /** The names in answers. */
  readonly names: NameMap
  /** Other names that are accepted in requests (D18). */
  readonly accepted: readonly NameMap[]
  /** The behaviours that are on. */
  readonly behaviours: readonly BehaviourName[]
  /** Present on a chain whose genesis sets one of them. */
  readonly evm?: EvmRules
}
