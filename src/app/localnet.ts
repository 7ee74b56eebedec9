/** Genesis of a development chain: funded accounts, bonded validators, and the first account as sudo root (D22). */
import type { JsonValue } from '@bufbuild/protobuf'
import { evmChainIdOf } from '../identity/identity.ts'
import type { EvmRules } from '../identity/profiles/profile.ts'
import type { Identity } from '../identity/types.ts'
import { localnetGenesis as evmLocalnet } from '../modules/evm/development/localnet.ts'
import { formatBech32, ofModule } from '../primitives/address.ts'
import { formatBase64, formatHex0x } from '../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../primitives/hash.ts'
import type { ReadContext } from '../sdk/context.ts'
import { createReadContext } from '../sdk/create-context.ts'
import { createEmptyBranch } from '../store/branch.ts'
import { isOwn, modules } from './modules.ts'
import { createRouter } from './router.ts'
import type { GenesisDocument } from './types.ts'

/** Gas limit of a block: at this limit a block takes less than a second. */
const LOCALNET_BLOCK_GAS = 60_000_000n

/** Stake of each validator: 1,000 native, in addition to the operator's balance. */
const STAKE_UNATIVE = 1_000_000_000n
const NATIVE_EXPONENT = 6

/** The EVM of a localnet, beside its fork. Absent members are those of the profile. */
interface EvmChainConfig extends EvmRules {
  readonly chainId?: bigint
}

export interface LocalnetOptions {
  readonly identity: Identity
  readonly chainId: string
  /** RFC 3339. */
  readonly genesisTime: string
  /** Funded accounts. The account at an index operates the validator at that index; the first one is the sudo root. */
  readonly accounts: readonly { readonly address: Uint8Array; readonly balanceUnative: bigint }[]
  /** ed25519 keys, 32 bytes each; at least one, and no more than accounts. */
  readonly validators: readonly { readonly publicKey: Uint8Array }[]
  /** Accounts that vote on prices for the validator at the same index; without feeders the whitelist is empty (D25). */
  readonly feeders?: readonly Uint8Array[]
  readonly blockGasLimit?: bigint
  /** Height of the first block; 1 by default. */
  readonly initialHeight?: bigint
  /** Name of the hard fork; the newest by default. */
  readonly fork?: string
  /** Further rules of the EVM, and its chain id if it is not the profile's. */
  readonly evm?: EvmChainConfig
  /** Whether the chain has the contracts that programs know at fixed addresses; false by default. */
  readonly hasPredeploys?: boolean
  /** Voting and deposit period of proposals; two days by default. */
  readonly votingPeriodMs?: number
}

type JsonObject = { [key: string]: JsonValue }

/** Initial balance of a feeder, which pays its fees. */
const FEEDER_UNATIVE = 1_000_000_000n
/** Voting period with feeders, so that prices move within seconds. Unit: blocks. */
const FED_VOTE_PERIOD = 3

/** Creates a context without state, which is enough for the defaults of modules. */
export function emptyContext(identity: Identity, chainId: string): ReadContext {
  return createReadContext({
    store: createEmptyBranch(),
    identity,
    app: createRouter(modules).facts,
    block: {
      height: 0n,
      timeNs: 0n,
      chainId,
      evmChainId: evmChainIdOf(identity, chainId),
      proposer: new Uint8Array(0),
      hash: new Uint8Array(0),
      lastCommitHash: new Uint8Array(0),
      gasLimit: 0n,
      votes: [],
    },
  })
}

/** Returns accounts of the kind of new accounts, or base accounts if queries expose that kind, which common clients do not support. */
function authState(options: LocalnetOptions, text: (bytes: Uint8Array) => string): JsonValue[] {
  const { toProfileName, behaviours } = options.identity
  const type = (neutral: string) => ({ '@type': `/${toProfileName(neutral)}` })
  const all = [...options.accounts.map(({ address }) => address), ...(options.feeders ?? [])]
  return all.map((address, i) => {
    const base = { address: text(address), pub_key: null, account_number: i.toString(), sequence: '0' }
    return behaviours.exposeEthAccount
      ? { ...type('sdk.auth.v1beta1.BaseAccount'), ...base }
      : { ...type('chain.types.v1.EthAccount'), base_account: base, code_hash: formatHex0x(EMPTY_CODE_HASH) }
  })
}

function bankState(
  { identity, accounts, validators, feeders = [] }: LocalnetOptions,
  text: (bytes: Uint8Array) => string,
): JsonObject {
  const { baseDenom: denom, displayDenom: display, wrappedNativeSymbol } = identity
  const holders = [
    ...accounts.map(({ address, balanceUnative }) => ({ address, amount: balanceUnative })),
    ...feeders.map((address) => ({ address, amount: FEEDER_UNATIVE })),
    { address: ofModule('bonded_tokens_pool'), amount: STAKE_UNATIVE * BigInt(validators.length) },
  ].filter(({ amount }) => amount > 0n)
  const total = holders.reduce((sum, { amount }) => sum + amount, 0n)
  const symbol = wrappedNativeSymbol.replace(/^W/, '')
  return {
    balances: holders.map(({ address, amount }) => ({
      address: text(address),
      coins: [{ denom, amount: amount.toString() }],
    })),
    supply: [{ denom, amount: total.toString() }],
    denom_metadata: [
      {
        description: 'The native coin, which pays for gas and is staked',
        denom_units: [
          { denom, exponent: 0, aliases: [] },
          { denom: display, exponent: NATIVE_EXPONENT, aliases: [] },
        ],
        base: denom,
        display,
        name: display.charAt(0).toUpperCase() + display.slice(1),
        symbol,
        uri: '',
        uri_hash: '',
      },
    ],
  }
}

function stakingState({ identity, accounts, validators, genesisTime }: LocalnetOptions): JsonObject {
  const shares = `${STAKE_UNATIVE}.${'0'.repeat(18)}`
  const operatorText = (i: number) => formatBech32(identity.bech32.validator, accounts[i]!.address)
  return {
    validators: validators.map(({ publicKey }, i) => ({
      operator_address: operatorText(i),
      consensus_pubkey: {
        '@type': `/${identity.toProfileName('sdk.crypto.ed25519.PubKey')}`,
        key: formatBase64(publicKey),
      },
      status: 'BOND_STATUS_BONDED',
      tokens: STAKE_UNATIVE.toString(),
      delegator_shares: shares,
      description: { moniker: validators.length === 1 ? 'localnet' : `localnet ${i}` },
      unbonding_time: '1970-01-01T00:00:00Z',
      commission: {
        commission_rates: { rate: '0.05', max_rate: '0.2', max_change_rate: '0.01' },
        update_time: genesisTime,
      },
      min_self_delegation: '1',
    })),
    delegations: validators.map((_, i) => ({
      delegator_address: formatBech32(identity.bech32.account, accounts[i]!.address),
      validator_address: operatorText(i),
      shares,
    })),
  }
}

/** Returns the oracle's genesis: the default whitelist with feeders, an empty one without. `defaults` is the module's default genesis. */
function oracleState(
  { identity, feeders = [] }: LocalnetOptions,
  operators: readonly Uint8Array[],
  defaults: JsonObject,
): JsonObject {
  const params = defaults['params'] as JsonObject
  if (feeders.length === 0) return { params: { ...params, whitelist: [] } }
  const { account, validator } = identity.bech32
  return {
    params: { ...params, vote_period: FED_VOTE_PERIOD.toString() },
    feeder_delegations: feeders.map((feeder, i) => ({
      feeder_address: formatBech32(account, feeder),
      validator_address: formatBech32(validator, operators[i]!),
    })),
  }
}

function govState(votingPeriodMs: number, { params }: JsonObject): JsonObject {
  const period = `${votingPeriodMs / 1000}s`
  return { params: { ...(params as JsonObject), voting_period: period, max_deposit_period: period } }
}

/** Returns the choices for the EVM. */
function evmConfig({ identity, chainId, evm, fork, hasPredeploys }: LocalnetOptions) {
  return {
    ...evm,
    ...(fork !== undefined && { fork }),
    ...(hasPredeploys && { predeploysFor: evm?.chainId ?? evmChainIdOf(identity, chainId) }),
  }
}

/** Returns the genesis document of a localnet. Throws `RangeError` for fewer accounts than validators, or no validator. */
export function localnetGenesis(options: LocalnetOptions): GenesisDocument {
  const { identity, chainId, genesisTime, accounts, validators, blockGasLimit = LOCALNET_BLOCK_GAS } = options
  const [first] = accounts
  if (!first || validators.length === 0 || validators.length > accounts.length) {
    throw new RangeError('a localnet needs at least one validator, and an account for each validator')
  }
  const operators = accounts.slice(0, validators.length).map(({ address }) => address)
  const text = (bytes: Uint8Array) => formatBech32(identity.bech32.account, bytes)
  const ctx = emptyContext(identity, chainId)
  const sections = modules.filter(({ name }) => !(isOwn(name) && identity.behaviours.ownStoreOutsideAppHash))
  const state: Record<string, JsonObject> = Object.fromEntries(
    sections.flatMap(({ name, genesis }) => (genesis ? [[name, genesis.defaults(ctx) as JsonObject]] : [])),
  )
  const merge = (name: string, part: JsonObject) => ({ [name]: { ...state[name], ...part } })
  return {
    chain_id: chainId,
    genesis_time: genesisTime,
    initial_height: (options.initialHeight ?? 1n).toString(),
    consensus_params: {
      block: { max_bytes: '22020096', max_gas: blockGasLimit > 0n ? blockGasLimit.toString() : '-1' },
      evidence: { max_age_num_blocks: '100000', max_age_duration: '172800000000000', max_bytes: '1048576' },
      validator: { pub_key_types: ['ed25519'] },
      version: { app: '0' },
      abci: { vote_extensions_enable_height: '0' },
    },
    app_hash: '',
    app_state: {
      ...state,
      ...merge('auth', { accounts: authState(options, text) }),
      ...merge('bank', bankState(options, text)),
      ...merge('staking', stakingState(options)),
      ...(state['oracle'] && merge('oracle', oracleState(options, operators, state['oracle']))),
      ...(options.votingPeriodMs !== undefined && merge('gov', govState(options.votingPeriodMs, state['gov']!))),
      ...merge('sudo', { sudoers: { root: text(first.address), contracts: [] } }),
      ...merge('evm', evmLocalnet(ctx, evmConfig(options)) as JsonObject),
    },
  }
}
