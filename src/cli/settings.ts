/** The settings as flags of a command, and what they, the environment and the home say together. */
import { Command, Option } from 'commander'
import { configError, type ResolvedConfig, resolveConfig } from '../node/config.ts'
import { parseConfigFile } from '../node/config-file.ts'
import { diskFiles } from '../node/files.ts'
import { defaultHome, homePaths } from '../node/home.ts'
import { ALL_SETTINGS, type Setting } from '../node/settings.ts'

/** The home of a command: its `--home`, else the default. Throws 3 for a name of no letters, which would be the folder at hand. */
export function homeOf(flag: unknown): string {
  const home = typeof flag === 'string' ? flag : defaultHome()
  if (home === '') throw configError('--home (ALMANAC_HOME) is empty: name a folder, or leave it away for ~/.almanac')
  return home
}

function optionOf(setting: Setting): Option {
  const value = setting.kind === 'boolean' ? '[true|false]' : setting.kind === 'heights' ? '<value...>' : '<value>'
  const option = new Option(`--${setting.flag} ${value}`, `${setting.about} (${setting.section}.${setting.key})`)
  return setting.kind === 'boolean' ? option.preset('true') : option
}

/** A command with `--home` and one flag a setting. */
export function commandWithSettings(name: string, about: string): Command {
  const command = new Command(`almanac ${name}`).description(about).exitOverride()
  command.option('--home <dir>', 'folder of the chain (default: ~/.almanac)')
  for (const { setting } of ALL_SETTINGS) {
    command.addOption(optionOf(setting))
    if (setting.fallback === true) command.addOption(new Option(`--no-${setting.flag}`).hideHelp())
  }
  return command
}

/** Values of the given flags by their names without dashes. */
export function flagsOf(command: Command): Record<string, unknown> {
  const values = command.opts<Record<string, unknown>>()
  const flags: Record<string, unknown> = {}
  for (const option of command.options) {
    const value = values[option.attributeName()]
    if (value !== undefined && !option.negate) flags[option.name()] = String(value)
  }
  return flags
}

/** Settings of flags, environment and, if a home is given, its `config.toml`. */
export function resolveSettings(flags: Readonly<Record<string, unknown>>, home: string | undefined): ResolvedConfig {
  const text = home === undefined ? undefined : diskFiles.read(homePaths(home).config)
  return resolveConfig({
    flags,
    environment: process.env,
    ...(text !== undefined && { file: parseConfigFile(text) }),
  })
}
