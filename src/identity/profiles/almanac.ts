/** The default profile: neutral names. */
import { createIdentity } from '../identity.ts'
import type { NameMap, Profile } from './profile.ts'

const NEUTRAL: NameMap = { packages: {}, paths: {}, amino: {}, fields: {} }

/** Names that public client libraries of the Cosmos family hard-code. */
export const FAMILY: NameMap = {
  packages: { sdk: 'cosmos', 'chain.crypto.v1': 'ethermint.crypto.v1' },
  paths: { '/sdk': '/cosmos' },
  amino: { sdk: 'cosmos-sdk', 'chain/PubKeyEthSecp256k1': 'ethermint/PubKeyEthSecp256k1' },
  fields: {},
}

/** The same names as CosmJS uses them: one type has two names in the family. */
export const COSMJS: NameMap = {
  ...FAMILY,
  packages: { ...FAMILY.packages, 'chain.crypto.v1': 'cosmos.evm.crypto.v1' },
}

export const profile: Profile = {
  name: 'almanac',
  bech32: { account: 'chain', validator: 'chainvaloper', consensus: 'chainvalcons' },
  baseDenom: 'unative',
  displayDenom: 'native',
  wrappedNativeName: 'Wrapped Native',
  wrappedNativeSymbol: 'WNATIVE',
  defaultChainId: 'almanac-localnet-1',
  evmChainIds: {},
  defaultEvmChainId: 6930n,
  factoryPrefix: 'factory',
  names: NEUTRAL,
  accepted: [COSMJS, FAMILY],
  behaviours: [],
}

export const almanac = createIdentity(profile)
