/** `config.toml`: read, and written once with a comment for every key. */
import { parse } from 'smol-toml'
import { configError, type ResolvedConfig } from './config.ts'
import { ALL_SETTINGS, type Config, type Setting } from './settings.ts'

/** Throws `invalidArgument` with line and column for a text that is no TOML. */
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
 * The file that a home begins with: every key with what it means; what the first start was told stands, defaults are
 * commented out, so that a later build's better default takes effect.
 */
export function renderConfigFile({ config, origins }: ResolvedConfig, told: (setting: Setting) => boolean): string {
  const lines = ['# Settings of this node. A flag or an environment variable ALMANAC_SECTION_KEY wins over a key here.']
  let section = ''
  for (const { name, setting } of ALL_SETTINGS) {
    if (setting.section !== section) {
      section = setting.section
      lines.push('', `[${section}]`)
    }
    const stands = told(setting) && origins.get(`${section}.${setting.key}`) !== 'default'
    lines.push(`# ${setting.about}${setting.oneOf ? ` One of: ${setting.oneOf.join(', ')}.` : ''}`)
    if (setting.genesis) lines.push('# Decided at the first start; another value needs another home.')
    lines.push(
      `${stands ? '' : '# '}${setting.key} = ${renderValue(stands ? readValue(config, name, setting) : setting.fallback)}`,
    )
  }
  return `${lines.join('\n')}\n`
}

/** What is in force, with the origin of each value, as TOML. */
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
    const text = `${setting.key} = ${renderValue(readValue(config, name, setting))}`
    lines.push(origin === 'default' ? text : `${text} # ${origin}`)
  }
  return `${lines.join('\n')}\n`
}
