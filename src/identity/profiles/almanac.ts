/** The default profile: types of the SDK have the names of the family, everything else has neutral ones (D18). */
import { createIdentity } from '../identity.ts'
import type { NameMap, Profile } from './profile.ts'

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

/** Names of types as CosmJS knows them; paths and amino names stay neutral. */
const NAMES: NameMap = { packages: COSMJS.packages, paths: {}, amino: {}, fields: {} }

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
  names: NAMES,
  accepted: [COSMJS, FAMILY],
  behaviours: [],
}

export const almanac = createIdentity(profile)
