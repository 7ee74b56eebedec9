/** What a profile says of a chain: every name that a handler may need, and the behaviours it switches. */
import type { Behaviours } from './behaviours.ts'

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
  /** EVM chain id of a chain id: from the table, else `defaultEvmChainId`. */
  readonly evmChainIds: Readonly<Record<string, bigint>>
  readonly defaultEvmChainId: bigint
  /** First path segment of factory denoms: `factory`. */
  readonly factoryPrefix: string
  /** Neutral full name (package.Message or package.Service) to the profile's, and back. Names without an entry are their own. */
  readonly toProfileName: (neutral: string) => string
  readonly toNeutralName: (name: string) => string
  /** Neutral path of a REST route to the profile's, and back. */
  readonly toProfilePath: (neutral: string) => string
  readonly toNeutralPath: (path: string) => string
  /** Further families of paths that are served (D18). */
  readonly pathAliases: readonly ((neutral: string) => string)[]
  /** Neutral amino name (`sdk/MsgSend`) to the profile's. */
  readonly toProfileAmino: (neutral: string) => string
  /** Further families of amino names that signers may have used (D18): `sdk/MsgSend` → what public clients hard-code. */
  readonly aminoAliases: readonly ((neutral: string) => string)[]
  /** Neutral JSON/proto field name to the profile's (`base_fee_unative` → `base_fee_…`). */
  readonly toProfileField: (neutral: string) => string
  readonly toNeutralField: (name: string) => string
  /** Named departures of a real chain from the API document (D30); all off by default. */
  readonly behaviours: Behaviours
}
