/**
 * The reference chain: `nibiru` is its release line v2.11, the last with a live oracle; `nibiru@2.17` differs only by
 * behaviours.
 */
import type { BehaviourName } from '../behaviours.ts'
import { COSMJS } from './almanac.ts'
import type { Profile } from './profile.ts'

/** Behaviours of both release lines. */
const COMMON: readonly BehaviourName[] = [
  'exposeEthAccount',
  'ownStoreOutsideAppHash',
  'shanghaiRules',
  'ownEvmRules',
  'selfDestructOfAccountAlone',
  'weiChangeEvents',
  'wholeHeadersInStaking',
  'bareEstimates',
  'baseDenomWithoutMapping',
  'bankPartNeedsMetadata',
  'callsSeeBaseFee',
  'baseFeeAboveCap',
  'signedPriceShown',
  'silentPrecompileFailures',
  'precompilesKeepValue',
  'flatPrecompileGas',
  'innerCallsForgetAccess',
  'vintageOraclePrices',
  'slashWindowInBlocks',
  'missesByPair',
  'snapshotsForEver',
  'averagesWithinWindow',
  'ratesOffTheWhitelist',
  'voteTargetsAfterTally',
  'votesForTargetsAlone',
  'oracleEditsAtOnce',
  'rewardIdsFromTheLast',
  'driftingEpochs',
  'namelessEpochEvents',
  'idleEpochsUncounted',
  'unvestedCirculates',
  'sudoersEditParameters',
  'listedDigitsAsGiven',
  'creationCostsNoGas',
  'adminsStay',
  'quietTokenMessages',
  'factoryAccountWithoutNumber',
  'contractsRegisterThemselves',
  'doneMarkersByHeight',
  'referenceVersionMap',
  'commandFieldsOverRest',
  'untoldProposalFailures',
  'foreignGenesis',
  'localhostClient',
  'wasmAnte',
  'endsOfRevokedAllowances',
  'feesInAnyDenom',
  'strangersVoteCheaply',
]

export const nibiru: Profile = {
  name: 'nibiru',
  bech32: { account: 'nibi', validator: 'nibivaloper', consensus: 'nibivalcons' },
  baseDenom: 'unibi',
  displayDenom: 'NIBI',
  wrappedNativeName: 'Wrapped Nibiru',
  wrappedNativeSymbol: 'WNIBI',
  defaultChainId: 'nibiru-localnet-0',
  evmChainIds: {
    'cataclysm-1': 6900n,
    'nibiru-testnet-1': 7210n,
    'nibiru-testnet-2': 6911n,
    'nibiru-testnet-3': 6912n,
    'nibiru-devnet-1': 6920n,
    'nibiru-devnet-2': 6921n,
    'nibiru-devnet-3': 6922n,
    'nibiru-localnet-0': 6930n,
    'nibiru-localnet-1': 6931n,
    'nibiru-localnet-2': 6932n,
    'nibiru-localnet-3': 6933n,
  },
  defaultEvmChainId: 6930n,
  factoryPrefix: 'tf',
  names: {
    packages: {
      sdk: 'cosmos',
      chain: 'nibiru',
      'chain.crypto.v1': 'ethermint.crypto.v1',
      'chain.epochs.v1beta1': 'nibiru.epochs.v1',
      'chain.evm': 'eth.evm',
      'chain.oracle.v1beta1': 'nibiru.oracle.v1',
      'chain.types': 'eth.types',
    },
    paths: { '/sdk': '/cosmos', '/chain': '/nibiru' },
    amino: {
      sdk: 'cosmos-sdk',
      chain: 'nibiru',
      'chain/PubKeyEthSecp256k1': 'ethermint/PubKeyEthSecp256k1',
    },
    fields: {
      base_fee_unative: 'base_fee_unibi',
      canonical_wnative: 'canonical_wnibi',
      sdk_version: 'cosmos_sdk_version',
    },
  },
  accepted: [COSMJS],
  behaviours: [...COMMON, 'pairErrorsOfAsset'],
}

export const nibiru217: Profile = {
  ...nibiru,
  name: 'nibiru@2.17',
  behaviours: [...COMMON, 'permissionedCreation', 'wholeVersionMap', 'factoryContractAtGenesis'],
}
