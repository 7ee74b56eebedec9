/** `almanac config`: prints the effective settings and the origin of each, and reads and writes single ones. */
import { Command } from 'commander'
import { configError, parseSetting, type ResolvedConfig } from '../node/config.ts'
import { renderEffective } from '../node/config-file.ts'
import { diskFiles } from '../node/files.ts'
import { homePaths } from '../node/home-paths.ts'
import { choosePorts, requireDistinctPorts } from '../node/ports.ts'
import type { Setting } from '../node/settings/setting.ts'
import { ALL_SETTINGS, type Config } from '../node/settings.ts'
import { commandWithSettings, flagsOf, homeOf, readConfigText, resolveSettings } from './settings.ts'

const HOME = ['--home <dir>', 'home of the chain (default: ALMANAC_HOME, or ~/.almanac)'] as const

export async function config(args: readonly string[]): Promise<number> {
  const [first, ...rest] = args
  if (first === 'get') return get(rest)
  if (first === 'set') return set(rest)
  const command = commandWithSettings(
    'config',
    'Print the settings that a start with these flags has as TOML, with the origin of each that is not a default.',
  )
  command.addHelpText(
    'after',
    '\nCommands:\n  almanac config get KEY         print one setting, such as rest.port\n  almanac config set KEY VALUE   write one to config.toml',
  )
  if (first !== undefined && !first.startsWith('-'))
    command.error(`error: unknown command '${first}'\n(one of: get, set; alone the command prints all settings)`)
  command.parse([...args], { from: 'user' })
  const flags = flagsOf(command)
  process.stdout.write(renderEffective(await inForce(flags, homeOf(flags['home']))))
  return 0
}

/** Resolves with the settings that a start in a home has with these flags. */
async function inForce(flags: Readonly<Record<string, unknown>>, home: string): Promise<ResolvedConfig> {
  const { settingsInForce } = await import('../node/settings-in-force.ts')
  return settingsInForce(resolveSettings(flags, home), homePaths(home), diskFiles)
}

/** Returns a setting by `section.key`. Throws `invalidArgument` with the nearest for an unknown one. */
function settingOf(key: string) {
  const found = ALL_SETTINGS.find(({ setting }) => `${setting.section}.${setting.key}` === key)
  if (found) return found
  const section = key.split('.')[0]
  const near = ALL_SETTINGS.filter(({ setting }) => setting.section === section || setting.key === key)
    .map(({ setting }) => `${setting.section}.${setting.key}`)
    .slice(0, 8)
  const hint = near.length > 0 ? `: did you mean ${near.join(', ')}?` : ': `almanac config` prints all'
  throw configError(`unknown setting ${key}${hint}`)
}

async function get(args: readonly string[]): Promise<number> {
  const command = new Command('almanac config get')
    .description('Print the effective value of one setting')
    .argument('<key>', 'section and key, such as rest.port')
    .option(...HOME)
    .exitOverride()
  command.parse([...args], { from: 'user' })
  const { name, setting } = settingOf(command.args[0]!)
  const resolved = await inForce({}, homeOf(command.opts()['home']))
  const value = (resolved.config[setting.section as keyof Config] as Record<string, unknown>)[name]
  if (setting.secret && resolved.origins.get(command.args[0]!) !== 'default')
    throw configError(`${command.args[0]} is a secret, which is not printed`)
  process.stdout.write(`${Array.isArray(value) ? value.join(',') : String(value)}\n`)
  return 0
}

function set(args: readonly string[]): number {
  const command = new Command('almanac config set')
    .description('Write one setting to config.toml; a running node reads it at its next start')
    .argument('<key>', 'section and key, such as rest.port')
    .argument('<value>', 'value; a list is separated by commas')
    .option(...HOME)
    .exitOverride()
  command.parse([...args], { from: 'user' })
  const [key, value] = command.args as [string, string]
  const { setting } = settingOf(key)
  const home = homeOf(command.opts()['home'])
  const paths = homePaths(home)
  if (setting.secret) throw configError(`${key} is a secret: settings in a file are read by others`)
  if (setting.genesis && !setting.turnsOff && diskFiles.exists(paths.record))
    throw configError(`${key} is fixed since the first start of the chain in ${home}: another value needs another home`)
  const parsed = parseSetting(setting, value, `config set ${key}`)
  const before = readConfigText(home) ?? ''
  diskFiles.write(paths.config, withSetting(before, setting, literalOf(parsed)))
  try {
    const resolved = resolveSettings({}, home)
    requireDistinctPorts(resolved.config, choosePorts(resolved.config, resolved, { freePorts: false }))
  } catch (error) {
    // The value does not fit the others.
    diskFiles.write(paths.config, before)
    throw error
  }
  return 0
}

function literalOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literalOf).join(', ')}]`
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

/** Returns the text of a config file with a key set: in its line, also if that is a comment, else at the end of its section. */
function withSetting(text: string, { section, key }: Setting, literal: string): string {
  const lines = text === '' ? [] : text.trimEnd().split('\n')
  const line = `${key} = ${literal}`
  const start = lines.findIndex((one) => one.trim() === `[${section}]`)
  if (start < 0) return `${[...lines, ...(lines.length > 0 ? [''] : []), `[${section}]`, line].join('\n')}\n`
  const next = lines.findIndex((one, i) => i > start && one.startsWith('['))
  const end = next < 0 ? lines.length : next
  const isOwn = (one: string, prefix: string) => one.startsWith(`${prefix}${key} =`)
  const inSection = (prefix: string) => lines.findIndex((one, i) => i > start && i < end && isOwn(one, prefix))
  const at = [inSection(''), inSection('# ')].find((i) => i >= 0)
  if (at === undefined) lines.splice(start + 1, 0, line)
  else lines[at] = line
  return `${lines.join('\n')}\n`
}
