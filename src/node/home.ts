/** The opening and the creation of a node's home folder. */
import { resolve } from 'node:path'
import type { GenesisDocument } from '../app/types.ts'
import type { Profile } from '../identity/profiles/profile.ts'
import { parseSetting, type ResolvedConfig, resolveConfig } from './config.ts'
import { renderConfigFile } from './config-file.ts'
import type { Files } from './files.ts'
import { homeError } from './home-error.ts'
import { type HomePaths, homePaths } from './home-paths.ts'
import {
  choicesInForce,
  choicesOf,
  createRecord,
  digestOfText,
  hasOwnMnemonic,
  parseRecord,
  readProfile,
  renderRecord,
  requireSameChoices,
} from './home-record.ts'
import type { ChosenProfile } from './profile.ts'
import { ALL_SETTINGS, type Config } from './settings.ts'
import { formatValidatorKey, parseValidatorKey, type ValidatorKey } from './validator-key.ts'

export interface Home {
  readonly paths: HomePaths
  readonly config: Config
  readonly profile: Profile
  readonly genesis: GenesisDocument
  readonly validatorKey: ValidatorKey
  /** Whether this start created the chain. */
  readonly isNew: boolean
}

export interface HomeOptions {
  readonly root: string
  readonly files: Files
  readonly resolved: ResolvedConfig
  /** Names of the stores that this build can open. */
  readonly stores: readonly string[]
  readonly createValidatorKey: () => ValidatorKey
  /** Called once, for a home without a chain. */
  readonly createChain: (key: ValidatorKey) => NewChain
}

/** The settings, profile and genesis document of a new chain. */
export interface NewChain {
  readonly config: Config
  readonly profile: ChosenProfile
  readonly genesis: GenesisDocument
}

/**
 * Opens a home, or creates one. A start never changes the choices of a home: throws `failedPrecondition` with the difference
 * and the remedies if a genesis choice differs from the recorded one, or the home has another format.
 */
export function openHome(options: HomeOptions): Home {
  const paths = homePaths(options.root)
  const text = options.files.read(paths.record)
  return text === undefined ? createHome(paths, options) : reopenHome(paths, text, options)
}

function createHome(paths: HomePaths, { files, resolved, stores, createValidatorKey, createChain }: HomeOptions): Home {
  if (files.list(paths.data).length > 0) {
    throw homeError(paths, `${paths.data} contains a chain, but its record ${paths.record} is missing`, 'damage')
  }
  const keyText = files.read(paths.validatorKey)
  const validatorKey = keyText === undefined ? createValidatorKey() : parseValidatorKey(keyText, paths.validatorKey)
  const { config, profile, genesis } = createChain(validatorKey)
  const choices = choicesOf(config, files)
  const genesisText = `${JSON.stringify(genesis, null, 2)}\n`
  const found = files.read(paths.genesis)
  if (found !== undefined && found !== genesisText && resolve(config.chain.genesis) !== resolve(paths.genesis)) {
    throw homeError(
      paths,
      `${paths.genesis} exists, but the record of its chain, ${paths.record}, is missing`,
      'document',
    )
  }
  const record = createRecord(choices, genesisText, stores)
  if (files.read(paths.config) === undefined) {
    files.write(
      paths.config,
      // The path of a file is not stored: the file can be gone at the next start, and its content is in the home.
      renderConfigFile(resolved, ({ genesis: isChoice, key }) => {
        return isChoice === true && key !== 'genesis' && (key !== 'profile' || profile.text === undefined)
      }),
    )
  }
  files.write(paths.validatorKey, formatValidatorKey(validatorKey), { secret: true })
  if (hasOwnMnemonic(choices)) {
    files.write(paths.mnemonic, `${config.chain.mnemonic}\n`, { secret: true, durable: true })
  }
  if (profile.text !== undefined) files.write(paths.profile, profile.text)
  files.write(paths.genesis, genesisText)
  files.write(paths.record, renderRecord(record))
  return { paths, config, profile: profile.profile, genesis, validatorKey, isNew: true }
}

function reopenHome(paths: HomePaths, text: string, { files, resolved, stores }: HomeOptions): Home {
  const record = parseRecord(paths, text)
  requireSameChoices(paths, record, resolved, files)
  const unknown = record.stores.filter((store) => !stores.includes(store))
  if (unknown.length > 0) {
    throw homeError(
      paths,
      `the chain in ${paths.root} has stores that this build does not know: ${unknown.join(', ')}`,
      'build',
    )
  }
  const genesis = files.read(paths.genesis)
  const key = files.read(paths.validatorKey)
  if (genesis === undefined) throw homeError(paths, `${paths.genesis} is missing`, 'damage')
  if (digestOfText(genesis) !== record.genesis_sha256) {
    throw homeError(paths, `${paths.genesis} was edited: it no longer matches the digest in ${paths.record}`, 'damage')
  }
  if (key === undefined) throw homeError(paths, `${paths.validatorKey} is missing`, 'damage')
  return {
    paths,
    config: withChoices(resolved.config, choicesInForce(paths, record, resolved, files)),
    profile: readProfile(paths, record, files),
    genesis: JSON.parse(genesis) as GenesisDocument,
    validatorKey: parseValidatorKey(key, paths.validatorKey),
    isNew: false,
  }
}

/**
 * Returns settings with the choices of the chain in a home, if there is one. Throws `failedPrecondition` as `openHome` does for a
 * choice that differs, and for a damaged record.
 */
export function withRecordedChoices(paths: HomePaths, resolved: ResolvedConfig, files: Files): ResolvedConfig {
  const text = files.read(paths.record)
  if (text === undefined) return resolved
  const record = parseRecord(paths, text)
  requireSameChoices(paths, record, resolved, files)
  return { ...resolved, config: withChoices(resolved.config, choicesInForce(paths, record, resolved, files)) }
}

/** Returns the configuration with the recorded choices, which precede the defaults of this build. */
function withChoices(config: Config, choices: Readonly<Record<string, string>>): Config {
  const caller: Record<string, Record<string, unknown>> = {}
  for (const { name, setting } of ALL_SETTINGS) {
    const recorded = choices[`${setting.section}.${setting.key}`]
    const value =
      recorded === undefined
        ? (config[setting.section as keyof Config] as Record<string, unknown>)[name]
        : parseSetting(setting, recorded, 'home.json')
    const section = caller[setting.section] ?? {}
    section[name] = value
    caller[setting.section] = section
  }
  return resolveConfig({ caller }).config
}
