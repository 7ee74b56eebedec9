/** The home folder of a node: its layout, and the choices that cannot change after the first start. */
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { GenesisDocument } from '../app/types.ts'
import type { Profile } from '../identity/profiles/profile.ts'
import { findProfile } from '../identity/profiles.ts'
import { formatHex, utf8 } from '../primitives/bytes.ts'
import { type ChainError, queryError } from '../primitives/errors.ts'
import { sha256 } from '../primitives/hash.ts'
import { parseSetting, type ResolvedConfig, resolveConfig } from './config.ts'
import { renderConfigFile } from './config-file.ts'
import type { Files } from './files.ts'
import { type ChosenProfile, chooseProfile, profileOfFile } from './profile.ts'
import type { Setting } from './settings/setting.ts'
import { ALL_SETTINGS, type Config, SETTINGS } from './settings.ts'
import { formatValidatorKey, parseValidatorKey, type ValidatorKey } from './validator-key.ts'

/** Version of the layout of a home and its data. */
const HOME_FORMAT = 1

export interface HomePaths {
  readonly root: string
  readonly config: string
  readonly record: string
  readonly genesis: string
  /** Exists only for a profile that came from a file. */
  readonly profile: string
  readonly validatorKey: string
  /** Exists only for a chain with a mnemonic of its own. */
  readonly mnemonic: string
  readonly data: string
  /** Snapshots of the state, for new nodes. */
  readonly snapshots: string
  readonly lock: string
  /** Home of the engine that this node runs. */
  readonly engine: string
}

/** Returns `ALMANAC_HOME`, else `~/.almanac`. */
export function defaultHome(): string {
  return process.env['ALMANAC_HOME'] ?? join(homedir(), '.almanac')
}

export function homePaths(root: string): HomePaths {
  return {
    root,
    config: join(root, 'config.toml'),
    record: join(root, 'home.json'),
    genesis: join(root, 'genesis.json'),
    profile: join(root, 'profile.json'),
    validatorKey: join(root, 'priv_validator_key.json'),
    mnemonic: join(root, 'mnemonic'),
    data: join(root, 'data'),
    snapshots: join(root, 'snapshots'),
    lock: join(root, 'lock'),
    engine: join(root, 'engine'),
  }
}

/** `home.json`. */
interface HomeRecord {
  readonly format: number
  /** Genesis choices by `section.key`, as text. */
  readonly choices: Readonly<Record<string, string>>
  readonly choices_sha256: string
  /** Digest of the text of `genesis.json`. */
  readonly genesis_sha256: string
  /** Stores of the chain's state. */
  readonly stores: readonly string[]
}

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

const genesisSettings = ALL_SETTINGS.filter(({ setting }) => setting.genesis)

const choiceOf = (config: Config, section: string, name: string): string =>
  String((config[section as keyof Config] as Record<string, unknown>)[name])

function choicesOf(config: Config, files: Files): Record<string, string> {
  return Object.fromEntries(
    genesisSettings.map(({ name, setting: { section, key } }) => {
      const full = `${section}.${key}`
      return [full, recordedForm(full, choiceOf(config, section, name), files)]
    }),
  )
}

/** Start of a choice that is recorded by its digest. */
const DIGEST = 'sha256:'

/**
 * Returns the recorded form of a choice. A file is recorded by the digest of its content, not by its path, and a mnemonic that
 * is not public by its digest.
 */
function recordedForm(key: string, value: string, files: Files): string {
  if (key === MNEMONIC_KEY) return recordedMnemonic(value)
  if (key === 'chain.profile') return chooseProfile(value, files).choice
  if (key !== 'chain.genesis' || value === '') return value
  return `${DIGEST}${digestOfText(readGenesisText(value, files))}`
}

const MNEMONIC_KEY = 'chain.mnemonic'

/** Returns the recorded form of a mnemonic, from itself or from that form. Earlier builds recorded every mnemonic as it is. */
function recordedMnemonic(value: string): string {
  const isPublic = value === SETTINGS.chain.mnemonic.fallback
  return isPublic || value.startsWith(DIGEST) ? value : `${DIGEST}${digestOfText(value)}`
}

/** Returns the mnemonic of a home. Throws `failedPrecondition` if its file is missing or was edited. */
function readMnemonic(paths: HomePaths, recorded: string, files: Files): string {
  if (!recorded.startsWith(DIGEST)) return recorded
  const text = files.read(paths.mnemonic)?.trim()
  if (text === undefined) throw homeError(paths, `${paths.mnemonic} is missing`, 'damage')
  if (recordedMnemonic(text) !== recorded) {
    throw homeError(paths, `${paths.mnemonic} was edited: it no longer matches the digest in ${paths.record}`, 'damage')
  }
  return text
}

/** Returns the paths of a home's files that contain keys. Earlier builds wrote a mnemonic to the record and the settings too. */
export function secretFiles(paths: HomePaths, files: Files): readonly string[] {
  const recorded = parseRecord(paths, files.read(paths.record)!).choices[MNEMONIC_KEY]
  const isPlain = recorded !== undefined && recordedMnemonic(recorded) !== recorded
  return [
    paths.validatorKey,
    paths.mnemonic,
    ...keyFiles(paths.root, files),
    ...(isPlain ? [paths.record, paths.config] : []),
  ]
}

/** Returns the paths of the key files in a home, of all keyrings. */
function keyFiles(root: string, files: Files): string[] {
  const folders = files.list(root).filter((name) => name.startsWith('keyring-'))
  return folders.flatMap((folder) => files.list(join(root, folder)).map((name) => join(root, folder, name)))
}

/** Reads the text of a genesis document. Throws `notFound` if the file does not exist. */
export function readGenesisText(path: string, files: Files): string {
  const text = files.read(path)
  if (text === undefined) throw queryError('notFound', `--genesis ${path}: no such file`)
  return text
}

const digestOfText = (text: string): string => formatHex(sha256(utf8(text)))

const digestOf = (choices: Readonly<Record<string, string>>): string =>
  digestOfText(JSON.stringify(Object.entries(choices).sort(([a], [b]) => (a < b ? -1 : 1))))

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
  const record: HomeRecord = {
    format: HOME_FORMAT,
    choices,
    choices_sha256: digestOf(choices),
    genesis_sha256: digestOfText(genesisText),
    stores: [...stores],
  }
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
  if (choices[MNEMONIC_KEY]!.startsWith(DIGEST)) {
    files.write(paths.mnemonic, `${config.chain.mnemonic}\n`, { secret: true, durable: true })
  }
  if (profile.text !== undefined) files.write(paths.profile, profile.text)
  files.write(paths.genesis, genesisText)
  files.write(paths.record, `${JSON.stringify(record, null, 2)}\n`)
  return { paths, config, profile: profile.profile, genesis, validatorKey, isNew: true }
}

function reopenHome(paths: HomePaths, text: string, { files, resolved, stores }: HomeOptions): Home {
  const record = parseRecord(paths, text)
  for (const { name, setting } of genesisSettings) {
    const key = `${setting.section}.${setting.key}`
    const origin = resolved.origins.get(key)
    if (origin === 'default') continue
    // An earlier build recorded no such choice, so that the operator decides.
    if (key === DEV_KEY && record.choices[key] === undefined) continue
    const given = recordedChoice(record, key, setting)
    const recorded = key === MNEMONIC_KEY ? recordedMnemonic(given) : given
    const asked = recordedForm(key, choiceOf(resolved.config, setting.section, name), files)
    if (asked === recorded || (setting.turnsOff && asked === 'false')) continue
    const source = origin === 'flag' ? `--${setting.flag}` : origin
    throw homeError(
      paths,
      `the chain in ${paths.root} began with ${key} = ${recorded || 'none'}, but ${source} is ${asked || 'none'}`,
      'choice',
    )
  }
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
    config: withChoices(resolved.config, {
      ...record.choices,
      [DEV_KEY]: resolved.origins.get(DEV_KEY) === 'default' ? recordedDev(record) : String(resolved.config.node.dev),
      [MNEMONIC_KEY]: readMnemonic(paths, recordedChoice(record, MNEMONIC_KEY, SETTINGS.chain.mnemonic), files),
    }),
    profile: readProfile(paths, record, files),
    genesis: JSON.parse(genesis) as GenesisDocument,
    validatorKey: parseValidatorKey(key, paths.validatorKey),
    isNew: false,
  }
}

const DEV_KEY = 'node.dev'

/**
 * Returns whether a home has a development chain. Earlier builds did not record it: their chains count as one only if their
 * mnemonic is the default, since the keys of an own mnemonic can guard more.
 */
function recordedDev({ choices }: HomeRecord): string {
  const mnemonic = choices[MNEMONIC_KEY] ?? SETTINGS.chain.mnemonic.fallback
  return choices[DEV_KEY] ?? String(mnemonic === SETTINGS.chain.mnemonic.fallback)
}

/** Returns a recorded choice; the default for a setting that is newer than the record. */
function recordedChoice({ choices }: HomeRecord, key: string, { fallback }: Setting): string {
  return choices[key] ?? String(fallback)
}

function readProfile(paths: HomePaths, record: HomeRecord, files: Files): Profile {
  const choice = recordedChoice(record, 'chain.profile', SETTINGS.chain.profile)
  const own = findProfile(choice)
  if (own) return own
  const text = files.read(paths.profile)
  if (text === undefined && !choice.includes(' ')) {
    throw homeError(
      paths,
      `the chain in ${paths.root} has the profile ${choice}, which this build does not know`,
      'build',
    )
  }
  if (text === undefined) throw homeError(paths, `${paths.profile} is missing`, 'damage')
  const found = profileOfFile(text, paths.profile)
  if (found.choice !== choice) {
    throw homeError(paths, `${paths.profile} was edited: it no longer matches the digest in ${paths.record}`, 'damage')
  }
  return found.profile
}

/** Reads the profile of the chain in a home. Throws `notFound` if the home has no chain. */
export function profileOfHome(paths: HomePaths, files: Files): Profile {
  const text = files.read(paths.record)
  if (text === undefined) throw queryError('notFound', `no chain in ${paths.root}`)
  return readProfile(paths, parseRecord(paths, text), files)
}

/** Throws `failedPrecondition` for a home without a database: its chain never made a block, or the data was deleted. */
export function requireDatabase({ root, data }: HomePaths, files: Files): void {
  if (files.list(data).length > 0) return
  throw queryError('failedPrecondition', `the chain in ${root} has no block yet: \`almanac start\` makes the first`)
}

function parseRecord(paths: HomePaths, text: string): HomeRecord {
  let record: HomeRecord
  try {
    record = JSON.parse(text) as HomeRecord
  } catch (error) {
    throw homeError(paths, `${paths.record} is damaged (${(error as Error).message})`, 'damage')
  }
  if (record?.format !== HOME_FORMAT) {
    throw homeError(
      paths,
      `${paths.root} has format ${record?.format}, and this build reads format ${HOME_FORMAT}`,
      'build',
    )
  }
  if (!isPlain(record.choices) || !Array.isArray(record.stores)) {
    throw homeError(paths, `${paths.record} is damaged (no choices, or no stores)`, 'damage')
  }
  if (digestOf(record.choices) !== record.choices_sha256) {
    throw homeError(
      paths,
      `the genesis choices in ${paths.record} were edited: they no longer match their digest`,
      'damage',
    )
  }
  return record
}

const isPlain = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

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

/** The first remedy, by the kind of problem. */
const FIRST_REMEDY = {
  choice: 'omit the setting: the chain continues with its own',
  build: 'start it with the build that created it; `almanac export` there prints its state as a genesis document',
  damage: 'restore the file from a copy',
  document: '--genesis FILE   begins a new chain with this document, or move it away',
}

function homeError({ root }: HomePaths, reason: string, first: keyof typeof FIRST_REMEDY): ChainError {
  return queryError(
    'failedPrecondition',
    `${reason}.\nThe genesis choices of a chain cannot change. Remedies:\n` +
      `  ${FIRST_REMEDY[first]}\n` +
      '  --home DIR   uses another home, with a chain of its own\n' +
      `  almanac reset --home ${root}   deletes this chain; the next start creates a new one` +
      (first === 'choice' ? `\n  almanac export --home ${root}   prints its state as a genesis document first` : ''),
  )
}
