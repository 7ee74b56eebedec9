/** `almanac config`: the settings in force, and where each came from. */
import { renderEffective } from '../node/config-file.ts'
import { commandWithSettings, flagsOf, homeOf, resolveSettings } from './settings.ts'

export async function config(args: readonly string[]): Promise<number> {
  const command = commandWithSettings('config', 'Prints the settings in force as TOML, with the origin of each.')
  command.parse([...args], { from: 'user' })
  const flags = flagsOf(command)
  process.stdout.write(renderEffective(resolveSettings(flags, homeOf(flags['home']))))
  return 0
}
