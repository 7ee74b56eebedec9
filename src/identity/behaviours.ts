/** Behaviours: named differences of a real chain from the API document or from our fixes of it (D30). Off by default. */

interface Behaviour {
  /** The difference while it is on, also listed in `docs/profiles.md`. */
  readonly about: string
  /** The decision, page or recording that documents it. */
  readonly source: string
}

/** All behaviours. A profile lists those that are on; code reads `ctx.identity.behaviours.NAME`. */
export const BEHAVIOURS = {
  exposeEthAccount: {
    about: 'auth queries return an EthAccount in its stored form, not as its base account',
    source: 'docs/modules/auth.md#queries',
  },
  ownStoreOutsideAppHash: {
    about:
      'the store of our own records, `x`, is not part of the app hash, so that the hash equals that of the replayed chain',
    source: 'D28, D29',
  },
  shanghaiRules: {
    about: 'a chain without `chain_config` runs the EVM rules of Shanghai, not the newest',
    source: 'docs/modules/evm.md#parameters',
  },
  ownEvmRules: {
    about:
      'at every fork: init code of a transaction that creates a contract has no gas per word and no size limit; 0x100 verifies P-256 signatures for 3400 gas, returns zero for a false one and fails for a wrong length',
    source: 'docs/evm-internals.md',
  },
  selfDestructOfAccountAlone: {
    about: 'SELFDESTRUCT removes only the account: code and storage stay, and an heir gets coins but no account',
    source: 'docs/evm-internals.md, docs/state-layout.md#stores',
  },
  weiChangeEvents: {
    about: 'an event `wei_change` follows every change of a balance of the base denom, with the holders and the reason',
    source: 'docs/modules/bank.md#events',
  },
  wholeHeadersInStaking: {
    about:
      'historical infos of staking contain whole headers, and BLOCKHASH reads them as far back as they are stored; the storage of a history contract gets no block hashes',
    source: 'docs/evm-internals.md, docs/modules/staking.md#state',
  },
  factoryContractAtGenesis: {
    about: 'the default genesis of `evm` contains the singleton factory of ERC-2470',
    source: 'docs/modules/evm.md#state',
  },
  baseDenomWithoutMapping: {
    about: '`funtoken` of the base denom and of the wrapped native token is not found',
    source: 'D34',
  },
  bareEstimates: {
    about:
      'gas estimates search only between the gas used and the cap: no exact 21000 for a plain transfer, no first guess, no check of what the sender can pay',
    source: 'docs/modules/evm.md#queries, D21',
  },
  noVestingMessages: {
    about: 'the messages that create vesting accounts do not exist; a genesis document can have such accounts',
    source: 'docs/modules/vesting.md, recorded at v2.11',
  },
  callsSeeBaseFee: {
    about: 'a call without a gas price sees BASEFEE, not 0 as in geth',
    source: 'docs/modules/evm.md#queries',
  },
  unusedFieldsPass: {
    about:
      'an ordinary transaction can have a tip and unknown non-critical fields; they have no effect, and a signature in amino form does not cover a tip',
    source: 'docs/transactions.md#decoding',
  },
  baseFeeAboveCap: {
    about:
      'an Ethereum transaction or call whose price or fee cap is below the base fee is not refused; a transaction is charged the base fee, more than its sender signed',
    source: 'D55, docs/modules/evm.md#formulas',
  },
  bareHeaders: {
    about:
      'over JSON-RPC, headers have neither PREVRANDAO nor a root of receipts nor fields of forks after London, `transactionsRoot` is the data hash of the engine, and there is no block 0',
    source: 'docs/json-rpc.md#blocks, recorded at v2.11',
  },
  signedPriceShown: {
    about: 'GASPRICE in a transaction signed below the base fee is the signed price, not the base fee that is charged',
    source: 'docs/transactions.md#fees',
  },
  bankPartNeedsMetadata: {
    about: '`balances` of a denom without bank metadata has no `bank` part',
    source: 'D35',
  },
  silentPrecompileFailures: {
    about: 'a failing precompile of the chain returns no data; its reason is the error of the call',
    source: 'recorded at v2.11',
  },
  precompilesKeepValue: {
    about: 'wei sent with a state-changing precompile call stays at its address instead of failing the call',
    source: 'docs/evm-internals.md',
  },
  lockedCoinsMoveInEvm: {
    about: 'Ethereum transactions and the wrapping of the native coin can spend the locked coins of vesting accounts',
    source: 'docs/modules/evm.md#value',
  },
  modulesReceiveEvmValue: {
    about: 'EVM value can reach the accounts of modules that refuse ordinary sends',
    source: 'docs/modules/evm.md#value',
  },
  evmIgnoresSendEnabled: {
    about: 'a denom whose transfers are disabled still moves as EVM value and in conversions',
    source: 'docs/modules/evm.md#value, docs/modules/bank.md#messages',
  },
  codeOfOtherAccountsIsLost: {
    about: 'a contract created at the address of a base or vesting account succeeds, and its code is lost',
    source: 'docs/modules/evm.md#rules',
  },
  moduleCallsRaiseNonces: {
    about:
      'a conversion raises the nonce of the account whose tokens it moves, also when another account sends the message for it',
    source: 'docs/modules/evm.md#calls-by-the-module',
  },
  anyoneMapsFactoryDenoms: {
    about: 'any account can map a factory denom to its ERC-20, and so fix its name, symbol and decimals',
    source: 'docs/modules/evm.md#funtoken',
  },
  wholeOutput: {
    about:
      'the response of an Ethereum transaction contains all bytes that its code returned, not at most one for each 16 gas used',
    source: 'docs/modules/evm.md#execution',
  },
  callsRunBeforeGas: {
    about:
      'a call of a contract in a message runs with its full limit and is charged afterwards, also if the message has less gas left',
    source: 'docs/modules/evm.md#calls-by-the-module',
  },
  callsPayForStores: {
    about:
      'a message pays the gas of the stores for each access of its calls of contracts to the state; its calls share warm addresses, slots and refunds',
    source: 'docs/modules/evm.md#calls-by-the-module, recorded at v2.11',
  },
  flatPrecompileGas: {
    about:
      "a call of the chain's precompiles pays for the bytes of its arguments and not for its work, which is only limited",
    source: 'docs/modules/evm.md#precompiles, ADR 0012',
  },
  innerCallsForgetAccess: {
    about: 'a call by a precompile starts with a new access list, and its caller continues with that list',
    source: 'docs/evm-internals.md',
  },
  vintageOraclePrices: {
    about: 'the oracle precompile returns prices of any age',
    source: 'recorded at v2.11',
  },
  slashWindowInBlocks: {
    about: 'the slash window of the oracle counts blocks, not voting periods',
    source: 'D6, docs/modules/oracle.md#parameters',
  },
  missesByPair: {
    about: 'a voting period can cost several misses, one for each wrongly voted pair, and silence costs none',
    source: 'D11, docs/modules/oracle.md#formulas',
  },
  snapshotsForEver: {
    about: 'price snapshots are never deleted',
    source: 'docs/modules/oracle.md#state',
  },
  averagesWithinWindow: {
    about: 'an average price omits the price in force when its window begins, and has neither time nor height',
    source: 'D11, docs/modules/oracle.md#formulas',
  },
  ratesOffTheWhitelist: {
    about: '`exchange_rates` lists every pair that ever had a rate',
    source: 'D7, D36',
  },
  voteTargetsAfterTally: {
    about: 'vote targets are renewed when they differ from those whose ballots passed',
    source: 'docs/modules/oracle.md#formulas',
  },
  votesForTargetsAlone: {
    about: 'a vote for a pair that is no longer a target is refused as a whole',
    source: 'docs/modules/oracle.md#messages',
  },
  oracleEditsAtOnce: {
    about: 'edited oracle parameters take effect at once, not at the next voting period',
    source: 'D26',
  },
  pairErrorsOfAsset: {
    about: 'an invalid pair is error 1 of codespace `asset`, not error 16 of `oracle`',
    source: 'docs/modules/oracle.md#errors',
  },
  rewardIdsFromTheLast: {
    about: 'after a genesis with oracle rewards, the next reward reuses the id of the last one',
    source: 'docs/modules/oracle.md#state',
  },
  driftingEpochs: {
    about:
      'an epoch starts at the time of the block that opens it, so that the schedule drifts and a late chain does not catch up',
    source: 'docs/modules/epochs.md#block-hooks, D19',
  },
  namelessEpochEvents: {
    about: 'epoch events do not contain the identifier',
    source: 'docs/modules/epochs.md#events, D19',
  },
  idleEpochsUncounted: {
    about: 'an epoch with a provision of 0 while inflation is on does not count as skipped',
    source: 'docs/modules/inflation.md#block-hooks, D43',
  },
  unvestedCirculates: {
    about: 'the circulating supply is the whole supply, including coins locked in vesting accounts',
    source: 'docs/modules/inflation.md#queries, D8',
  },
  sudoersEditParameters: {
    about: 'the sudo root and its contracts edit the parameters of inflation and oracle; governance does not',
    source: 'docs/modules/sudo.md#purpose, D22',
  },
  listedDigitsAsGiven: {
    about: 'lists of the sudo module contain hexadecimal addresses as given, not with the checksum of EIP-55',
    source: 'docs/modules/sudo.md#state',
  },
  permissionedCreation: {
    about: 'only governance, the sudo root and its contracts create factory denoms',
    source: 'docs/modules/tokenfactory.md#messages',
  },
  creationCostsNoGas: {
    about: 'creating a factory denom does not consume `denom_creation_gas_consume`',
    source: 'docs/modules/tokenfactory.md#parameters',
  },
  votesWantAllGas: {
    about: 'the result of a transaction of oracle votes has `gas_wanted` -1, not its gas limit',
    source: 'docs/modules/oracle.md#messages, recorded at v2.11',
  },
  createsDenomsTwice: {
    about: 'creating a factory denom stores its admin and its bank metadata twice, and pays gas for both',
    source: 'docs/modules/tokenfactory.md#messages, recorded at v2.11',
  },
  coinContractOfReference: {
    about:
      'the contract that is created for a coin has the code of the reference, built on OpenZeppelin, and so other gas; its functions and storage are the same',
    source: 'docs/modules/evm.md#funtoken, recorded at v2.11',
  },
  unregisteredErrors: {
    about:
      'failures of messages that the reference reports without a registered error have codespace `undefined` and code 1',
    source: 'docs/transactions.md#results, recorded at v2.11',
  },
  adminsStay: {
    about: 'the admin of a factory denom cannot be removed for good',
    source: 'docs/modules/tokenfactory.md#messages',
  },
  quietTokenMessages: {
    about: 'MsgSudoSetDenomMetadata and MsgBurnNative of the token factory emit no event of their own',
    source: 'docs/modules/tokenfactory.md#events',
  },
  factoryAccountWithoutNumber: {
    about: 'genesis creates the account of the token factory with number 0, which another account has too',
    source: 'docs/modules/tokenfactory.md#state',
  },
  doneMarkersByHeight: {
    about:
      'keys of upgrade done markers consist of height and name, not only the name, and `upgrade` has consensus version 2',
    source: 'docs/modules/upgrade.md#state, D54',
  },
  commandFieldsOverRest: {
    about: '`module_versions` accepts `?module_name=` over REST too, not only on the command line and gRPC',
    source: 'docs/modules/upgrade.md#queries',
  },
  referenceVersionMap: {
    about:
      'a new chain writes the consensus versions of the modules that the reference names, whatever else this build has',
    source: 'docs/modules/upgrade.md#state, recorded at v2.11',
  },
  wholeVersionMap: {
    about: 'those consensus versions cover all modules of the reference, not only those it named before',
    source: 'recorded at v2.17',
  },
  contractsRegisterThemselves: {
    about:
      'any account can register a contract owned by a contract or by governance; the registered contract receives the share',
    source: 'docs/modules/devgas.md#messages',
  },
  foreignGenesis: {
    about:
      'modules that this build does not have (`capability`, `crisis`, `ibc`, `icacontroller`, `icahost`, `params`, `transfer`, `wasm`) have the constant state in their stores that they write at genesis',
    source: 'docs/state-layout.md#foreign-modules, ADR 0015',
  },
  localhostClient: {
    about: 'every block updates the state of the localhost client in store `ibc`',
    source: 'docs/state-layout.md#foreign-modules',
  },
  wasmAnte: {
    about:
      'store `wasm` counts the ordinary transactions of a block; each pays gas for that, and for reads of zero-gas actors and of fee shares of Wasm contracts',
    source: 'docs/state-layout.md#foreign-modules, recorded at v2.11',
  },
  endsOfRevokedAllowances: {
    about: 'the expiration of a revoked fee allowance applies to a later one between the same accounts',
    source: 'feegrant of Cosmos SDK 0.47',
  },
  untoldProposalFailures: {
    about: 'the event of a failed proposal does not contain the reason',
    source: 'docs/modules/gov.md#events',
  },
  tombstonedKeysReturn: {
    about:
      'a new validator can have a consensus key that was tombstoned, or that a removed validator of another operator signed with',
    source: 'docs/modules/staking.md#messages, staking of Cosmos SDK 0.47',
  },
  feesInAnyDenom: {
    about: 'fees and deposits to the community pool can be in any denom',
    source: 'docs/modules/fees.md#purpose',
  },
  strangersVoteCheaply: {
    about: 'a transaction of one oracle vote, one prevote or both costs 500 gas, for any signer, number and size',
    source: 'docs/modules/oracle.md#messages',
  },
} as const satisfies Record<string, Behaviour>

export type BehaviourName = keyof typeof BEHAVIOURS

/** Whether each behaviour is on. */
export type Behaviours = Readonly<Record<BehaviourName, boolean>>

const NAMES = Object.keys(BEHAVIOURS) as BehaviourName[]

export function isBehaviour(name: string): name is BehaviourName {
  return Object.hasOwn(BEHAVIOURS, name)
}

export function behavioursOf(on: readonly BehaviourName[]): Behaviours {
  return Object.fromEntries(NAMES.map((name) => [name, on.includes(name)])) as Behaviours
}
