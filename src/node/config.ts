/** The effective settings: defaults, `config.toml`, environment, flags, in rising precedence. */
import { parseGasPrices } from '../app/ante/gas-prices.ts'
import type { BlockTiming } from '../consensus/driver.ts'
import { LONGEST_INTERVAL_MS } from '../consensus/solo/pace.ts'
import { findProfile } from '../identity/profiles.ts'
import { type ChainError, queryError } from '../primitives/errors.ts'
import { parseDuration } from '../primitives/time.ts'
import { LOG_LEVELS_FORM, parseLogLevels } from './log-levels.ts'
import type { Setting } from './settings/setting.ts'
import { ALL_SETTINGS, type Config, SETTINGS } from './settings.ts'

/** The source of a value: where it was given, or what decided a value that was not. */
export type Origin =
  | 'default'
  | 'config.toml'
  | 'environment'
  | 'flag'
  | 'caller'
  | 'home.json'
  | 'consensus.engine'
  | 'node.public'

export interface ResolvedConfig {
  readonly config: Config
  /** The source of each setting, by `section.key`. */
  readonly origins: ReadonlyMap<string, Origin>
}

export interface ConfigSources {
  /** The parsed `config.toml`. */
  readonly file?: Readonly<Record<string, unknown>>
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Values of flags by their name without dashes. */
  readonly flags?: Readonly<Record<string, unknown>>
  /** Defaults of a command in place of those of the settings, as values of flags. */
  readonly presets?: Readonly<Record<string, string>>
  /** Settings that a program passes to `startNode`, by sections and names of `Config`. */
  readonly caller?: PartialConfig
}

export type PartialConfig = { readonly [Section in keyof Config]?: Partial<Config[Section]> }

/**
 * Parses `arrival`, `manual`, seconds, or a duration with its unit. Returns undefined for other texts and for lengths out of
 * range.
 */
export function parseBlockTime(text: string): BlockTiming | undefined {
  if (text === 'arrival' || text === 'manual') return { mode: text }
  const intervalMs = parseMilliseconds(text)
  const isInterval = intervalMs !== undefined && intervalMs >= 1 && intervalMs <= LONGEST_INTERVAL_MS
  return isInterval ? { mode: 'interval', intervalMs } : undefined
}

/** Parses `2` or `0.5` (seconds), `500ms`, `1m` to milliseconds. Returns undefined for other texts. */
export function parseMilliseconds(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000)
  const ns = parseDuration(text)
  return ns === undefined || ns < 0n ? undefined : Number(ns / 1000n) / 1000
}

const MEMORY_UNITS: Readonly<Record<string, number>> = { '': 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 }

/** Parses `256MB`, `1GB`, `4096` to bytes. Returns undefined for other texts. */
export function parseMemory(text: string): number | undefined {
  const match = /^(\d+)\s*(KB|MB|GB|)$/i.exec(text)
  return match ? Number(match[1]) * MEMORY_UNITS[match[2]!.toUpperCase()]! : undefined
}

/** Returns `ALMANAC_SECTION_KEY`. */
function environmentName({ section, key }: Setting): string {
  return `ALMANAC_${section}_${key}`.toUpperCase()
}

const isOneOf = (raw: unknown, texts: readonly string[]): boolean => typeof raw === 'string' && texts.includes(raw)

/** Whether a text can be the `Origin` of a browser, or is `*` for all. `null` is that of a page from a file. */
const isOrigin = (item: unknown): boolean =>
  typeof item === 'string' && /^(\*|null|[a-z][a-z0-9+.-]*:\/\/[^\s/?#@A-Z]+)$/.test(item)

/**
 * Parses a setting from text, a TOML value or a program's own type.
 * Throws `invalidArgument` with the key, the value and the expected form.
 */
export function parseSetting(setting: Setting, raw: unknown, where: string): unknown {
  const shown = typeof raw === 'string' ? `"${raw}"` : typeof raw === 'object' ? JSON.stringify(raw) : String(raw)
  const fail = (expected: string): never => {
    throw configError(`${where}: ${setting.section}.${setting.key} = ${shown}: must be ${expected}`)
  }
  const inRange = (value: number | bigint) =>
    (setting.min === undefined || value >= setting.min) && (setting.max === undefined || value <= setting.max)
  switch (setting.kind) {
    case 'integer': {
      const value = typeof raw === 'string' && /^-?\d+$/.test(raw) ? Number(raw) : raw
      if (typeof value !== 'number' || !Number.isInteger(value) || !inRange(value)) {
        return fail(`an integer from ${setting.min} to ${setting.max}`)
      }
      return value
    }
    case 'bigint': {
      const whole = typeof raw === 'string' && /^-?\d+$/.test(raw)
      const value = whole || (typeof raw === 'number' && Number.isInteger(raw)) ? BigInt(raw as string | number) : raw
      if (typeof value !== 'bigint' || !inRange(value)) return fail(`an integer from ${setting.min} to ${setting.max}`)
      return value
    }
    case 'boolean': {
      const value = isOneOf(raw, ['true', '1', 'on']) ? true : isOneOf(raw, ['false', '0', 'off']) ? false : raw
      return typeof value === 'boolean' ? value : fail('true or false')
    }
    case 'list': {
      const value = typeof raw === 'string' ? raw.split(',').filter((item) => item !== '') : raw
      const texts = Array.isArray(value) && value.every((item) => typeof item === 'string')
      return texts ? value : fail('a list of texts')
    }
    case 'heights': {
      const value = typeof raw === 'string' ? raw.split(',') : Array.isArray(raw) ? raw.map(String) : []
      const isList = Array.isArray(raw) || typeof raw === 'string'
      return isList && value.every((item) => /^[1-9]\d{0,17}$/.test(item))
        ? value
        : fail('heights of blocks such as 100 or 100,200')
    }
    case 'origins': {
      const value = typeof raw === 'string' ? raw.split(',').map((item) => item.trim()) : raw
      const items = Array.isArray(value) ? value.filter((item) => item !== '') : [undefined]
      return items.every(isOrigin)
        ? items
        : fail('origins as browsers send them, such as https://app.example without a path, or *')
    }
    case 'blockTime': {
      const value = typeof raw === 'number' ? String(raw) : raw
      if (typeof value !== 'string' || !parseBlockTime(value)) {
        return fail('"arrival", "manual", seconds such as 2 or 0.5, or a duration from "1ms" to "596h"')
      }
      return value
    }
    case 'duration': {
      const value = typeof raw === 'number' ? String(raw) : raw
      const ms = typeof value === 'string' ? parseMilliseconds(value) : undefined
      return ms !== undefined && inRange(ms)
        ? value
        : fail(`a duration such as "5s", from ${setting.min} ms to ${setting.max} ms`)
    }
    case 'memory': {
      const value = typeof raw === 'number' ? String(raw) : raw
      const bytes = typeof value === 'string' ? parseMemory(value) : undefined
      return bytes !== undefined && inRange(bytes)
        ? value
        : fail(`a size such as "256MB", from ${setting.min} to ${setting.max} bytes`)
    }
    case 'gasPrices':
      return typeof raw === 'string' && parseGasPrices(raw) ? raw : fail('prices such as "0.025unative", or empty')
    case 'logLevels': {
      const value = typeof raw === 'string' ? raw.toLowerCase() : ''
      return parseLogLevels(value) ? value : fail(LOG_LEVELS_FORM)
    }
    case 'text': {
      if (typeof raw !== 'string') return fail('a text')
      if (raw.length < (setting.min ?? 0)) return fail('a text that is not empty')
      if (setting.oneOf) {
        const wanted = setting.oneOf.find((one) => one.toLowerCase() === raw.toLowerCase())
        return wanted ?? fail(`one of ${setting.oneOf.join(', ')}`)
      }
      return raw
    }
  }
}

export function configError(message: string): ChainError {
  return queryError('invalidArgument', message)
}

/** Resolves all settings. Throws `invalidArgument` with the first unknown key or bad value, and its source. */
export function resolveConfig(sources: ConfigSources): ResolvedConfig {
  refuseUnknownKeys(sources)
  const config: Record<string, Record<string, unknown>> = {}
  const origins = new Map<string, Origin>()
  for (const { name, setting } of ALL_SETTINGS) {
    const { value, origin } = choose(setting, name, sources)
    const section = config[setting.section] ?? {}
    section[name] = value
    config[setting.section] = section
    origins.set(`${setting.section}.${setting.key}`, origin)
  }
  return { config: withDefaultChainId(config as Config, origins), origins }
}

/** Replaces a default chain id with that of the profile, if the profile is one of this build. */
function withDefaultChainId(config: Config, origins: ResolvedConfig['origins']): Config {
  const profile = findProfile(config.chain.profile)
  if (!profile || origins.get('chain.id') !== 'default') return config
  return { ...config, chain: { ...config.chain, id: profile.defaultChainId } }
}

function choose(setting: Setting, name: string, sources: ConfigSources): { value: unknown; origin: Origin } {
  const { section, key } = setting
  const caller = (sources.caller?.[section as keyof Config] as Record<string, unknown> | undefined)?.[name]
  if (caller !== undefined) return { value: parseSetting(setting, caller, 'startNode'), origin: 'caller' }
  const flag = sources.flags?.[setting.flag]
  if (flag !== undefined) return { value: parseSetting(setting, flag, `--${setting.flag}`), origin: 'flag' }
  const variable = environmentName(setting)
  const environment = sources.environment?.[variable]
  if (environment !== undefined) return { value: parseSetting(setting, environment, variable), origin: 'environment' }
  const file = (sources.file?.[section] as Record<string, unknown> | undefined)?.[key]
  if (file !== undefined && setting.secret) {
    throw configError(
      `config.toml: ${section}.${key} is a secret, and a file of settings is read by others: give it by --${setting.flag}-file or ${variable}`,
    )
  }
  if (file !== undefined) return { value: parseSetting(setting, file, 'config.toml'), origin: 'config.toml' }
  const preset = sources.presets?.[setting.flag]
  if (preset !== undefined) return { value: parseSetting(setting, preset, `--${setting.flag}`), origin: 'default' }
  return { value: setting.fallback, origin: 'default' }
}

/** Environment variables with our prefix that are not settings of `config.toml`. */
const OTHER_VARIABLES = new Set(['ALMANAC_HOME', 'ALMANAC_EPHEMERAL', 'ALMANAC_KEYRING_BACKEND'])

function refuseUnknownKeys({ file, environment, caller }: ConfigSources): void {
  const keys = new Set(ALL_SETTINGS.map(({ setting }) => `${setting.section}.${setting.key}`))
  for (const [section, values] of Object.entries(file ?? {})) {
    if (!(section in SETTINGS))
      throw configError(`config.toml: unknown section [${section}]${hint(section, Object.keys(SETTINGS))}`)
    if (typeof values !== 'object' || values === null || Array.isArray(values)) {
      throw configError(`config.toml: ${section} must be a section, written [${section}]`)
    }
    for (const key of Object.keys(values)) {
      const full = `${section}.${key}`
      if (!keys.has(full)) throw configError(`config.toml: unknown key ${full}${keyHint(full, [...keys])}`)
    }
  }
  const names = new Set(ALL_SETTINGS.map(({ setting }) => environmentName(setting)))
  for (const variable of Object.keys(environment ?? {})) {
    if (variable.startsWith('ALMANAC_') && !names.has(variable) && !OTHER_VARIABLES.has(variable)) {
      throw configError(`environment: unknown variable ${variable}${hint(variable, [...names])}`)
    }
  }
  const callerKeys = ALL_SETTINGS.map(({ name, setting }) => `${setting.section}.${name}`)
  for (const [section, values] of Object.entries(caller ?? {})) {
    const known = SETTINGS[section as keyof typeof SETTINGS] as Record<string, Setting> | undefined
    if (!known) throw configError(`startNode: unknown section ${section}${hint(section, Object.keys(SETTINGS))}`)
    for (const name of Object.keys(values ?? {})) {
      if (!(name in known))
        throw configError(`startNode: unknown key ${section}.${name}${keyHint(`${section}.${name}`, callerKeys)}`)
    }
  }
}

/** Returns ` (did you mean …?)` if a known name is close, else an empty text. */
function hint(name: string, known: readonly string[]): string {
  let best: string | undefined
  let least = 4
  for (const candidate of known) {
    const distance = editDistance(name, candidate)
    if (distance < least) {
      least = distance
      best = candidate
    }
  }
  return best ? ` (did you mean ${best}?)` : ''
}

/** Returns the hint for an unknown `section.key`: the only key of that name in another section, else one that is close. */
function keyHint(full: string, known: readonly string[]): string {
  const nameOf = (key: string): string => key.slice(key.indexOf('.') + 1)
  const [same, ...more] = known.filter((key) => nameOf(key) === nameOf(full))
  return same !== undefined && more.length === 0 ? ` (did you mean ${same}?)` : hint(full, known)
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}
