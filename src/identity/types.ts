/** A profile as handlers use it: names, prefixes and behaviours of a chain. */
import type { Behaviours } from './behaviours.ts'
import type { EvmRules } from './profiles/profile.ts'

export interface Identity {
  /** `almanac` by default. */
  readonly profile: string
  readonly bech32: { readonly account: string; readonly validator: string; readonly consensus: string }
  /** Smallest unit of the native coin, `unative`: 10^-6 native, 10^12 wei. */
  readonly baseDenom: string
  /** Display name of the native coin, `native`. */
  readonly displayDenom: string
  /** Name of the ERC-20 that wraps the native coin, `Wrapped Native`. */
  readonly wrappedNativeName: string
  readonly wrappedNativeSymbol: string
  readonly defaultChainId: string
  /** EVM chain ids by chain id. Others have `defaultEvmChainId`. */
  readonly evmChainIds: Readonly<Record<string, bigint>>
  readonly defaultEvmChainId: bigint
  /** First path segment of factory denoms: `factory`. */
  readonly factoryPrefix: string
  /**
   * Converts a neutral full name (package.Message or package.Service) to the profile's, and back. Names without an entry
   * stay.
   */
  readonly toProfileName: (neutral: string) => string
  readonly toNeutralName: (name: string) => string
  /** Converts the neutral path of a REST route to the profile's, and back. */
  readonly toProfilePath: (neutral: string) => string
  readonly toNeutralPath: (path: string) => string
  /** Other families of paths that are served (D18). */
  readonly pathAliases: readonly ((neutral: string) => string)[]
  /** Converts a neutral amino name (`sdk/MsgSend`) to the profile's. */
  readonly toProfileAmino: (neutral: string) => string
  /**
   * Convert a neutral amino name (`sdk/MsgSend`) to other families that signers can use, such as those of public clients
   * (D18).
   */
  readonly aminoAliases: readonly ((neutral: string) => string)[]
  /** Converts a neutral JSON or proto field name to the profile's (`base_fee_unative` → `base_fee_…`), and back. */
  readonly toProfileField: (neutral: string) => string
  readonly toNeutralField: (name: string) => string
  /** Named differences of a real chain from the API document (D30). All are off by default. */
  readonly behaviours: Behaviours
  /** Present on a chain whose genesis sets one of them. */
  readonly evm?: EvmRules
}
