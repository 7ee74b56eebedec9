/** The record of a home, `home.json`: the choices that cannot change after the first start. */
import { join } from 'node:path'
import type { Profile } from '../identity/profiles/profile.ts'
import { findProfile } from '../identity/profiles.ts'
import { formatHex, utf8 } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import { sha256 } from '../primitives/hash.ts'
import type { ResolvedConfig } from './config.ts'
import type { Files } from './files.ts'
import { homeError } from './home-error.ts'
import type { HomePaths } from './home-paths.ts'
import { chooseProfile, profileOfFile } from './profile.ts'
import type { Setting } from './settings/setting.ts'
import { ALL_SETTINGS, type Config, SETTINGS } from './settings.ts'

/** Version of the layout of a home and its data. */
const HOME_FORMAT = 1
const MNEMONIC_KEY = 'chain.mnemonic'
const DEV_KEY = 'node.dev'

/** `home.json`. */
export interface HomeRecord {
  readonly format: number
  /** Genesis choices by `section.key`, as text. */
  readonly choices: Readonly<Record<string, string>>
  readonly choices_sha256: string
  /** Digest of the text of `genesis.json`. */
  readonly genesis_sha256: string
  /** Stores of the chain's state. */
  readonly stores: readonly string[]
  /** Present once the chain of the home has made a block. */
  readonly has_blocks?: true
}

const genesisSettings = ALL_SETTINGS.filter(({ setting }) => setting.genesis)

const choiceOf = (config: Config, section: string, name: string): string =>
  String((config[section as keyof Config] as Record<string, unknown>)[name])

/** Returns the choices of a new chain by `section.key`, in the form in which they are recorded. */
export function choicesOf(config: Config, files: Files): Record<string, string> {
  return Object.fromEntries(
    genesisSettings.map(({ name, setting: { section, key } }) => {
      const full = `${section}.${key}`
      return [full, recordedForm(full, choiceOf(config, section, name), files)]
    }),
  )
}

/** Returns the record of a new chain. */
export function createRecord(
  choices: Readonly<Record<string, string>>,
  genesisText: string,
  stores: readonly string[],
): HomeRecord {
  return {
    format: HOME_FORMAT,
    choices,
    choices_sha256: digestOf(choices),
    genesis_sha256: digestOfText(genesisText),
    stores: [...stores],
  }
}

/** Notes in the record of a home that its chain has made a block. */
export function recordBlocks(paths: HomePaths, files: Files): void {
  const record = parseRecord(paths, files.read(paths.record)!)
  if (!record.has_blocks) files.write(paths.record, renderRecord({ ...record, has_blocks: true }))
}

/** Returns the text of a record. */
export const renderRecord = (record: HomeRecord): string => `${JSON.stringify(record, null, 2)}\n`

/** Whether the mnemonic of a new chain is one of its own, which only its file contains. */
export const hasOwnMnemonic = (choices: Readonly<Record<string, string>>): boolean =>
  choices[MNEMONIC_KEY]!.startsWith(DIGEST)

/** Throws `failedPrecondition` if a setting that was given differs from the choice with which a chain began. */
export function requireSameChoices(
  paths: HomePaths,
  record: HomeRecord,
  { config, origins }: ResolvedConfig,
  files: Files,
): void {
  for (const { name, setting } of genesisSettings) {
    const key = `${setting.section}.${setting.key}`
    const origin = origins.get(key)
    if (origin === 'default') continue
    // An earlier build recorded no such choice, so that the operator decides.
    if (key === DEV_KEY && record.choices[key] === undefined) continue
    const given = recordedChoice(record, key, setting)
    const recorded = key === MNEMONIC_KEY ? recordedMnemonic(given) : given
    const asked = recordedForm(key, choiceOf(config, setting.section, name), files)
    if (asked === recorded || (setting.turnsOff && asked === 'false')) continue
    const source = origin === 'flag' ? `--${setting.flag}` : origin
    throw homeError(
      paths,
      `the chain in ${paths.root} began with ${key} = ${recorded || 'none'}, but ${source} is ${asked || 'none'}`,
      'choice',
    )
  }
}

/** Returns the choices of a recorded chain, with its mnemonic and with what the operator may still decide. */
export function choicesInForce(
  paths: HomePaths,
  record: HomeRecord,
  { config, origins }: ResolvedConfig,
  files: Files,
): Readonly<Record<string, string>> {
  return {
    ...record.choices,
    [DEV_KEY]: origins.get(DEV_KEY) === 'default' ? recordedDev(record) : String(config.node.dev),
    [MNEMONIC_KEY]: readMnemonic(paths, recordedChoice(record, MNEMONIC_KEY, SETTINGS.chain.mnemonic), files),
  }
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

/** Reads the text of a genesis document. Throws `notFound` if the file does not exist. */
export function readGenesisText(path: string, files: Files): string {
  const text = files.read(path)
  if (text === undefined) throw queryError('notFound', `--genesis ${path}: no such file`)
  return text
}

/** Returns the SHA-256 of a text, hexadecimal. */
export const digestOfText = (text: string): string => formatHex(sha256(utf8(text)))

const digestOf = (choices: Readonly<Record<string, string>>): string =>
  digestOfText(JSON.stringify(Object.entries(choices).sort(([a], [b]) => (a < b ? -1 : 1))))

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

/** Returns the profile of a recorded chain. Throws `failedPrecondition` if its file is missing or was edited. */
export function readProfile(paths: HomePaths, record: HomeRecord, files: Files): Profile {
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

/** Whether the chain of a home has made a block, also if its database is gone. Throws `failedPrecondition` for a damaged record. */
export function hadBlocks(paths: HomePaths, files: Files): boolean {
  const text = files.read(paths.record)
  return text !== undefined && parseRecord(paths, text).has_blocks === true
}

/** Reads the profile of the chain in a home. Throws `notFound` if the home has no chain. */
export function profileOfHome(paths: HomePaths, files: Files): Profile {
  const text = files.read(paths.record)
  if (text === undefined) throw queryError('notFound', `no chain in ${paths.root}`)
  return readProfile(paths, parseRecord(paths, text), files)
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

/** Reads a record. Throws `failedPrecondition` if it is damaged, was edited, or has another format. */
export function parseRecord(paths: HomePaths, text: string): HomeRecord {
  let record: HomeRecord
  try {
    record = JSON.parse(text) as HomeRecord
  } catch (error) {
    throw homeError(paths, `${paths.record} is damaged (${(error as Error).message})`, 'damage')
  }
  if (typeof record?.format !== 'number') throw homeError(paths, `${paths.record} is damaged (no format)`, 'damage')
  if (record.format !== HOME_FORMAT) {
    throw homeError(
      paths,
      `${paths.root} has format ${record.format}, and this build reads format ${HOME_FORMAT}`,
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
