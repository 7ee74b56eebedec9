/** The settings as flags of a command, and their effective values from flags, environment and home. */
import { Command, Option } from 'commander'
import { configError, type ResolvedConfig, resolveConfig } from '../node/config.ts'
import { parseConfigFile } from '../node/config-file.ts'
import { diskFiles } from '../node/files.ts'
import { defaultHome, homePaths } from '../node/home-paths.ts'
import { readInputText } from '../node/input-file.ts'
import type { Setting } from '../node/settings/setting.ts'
import { ALL_SETTINGS } from '../node/settings.ts'

/**
 * Returns the home of a command: its `--home`, else the default. Throws `invalidArgument` for an empty path, which would be the
 * current folder.
 */
export function homeOf(flag: unknown): string {
  const home = typeof flag === 'string' ? flag : defaultHome()
  if (home === '') throw configError('--home (ALMANAC_HOME) is empty: set a folder, or omit it for ~/.almanac')
  return home
}

/** Returns key, choices and default of a setting for the help. */
function settingFacts({ section, key, oneOf, fallback }: Setting): string {
  const choices = oneOf ? [`one of: ${oneOf.join(', ')}`] : []
  const preset = String(fallback) === '' ? [] : [`default: ${fallback}`]
  return [`${section}.${key}`, ...choices, ...preset].join('; ')
}

/** Returns the flag of a setting. */
export function optionOf(setting: Setting): Option {
  const value = setting.kind === 'boolean' ? '[true|false]' : setting.kind === 'heights' ? '<value...>' : '<value>'
  const option = new Option(`--${setting.flag} ${value}`, `${setting.about} (${settingFacts(setting)})`)
  return setting.kind === 'boolean' ? option.preset('true') : option
}

/** Creates a command with `--home` and a flag for each setting. */
export function commandWithSettings(name: string, about: string): Command {
  const command = new Command(`almanac ${name}`).description(about).exitOverride()
  command.option('--home <dir>', 'Home of the chain. (default: ALMANAC_HOME, or ~/.almanac)')
  return addSettings(command, () => true)
}

/** Adds a flag for each setting that `isTaken` selects. Returns the command. */
export function addSettings(command: Command, isTaken: (setting: Setting) => boolean): Command {
  // Defaults are in the descriptions. Commander would add the value of a boolean flag without one as a preset.
  command.configureHelp({ optionDescription: ({ description }) => description })
  for (const { setting } of ALL_SETTINGS) {
    if (!isTaken(setting)) continue
    command.addOption(optionOf(setting))
    if (setting.fallback === true) command.addOption(new Option(`--no-${setting.flag}`).hideHelp())
  }
  return command
}

/** Returns the values of the flags that are set, by name without dashes. */
export function flagsOf(command: Command): Record<string, unknown> {
  const values = command.opts<Record<string, unknown>>()
  const flags: Record<string, unknown> = {}
  for (const option of command.options) {
    const value = values[option.attributeName()]
    if (value !== undefined && !option.negate) flags[option.name()] = String(value)
  }
  return flags
}

/** Returns the text of a home's `config.toml`, if it exists. Throws `invalidArgument` for a folder of that name. */
export function readConfigText(home: string): string | undefined {
  const path = homePaths(home).config
  return diskFiles.exists(path) ? readInputText(path) : undefined
}

/** Resolves the settings from flags, environment and, if a home is given, its `config.toml`. */
export function resolveSettings(flags: Readonly<Record<string, unknown>>, home: string | undefined): ResolvedConfig {
  const text = home === undefined ? undefined : readConfigText(home)
  return resolveConfig({
    flags,
    environment: process.env,
    ...(text !== undefined && { file: parseConfigFile(text) }),
  })
}
