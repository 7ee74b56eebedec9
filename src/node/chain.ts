/** The chain of a start: that of a home, or a temporary one. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { parseGenesis } from '../app/genesis-document.ts'
import { validateGenesis } from '../app/genesis-validate.ts'
import { localnetGenesis } from '../app/localnet.ts'
import { storeNames } from '../app/modules.ts'
import type { GenesisDocument } from '../app/types.ts'
import { upgrades } from '../app/upgrades/table.ts'
import type { Upgrade } from '../app/upgrades/types.ts'
import { createIdentity } from '../identity/identity.ts'
import type { Profile } from '../identity/profiles/profile.ts'
import type { Identity } from '../identity/types.ts'
import { defaultFork } from '../modules/evm/keeper.ts'
import { ofSecp256k1 } from '../primitives/address.ts'
import { formatBase64 } from '../primitives/bytes.ts'
import { formatRfc3339Nano, NS_PER_MS } from '../primitives/time.ts'
import { publicKeyOf } from '../sdk/crypto.ts'
import { deriveAccounts, deriveFeederKeys } from './accounts.ts'
import { configError, parseMilliseconds, type ResolvedConfig } from './config.ts'
import type { Files } from './files.ts'
import { type Home, type NewChain, openHome, readGenesisText } from './home.ts'
import { requireSafeDocument } from './key-safety.ts'
import { acquireLock } from './lock.ts'
import { chooseProfile } from './profile.ts'
import { type Config, SETTINGS } from './settings.ts'
import { derivedValidatorKey, type ValidatorKey, validatorKeyOf } from './validator-key.ts'

const UNATIVE_PER_NATIVE = 1_000_000n

export interface ChainOptions {
  readonly resolved: ResolvedConfig
  /** Folder of the chain; undefined for a chain that is deleted at its end. */
  readonly home: string | undefined
  readonly random?: (length: number) => Uint8Array
  readonly build?: { readonly upgrades?: readonly Upgrade[] }
}

/** A chain whose store is not open yet. */
export interface OpenedChain {
  readonly home: Home | undefined
  readonly config: Config
  readonly profile: Profile
  readonly genesis: GenesisDocument
  /** Keys of the validators that this node runs. The first is the key of `priv_validator_key.json`. */
  readonly validatorKeys: readonly ValidatorKey[]
}

/**
 * Opens the chain of the home, or creates it. Without a home it creates one in memory. Adds the release of the lock to
 * `undo`.
 */
export function openChain(
  { resolved, home: root, random, build }: ChainOptions,
  files: Files,
  clock: () => number,
  undo: (() => unknown)[],
): OpenedChain {
  if (root === undefined) {
    const { mnemonic, id } = resolved.config.chain
    const validatorKey = derivedValidatorKey(mnemonic, id)
    const { config, genesis, profile } = createChain(resolved, validatorKey, files, clock)
    return {
      home: undefined,
      config,
      profile: profile.profile,
      validatorKeys: ownKeys(validatorKey, config, genesis),
      genesis,
    }
  }
  undo.push(acquireLock(join(root, 'lock'), files))
  const home = openHome({
    root,
    files,
    resolved,
    stores: knownStores(build?.upgrades ?? upgrades),
    createValidatorKey: () => validatorKeyOf(random?.(32) ?? new Uint8Array(randomBytes(32))),
    createChain: (key) => createChain(resolved, key, files, clock),
  })
  const { config, profile, genesis, validatorKey } = home
  return { home, config, profile, genesis, validatorKeys: ownKeys(validatorKey, config, genesis) }
}

/** Returns the names of the stores that a chain can have: this build's, and those that its upgrades rename or delete. */
function knownStores(upgrades: readonly Upgrade[]): readonly string[] {
  const former = upgrades.flatMap(({ stores = {} }) => [
    ...(stores.renamed ?? []).map(({ from }) => from),
    ...(stores.deleted ?? []),
  ])
  return [...storeNames, ...former]
}

/** Returns the keys of a localnet's validators, the key of `priv_validator_key.json` first. */
function allKeys(first: ValidatorKey, { chain }: Config): readonly ValidatorKey[] {
  const others = Array.from({ length: chain.validators - 1 }, (_, i) =>
    derivedValidatorKey(chain.mnemonic, chain.id, i + 1),
  )
  return [first, ...others]
}

/**
 * Returns the keys of this node: on a localnet all; with a genesis document its own, and those of the document's validators
 * that derive from the mnemonic, as in the export of a localnet.
 */
function ownKeys(first: ValidatorKey, config: Config, genesis: GenesisDocument): readonly ValidatorKey[] {
  const { mnemonic, id, genesis: document } = config.chain
  if (document === '') return allKeys(first, config)
  const { validators = [] } = (genesis.app_state['staking'] ?? {}) as {
    readonly validators?: readonly { readonly consensus_pubkey?: { readonly key?: unknown } }[]
  }
  const listed = new Set(validators.map((validator) => validator.consensus_pubkey?.key))
  const derived = validators.map((_, i) => derivedValidatorKey(mnemonic, id, i + 1))
  return [first, ...derived.filter(({ publicKey }) => listed.has(formatBase64(publicKey)))]
}

/** Creates a chain from the document of `--genesis`, or a localnet. Writes nothing. */
function createChain(resolved: ResolvedConfig, key: ValidatorKey, files: Files, clock: () => number): NewChain {
  const { config } = resolved
  const profile = chooseProfile(config.chain.profile, files)
  const identity = createIdentity(profile.profile)
  const named = resolved.origins.get('chain.id') !== 'default'
  if (config.chain.genesis === '') {
    const settled = withFacts(config, {
      id: named ? config.chain.id : identity.defaultChainId,
      fork: resolved.origins.get('chain.fork') === 'default' ? defaultFork({ identity }) : config.chain.fork,
    })
    return { config: settled, profile, genesis: buildGenesis(settled, key, identity, clock) }
  }
  for (const { section, key: name, flag } of LOCALNET_SETTINGS) {
    if (resolved.origins.get(`${section}.${name}`) !== 'default') {
      throw configError(`${section}.${name} (--${flag}) is for a new localnet; with --genesis the document sets it`)
    }
  }
  const path = config.chain.genesis
  const genesis = parseGenesis(readGenesisText(path, files), path)
  if (named && genesis.chain_id !== config.chain.id) {
    throw configError(`${path}: chain_id is ${genesis.chain_id}, but --chain-id is ${config.chain.id}`)
  }
  // Validate before anything is written: a home that cannot start would block the next attempt.
  validateGenesis(genesis, profile.profile)
  requireSafeDocument(config, genesis, identity)
  return { config: withFacts(config, { id: genesis.chain_id }), profile, genesis }
}

const LOCALNET_SETTINGS = [
  SETTINGS.chain.validators,
  SETTINGS.chain.balance,
  SETTINGS.chain.blockGasLimit,
  SETTINGS.chain.votingPeriod,
  SETTINGS.chain.fork,
]

function withFacts(config: Config, facts: Partial<Config['chain']>): Config {
  return { ...config, chain: { ...config.chain, ...facts } }
}

function buildGenesis(config: Config, key: ValidatorKey, identity: Identity, clock: () => number): GenesisDocument {
  const { mnemonic, accounts, validators, balance, blockGasLimit, id, fork, votingPeriod } = config.chain
  if (!/^[!-~]{1,50}$/.test(id))
    throw configError(`chain.id is "${id}": it must be 1 to 50 ASCII characters without blanks`)
  if (validators > accounts) {
    throw configError(
      `chain.validators is ${validators}, and each needs one of the ${accounts} accounts of chain.accounts`,
    )
  }
  return localnetGenesis({
    identity,
    chainId: id,
    genesisTime: formatRfc3339Nano(BigInt(clock()) * NS_PER_MS),
    accounts: deriveAccounts(mnemonic, accounts, identity).map(({ addressBytes }) => ({
      address: addressBytes,
      balanceUnative: balance * UNATIVE_PER_NATIVE,
    })),
    validators: allKeys(key, config),
    ...(config.feeder.enabled && {
      feeders: deriveFeederKeys(mnemonic, validators).map((key) => ofSecp256k1(publicKeyOf(key))),
    }),
    blockGasLimit,
    fork,
    votingPeriodMs: parseMilliseconds(votingPeriod)!,
  })
}
