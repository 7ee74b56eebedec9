/** The chain of a start: that of a home, or a temporary one. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { withChainConfig } from '../app/chain-config.ts'
import { parseGenesis } from '../app/genesis-document.ts'
import { tryGenesis } from '../app/genesis-validate.ts'
import { type LocalnetOptions, localnetGenesis } from '../app/localnet.ts'
import { storeNames } from '../app/modules.ts'
import type { GenesisDocument, GenesisState } from '../app/types.ts'
import { upgrades } from '../app/upgrades/table.ts'
import type { Upgrade } from '../app/upgrades/types.ts'
import { createIdentity } from '../identity/identity.ts'
import type { Profile } from '../identity/profiles/profile.ts'
import type { Identity } from '../identity/types.ts'
import { defaultFork } from '../modules/evm/keeper.ts'
import { ofSecp256k1 } from '../primitives/address.ts'
import { formatBase64 } from '../primitives/bytes.ts'
import type { Progress } from '../primitives/progress.ts'
import { formatRfc3339Nano, NS_PER_MS } from '../primitives/time.ts'
import { publicKeyOf } from '../sdk/crypto.ts'
import { deriveAccounts, deriveFeederKeys } from './accounts.ts'
import { configError, parseMilliseconds, type ResolvedConfig } from './config.ts'
import type { Files } from './files.ts'
import { type Home, type NewChain, openHome } from './home.ts'
import { readGenesisText } from './home-record.ts'
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
  /** Shows the check of a genesis document. */
  readonly progress?: Progress | undefined
}

/** A chain whose store is not open yet. */
export interface OpenedChain {
  readonly home: Home | undefined
  readonly config: Config
  readonly profile: Profile
  readonly genesis: GenesisDocument
  /** Returns the state of a new chain's document once, if it was imported to check it. It is large, so it is not kept. */
  readonly takeChecked: () => GenesisState | undefined
  /** Keys of the validators that this node runs. The first is the key of `priv_validator_key.json`. */
  readonly validatorKeys: readonly ValidatorKey[]
}

/**
 * Opens the chain of the home, or creates it. Without a home it creates one in memory. Adds the release of the lock to
 * `undo`.
 */
export function openChain(
  { resolved, home: root, random, build, progress }: ChainOptions,
  files: Files,
  clock: () => number,
  undo: (() => unknown)[],
): OpenedChain {
  let checked: GenesisState | undefined
  const create = (key: ValidatorKey): NewChain => {
    const { checked: found, ...chain } = createChain(resolved, key, files, clock, progress)
    // The check knows no modules but those of this package.
    if (!build) checked = found
    return chain
  }
  const takeChecked = (): GenesisState | undefined => {
    const taken = checked
    checked = undefined
    return taken
  }
  if (root === undefined) {
    const { mnemonic, id } = resolved.config.chain
    const validatorKey = derivedValidatorKey(mnemonic, id)
    const { config, genesis, profile } = create(validatorKey)
    return {
      home: undefined,
      config,
      takeChecked,
      profile: withChainConfig(profile.profile, genesis),
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
    createChain: create,
  })
  const { config, genesis, validatorKey } = home
  const profile = withChainConfig(home.profile, genesis)
  return { home, config, profile, genesis, takeChecked, validatorKeys: ownKeys(validatorKey, config, genesis) }
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

/**
 * Creates a localnet whose validators have the keys of `keysOf`. Writes nothing. Throws `invalidArgument` for settings that
 * contradict each other.
 */
export function createLocalnet(
  { config, origins }: ResolvedConfig,
  keysOf: (config: Config) => readonly ValidatorKey[],
  files: Files,
  clock: () => number,
): NewChain {
  const profile = chooseProfile(config.chain.profile, files)
  const identity = createIdentity(profile.profile)
  const named = origins.get('chain.id') !== 'default'
  if (named) requireTextId(config.chain.id)
  const settled = withFacts(config, {
    id: named ? config.chain.id : identity.defaultChainId,
    fork: origins.get('chain.fork') === 'default' ? defaultFork({ identity }) : config.chain.fork,
  })
  return { config: settled, profile, genesis: buildGenesis(settled, keysOf(settled), identity, clock) }
}

/** Creates a chain from the document of `--genesis`, or a localnet. Writes nothing. */
function createChain(
  resolved: ResolvedConfig,
  key: ValidatorKey,
  files: Files,
  clock: () => number,
  progress: Progress | undefined,
): NewChain & { readonly checked?: GenesisState } {
  const { config } = resolved
  if (config.chain.genesis === '') return createLocalnet(resolved, (settled) => allKeys(key, settled), files, clock)
  const profile = chooseProfile(config.chain.profile, files)
  const identity = createIdentity(profile.profile)
  const named = resolved.origins.get('chain.id') !== 'default'
  for (const { section, key: name, flag } of LOCALNET_SETTINGS) {
    if (resolved.origins.get(`${section}.${name}`) !== 'default') {
      throw configError(`${section}.${name} (--${flag}) is for a new localnet; with --genesis the document sets it`)
    }
  }
  const path = config.chain.genesis
  const genesis = parseGenesis(readGenesisText(path, files), path)
  if (named && genesis.chain_id !== config.chain.id) {
    requireTextId(config.chain.id)
    throw configError(`${path}: chain_id is ${genesis.chain_id}, but --chain-id is ${config.chain.id}`)
  }
  const chain = { config: withFacts(config, { id: genesis.chain_id }), profile, genesis }
  // A replica reads its state from the node, and executes nothing of the document.
  if (config.consensus.engine === 'follow') return chain
  // Check before anything is written: a home that cannot start would block the next attempt.
  const checked = tryGenesis(genesis, profile.profile, progress?.('entries checked'))
  requireSafeDocument(config, genesis, identity)
  return { ...chain, checked }
}

const LOCALNET_SETTINGS = [
  SETTINGS.chain.validators,
  SETTINGS.chain.balance,
  SETTINGS.chain.blockGasLimit,
  SETTINGS.chain.votingPeriod,
  SETTINGS.chain.fork,
  SETTINGS.chain.evmChainId,
  SETTINGS.chain.derivationPath,
  SETTINGS.chain.initialHeight,
  SETTINGS.chain.codeSizeLimit,
  SETTINGS.chain.txGasLimit,
  SETTINGS.chain.unprotectedTxs,
  SETTINGS.chain.predeploys,
]

/** Returns the EVM settings of a new localnet, as its genesis document states them. */
function evmOf({ chain }: Config): NonNullable<LocalnetOptions['evm']> {
  return {
    ...(chain.evmChainId > 0n && { chainId: chain.evmChainId }),
    ...(chain.codeSizeLimit > 0 && { codeSizeLimit: chain.codeSizeLimit }),
    ...(chain.unprotectedTxs && { allowsUnprotected: true }),
    ...(!chain.txGasLimit && { hasNoTxGasLimit: true }),
  }
}

/** Returns a derivation path. Throws `invalidArgument` for any other text. */
function requirePath(text: string): string {
  const steps = text.split('/').slice(1)
  const isPath =
    text.startsWith('m/') && steps.every((step) => /^\d{1,10}'?$/.test(step) && Number.parseInt(step, 10) < 2 ** 31)
  if (isPath) return text
  throw configError(
    `chain.derivation_path (--derivation-path) is "${text}": it must be a path such as m/44'/60'/0'/0, steps below 2147483648`,
  )
}

/** Throws `invalidArgument` for a new chain id that is a number, which users of Ethereum's tools mean as the EVM's. */
function requireTextId(id: string): void {
  if (!/^(\d+|0x[0-9a-f]+)$/i.test(id)) return
  throw configError(
    `chain.id is "${id}": the chain id is a text such as ${SETTINGS.chain.id.fallback}; the EVM chain id, a number, is chain.evm_chain_id (--evm-chain-id ${id})`,
  )
}

function withFacts(config: Config, facts: Partial<Config['chain']>): Config {
  return { ...config, chain: { ...config.chain, ...facts } }
}

function buildGenesis(
  config: Config,
  keys: readonly ValidatorKey[],
  identity: Identity,
  clock: () => number,
): GenesisDocument {
  const { mnemonic, accounts, validators, balance, blockGasLimit, id, fork, votingPeriod, derivationPath } =
    config.chain
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
    accounts: deriveAccounts(mnemonic, accounts, identity, requirePath(derivationPath)).map(({ addressBytes }) => ({
      address: addressBytes,
      balanceUnative: balance * UNATIVE_PER_NATIVE,
    })),
    validators: keys,
    ...(config.feeder.enabled && {
      feeders: deriveFeederKeys(mnemonic, validators).map((key) => ofSecp256k1(publicKeyOf(key))),
    }),
    blockGasLimit,
    fork,
    evm: evmOf(config),
    initialHeight: config.chain.initialHeight,
    hasPredeploys: config.chain.predeploys,
    votingPeriodMs: parseMilliseconds(votingPeriod)!,
  })
}
