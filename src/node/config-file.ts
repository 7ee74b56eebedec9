/** The file `config.toml`: its parser, and its initial text with a comment for every key. */
import { parse } from 'smol-toml'
import { configError, type ResolvedConfig } from './config.ts'
import type { Setting } from './settings/setting.ts'
import { ALL_SETTINGS, type Config } from './settings.ts'

/** Parses TOML. Throws `invalidArgument` with line and column of a syntax error. */
export function parseConfigFile(text: string): Record<string, unknown> {
  try {
    return parse(text)
  } catch (error) {
    throw configError(`config.toml: ${error instanceof Error ? error.message : error}`)
  }
}

function renderValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(renderValue).join(', ')}]`
  return String(value)
}

const readValue = (config: Config, name: string, { section }: Setting): unknown =>
  (config[section as keyof Config] as Record<string, unknown>)[name]

/**
 * Renders the initial file of a home: every key with its meaning. Values passed to the first start are set, if `isStored`
 * selects the setting and it is no secret. Defaults are commented out, so that a later build can improve them.
 */
export function renderConfigFile({ config, origins }: ResolvedConfig, isStored: (setting: Setting) => boolean): string {
  const lines = ['# Settings of this node. A flag or an environment variable ALMANAC_SECTION_KEY overrides a key here.']
  let section = ''
  for (const { name, setting } of ALL_SETTINGS) {
    if (setting.section !== section) {
      section = setting.section
      lines.push('', `[${section}]`)
    }
    const isSet = isStored(setting) && !setting.secret && origins.get(`${section}.${setting.key}`) !== 'default'
    lines.push(`# ${setting.about}${setting.oneOf ? ` One of: ${setting.oneOf.join(', ')}.` : ''}`)
    if (setting.turnsOff) lines.push('# Fixed at the first start, except that a later start can turn it off.')
    else if (setting.genesis) lines.push('# Fixed at the first start; another value needs another home.')
    lines.push(
      `${isSet ? '' : '# '}${setting.key} = ${renderValue(isSet ? readValue(config, name, setting) : setting.fallback)}`,
    )
  }
  return `${lines.join('\n')}\n`
}

/** Renders the effective settings as TOML, with the origin of each value. */
export function renderEffective({ config, origins }: ResolvedConfig): string {
  const lines: string[] = []
  let section = ''
  for (const { name, setting } of ALL_SETTINGS) {
    if (setting.section !== section) {
      if (section) lines.push('')
      section = setting.section
      lines.push(`[${section}]`)
    }
    const origin = origins.get(`${section}.${setting.key}`)
    const value = setting.secret && origin !== 'default' ? '(secret)' : readValue(config, name, setting)
    const text = `${setting.key} = ${renderValue(value)}`
    lines.push(origin === 'default' ? text : `${text} # ${origin}`)
  }
  return `${lines.join('\n')}\n`
}
