/** Which chain a start is about: that of a home, or one that leaves nothing behind; and where its store lies. */
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
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
import { formatRfc3339Nano } from '../primitives/time.ts'
import { publicKeyOf } from '../sdk/crypto.ts'
import { deriveAccounts, deriveFeederKeys } from './accounts.ts'
import { configError, parseMilliseconds, type ResolvedConfig } from './config.ts'
import { createEphemeralFolder } from './ephemeral-folder.ts'
import type { Files } from './files.ts'
import { type Beginning, type Home, openHome, readGenesisText } from './home.ts'
import { acquireLock } from './lock.ts'
import { chooseProfile } from './profile.ts'
import { type Config, SETTINGS } from './settings.ts'
import { derivedValidatorKey, type ValidatorKey, validatorKeyOf } from './validator-key.ts'

const UNATIVE_PER_NATIVE = 1_000_000n

export interface ChainOptions {
  readonly resolved: ResolvedConfig
  /** Folder of the chain; undefined leaves nothing behind. */
  readonly home: string | undefined
  readonly random?: (length: number) => Uint8Array
  readonly build?: { readonly upgrades?: readonly Upgrade[] }
}

/** A chain before its store is opened. */
export interface Begun {
  readonly home: Home | undefined
  readonly config: Config
  readonly profile: Profile
  readonly genesis: GenesisDocument
  /** Of every validator that this node is; the first is that of `priv_validator_key.json`. */
  readonly validatorKeys: readonly ValidatorKey[]
}

/** The chain of the home, or one of its own. */
export function openChain(
  { resolved, home: root, random, build }: ChainOptions,
  files: Files,
  clock: () => number,
  undo: (() => unknown)[],
): Begun {
  if (root === undefined) {
    const { mnemonic, id } = resolved.config.chain
    const validatorKey = derivedValidatorKey(mnemonic, id)
    const { config, genesis, profile } = begin(resolved, validatorKey, files, clock)
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
    begin: (key) => begin(resolved, key, files, clock),
  })
  const { config, profile, genesis, validatorKey } = home
  return { home, config, profile, genesis, validatorKeys: ownKeys(validatorKey, config, genesis) }
}

/** The stores that this build can open a chain with: its own, and those that its upgrades take over or remove. */
function knownStores(upgrades: readonly Upgrade[]): readonly string[] {
  const former = upgrades.flatMap(({ stores = {} }) => [
    ...(stores.renamed ?? []).map(({ from }) => from),
    ...(stores.deleted ?? []),
  ])
  return [...storeNames, ...former]
}

/** The keys of a localnet's validators, the node's own first. */
function allKeys(first: ValidatorKey, { chain }: Config): readonly ValidatorKey[] {
  const others = Array.from({ length: chain.validators - 1 }, (_, i) =>
    derivedValidatorKey(chain.mnemonic, chain.id, i + 1),
  )
  return [first, ...others]
}

/** The keys of this node: all of a localnet; those of a document's validators that the mnemonic gives, as of a localnet's export. */
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

/** What a new chain begins with: the document of `--genesis`, or a localnet. */
function begin(resolved: ResolvedConfig, key: ValidatorKey, files: Files, clock: () => number): Beginning {
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
  for (const { section, key: name, flag } of ONLY_OF_LOCALNETS) {
    if (resolved.origins.get(`${section}.${name}`) !== 'default') {
      throw configError(`${section}.${name} (--${flag}) is for a new localnet; with --genesis the document decides`)
    }
  }
  const path = config.chain.genesis
  const genesis = parseGenesis(readGenesisText(path, files), path)
  if (named && genesis.chain_id !== config.chain.id) {
    throw configError(`${path}: chain_id is ${genesis.chain_id}, and --chain-id says ${config.chain.id}`)
  }
  // Found out before anything is written: a home that cannot start would be in the way.
  validateGenesis(genesis, profile.profile)
  return { config: withFacts(config, { id: genesis.chain_id }), profile, genesis }
}

const ONLY_OF_LOCALNETS = [
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
  if (!/^[!-~]{1,50}$/.test(id)) throw configError(`chain.id is "${id}", and must be 1 to 50 characters without blanks`)
  if (validators > accounts) {
    throw configError(`chain.validators is ${validators}, and each needs one of the ${accounts} of chain.accounts`)
  }
  return localnetGenesis({
    identity,
    chainId: id,
    genesisTime: formatRfc3339Nano(BigInt(clock()) * 1_000_000n),
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

/** Where the store lies: in the home, in a temporary folder if workers must read it, or nowhere. */
export function dataFolder({ home }: Begun, config: Config, undo: (() => unknown)[]): string | undefined {
  if (home) return home.paths.data
  if (config.compute.workers === 0 && config.api.workers === 0) return undefined
  const folder = createEphemeralFolder()
  undo.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
