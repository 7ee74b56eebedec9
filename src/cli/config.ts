/** `almanac config`: prints the effective settings and the origin of each. */
import { renderEffective } from '../node/config-file.ts'
import { commandWithSettings, flagsOf, homeOf, resolveSettings } from './settings.ts'

export async function config(args: readonly string[]): Promise<number> {
  const command = commandWithSettings(
    'config',
    'Print the effective settings as TOML, with the origin of each that is not a default.',
  )
  command.parse([...args], { from: 'user' })
  const flags = flagsOf(command)
  process.stdout.write(renderEffective(resolveSettings(flags, homeOf(flags['home']))))
  return 0
}
