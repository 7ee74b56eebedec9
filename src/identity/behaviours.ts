/** What a real chain does differently from the API document or from our fixes of it (D30): one name each, off by default. */

interface Behaviour {
  /** What differs while it is on; what is written in `docs/profiles.md`. */
  readonly about: string
  /** Where the specifications say so. */
  readonly source: string
}

/** Every behaviour there is. A profile lists those that are on; code reads `ctx.identity.behaviours.NAME`. */
export const BEHAVIOURS = {
  exposeEthAccount: {
    about: 'auth queries show an EthAccount as it is stored, not as its base account',
    source: 'support-modules.md §5',
  },
  ownStoreOutsideAppHash: {
    about:
      'the store of our own records, `x`, takes no part in the app hash, so that the hash of the replayed chain comes out',
    source: 'D28, D29',
  },
  shanghaiRules: {
    about: 'a chain without `chain_config` runs under the EVM rules of Shanghai, not the newest',
    source: 'evm.md §3.2',
  },
  ownEvmRules: {
    about:
      'at every fork: init code of a transaction that creates a contract is neither metered by the word nor limited in ' +
      'size; 0x100 verifies signatures over P-256 for 3400 gas, answers zero for a false one and fails for a wrong length',
    source: 'evm.md §3.3, §3.7',
  },
  selfDestructOfAccountAlone: {
    about: 'SELFDESTRUCT removes the account alone: code and storage stay, and an heir gets coins but no account',
    source: 'evm.md §3.1, state-layout.md §2.1',
  },
  weiChangeEvents: {
    about: 'an event `wei_change` follows every change of a balance of the base denom, and names whose and why',
    source: 'evm.md §3.1, support-modules.md §12',
  },
  wholeHeadersInStaking: {
    about:
      'historical infos of staking hold whole headers, and BLOCKHASH reads them as far as they are kept; no block hashes ' +
      'are written to the storage of a history contract',
    source: 'evm.md §3.2, state-layout.md §2.10',
  },
  factoryContractAtGenesis: {
    about: 'the default genesis of `evm` has the singleton factory of ERC-2470',
    source: 'evm.md §3.8, §5',
  },
  baseDenomWithoutMapping: {
    about: '`funtoken` of the base denom and of the wrapped native token is not found',
    source: 'D34',
  },
  bareEstimates: {
    about:
      'estimates of gas search between the gas used and the cap alone: no exact 21000 for a plain transfer, no first guess, ' +
      'no look at what the sender can pay',
    source: 'evm.md §2.9, D21',
  },
  callsSeeBaseFee: {
    about: 'a call without a gas price sees BASEFEE, and not 0 as in geth',
    source: 'evm.md §3.2',
  },
  signedPriceShown: {
    about:
      'GASPRICE in a transaction signed below the base fee is the price signed, and not the base fee that is charged',
    source: 'evm.md §7 row 24',
  },
  bankPartNeedsMetadata: {
    about: '`balances` of a denom without bank metadata has no `bank` part',
    source: 'D35',
  },
  silentPrecompileFailures: {
    about: 'a failing precompile of the chain returns no data; its reason is the error of the call',
    source: 'evm.md §3.7, recorded at v2.11',
  },
  precompilesKeepValue: {
    about: 'wei sent along with a state-changing precompile call stays at its address instead of failing the call',
    source: 'evm.md §7 row 28',
  },
  innerCallsForgetAccess: {
    about: 'a call that a precompile makes begins with a new access list, and leaves its caller with that one',
    source: 'evm.md §3.6: internal calls count as EVM calls of their caller',
  },
  vintageOraclePrices: {
    about: 'the oracle precompile answers prices however old they are',
    source: 'recorded at v2.11',
  },
  slashWindowInBlocks: {
    about: 'the slash window of the oracle counts blocks, not voting periods',
    source: 'D6, oracle.md S1',
  },
  missesByPair: {
    about: 'a voting period can cost several misses, one for each pair voted wrongly, and silence costs none',
    source: 'D11, oracle.md §13 rows 1, 2',
  },
  snapshotsForEver: {
    about: 'no price snapshot is ever forgotten',
    source: 'oracle.md §13 row 6',
  },
  averagesWithinWindow: {
    about: 'an average price leaves out the price in force when its window begins, and tells neither time nor height',
    source: 'D11, oracle.md §13 rows 7, 8',
  },
  ratesOffTheWhitelist: {
    about: '`exchange_rates` lists every pair that ever had a rate',
    source: 'D7, D36',
  },
  voteTargetsAfterTally: {
    about: 'vote targets are renewed when they differ from those whose ballots did not fail',
    source: 'oracle.md §13 row 12',
  },
  votesForTargetsAlone: {
    about: 'a vote that names a pair which is no target any more is refused as a whole',
    source: 'oracle.md §13 row 15b',
  },
  oracleEditsAtOnce: {
    about: 'edited oracle parameters are in force at once, not from the next voting period on',
    source: 'D26',
  },
  pairErrorsOfAsset: {
    about: 'a text that is no pair is error 1 of codespace `asset`, not error 16 of `oracle`',
    source: 'oracle.md §1.4',
  },
  rewardIdsFromTheLast: {
    about: 'a genesis with oracle rewards hands out the id of its last one again',
    source: 'oracle.md §13 row 13',
  },
  driftingEpochs: {
    about:
      'an epoch starts at the time of the block that opens it, so that a schedule slides and a late chain does not catch up',
    source: 'epochs.md §8, D19',
  },
  namelessEpochEvents: {
    about: 'events of epochs do not name the identifier',
    source: 'epochs.md §8, D19',
  },
  idleEpochsUncounted: {
    about: 'an epoch whose provision is 0 though inflation is on does not count as skipped',
    source: 'inflation.md §8, D43',
  },
  unvestedCirculates: {
    about: 'the circulating supply is the whole supply, what vesting accounts have locked included',
    source: 'inflation.md §0, D8',
  },
  sudoersEditParameters: {
    about: 'the sudo root and its contracts edit parameters of inflation and oracle, governance does not',
    source: 'inflation.md §5, oracle.md §5.4, D22',
  },
  permissionedCreation: {
    about: 'only governance, the sudo root and its contracts make factory denoms',
    source: 'tokenfactory.md T2',
  },
  creationCostsNoGas: {
    about: 'making a factory denom does not consume `denom_creation_gas_consume`',
    source: 'tokenfactory.md T3',
  },
  adminsStay: {
    about: 'the admin of a factory denom cannot be taken away for good',
    source: 'tokenfactory.md §6 row 4',
  },
  quietTokenMessages: {
    about: 'MsgSudoSetDenomMetadata and MsgBurnNative of the token factory emit no event of their own',
    source: 'tokenfactory.md §6 rows 6, 8',
  },
  factoryAccountWithoutNumber: {
    about: 'the account of the token factory is made at genesis with number 0, which another account has',
    source: 'tokenfactory.md §6 row 11',
  },
  doneMarkersByHeight: {
    about:
      'done markers of upgrades lie under height and name, not under the name, and `upgrade` has consensus version 2',
    source: 'upgrade.md U1, D54',
  },
  commandFieldsOverRest: {
    about: '`module_versions` takes `?module_name=` over REST too, not from the command line and gRPC alone',
    source: 'upgrade.md U4',
  },
  referenceVersionMap: {
    about:
      'a new chain writes the consensus versions of the modules that the reference names, whatever this build has beside them',
    source: 'upgrade.md §11, recorded at v2.11',
  },
  wholeVersionMap: {
    about: 'those consensus versions are of all modules of the reference, not of those alone that it had named before',
    source: 'recorded at v2.17',
  },
  contractsRegisterThemselves: {
    about:
      'anybody registers a contract whose owner is a contract or governance for a share of its fees, which the contract gets',
    source: 'devgas.md §6.4',
  },
  foreignGenesis: {
    about:
      'what modules that this build has not (`capability`, `crisis`, `ibc`, `icacontroller`, `icahost`, `params`, `transfer`, ' +
      '`wasm`) write at genesis and never change lies in their stores',
    source: 'state-layout.md §1.1, ADR 0015',
  },
  localhostClient: {
    about: 'every block renews the state of the localhost client in store `ibc`',
    source: 'state-layout.md §1.1',
  },
  otherMachineAdmission: {
    about:
      'store `wasm` counts the ordinary transactions of a block; each pays for that, and for looks at zero-gas actors and fee ' +
      'shares that may concern contracts of the other machine',
    source: 'state-layout.md §1.1, recorded at v2.11',
  },
  endsOfRevokedAllowances: {
    about: 'the end of a fee allowance that was taken back holds for a later one between the two',
    source: "sdk 0.47's feegrant",
  },
  untoldProposalFailures: {
    about: 'the event of a proposal that failed does not say why',
    source: 'support-modules.md §12 row 13',
  },
} as const satisfies Record<string, Behaviour>

export type BehaviourName = keyof typeof BEHAVIOURS

/** Each behaviour with whether it is on. */
export type Behaviours = Readonly<Record<BehaviourName, boolean>>

const NAMES = Object.keys(BEHAVIOURS) as BehaviourName[]

export function isBehaviour(name: string): name is BehaviourName {
  return Object.hasOwn(BEHAVIOURS, name)
}

export function behavioursOf(on: readonly BehaviourName[]): Behaviours {
  return Object.fromEntries(NAMES.map((name) => [name, on.includes(name)])) as Behaviours
}
