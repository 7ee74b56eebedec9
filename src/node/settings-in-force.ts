/** The settings that a start has in the end: those that were given, and what home, engine and `--public` make of the others. */
import { settingsUnderEngine } from './assembly/comet.ts'
import { settingsOfReplica } from './assembly/follow.ts'
import type { Origin, ResolvedConfig } from './config.ts'
import type { Files } from './files.ts'
import { withRecordedChoices } from './home.ts'
import type { HomePaths } from './home-paths.ts'
import { profileOfHome } from './home-record.ts'
import { chooseProfile } from './profile.ts'
import { priceOfPublicNode, settingsOfPublicNode } from './public-node.ts'
import { ALL_SETTINGS, type Config } from './settings.ts'

/**
 * Returns the settings of a start in a home with these flags, and where each value comes from. Throws as that start does for
 * settings that exclude each other or differ from the choices of the home.
 */
export function settingsInForce(resolved: ResolvedConfig, paths: HomePaths, files: Files): ResolvedConfig {
  const steps: readonly (readonly [Origin, (before: ResolvedConfig) => ResolvedConfig])[] = [
    ['consensus.engine', (before) => settingsOfReplica(settingsUnderEngine(before))],
    ['home.json', (before) => withRecordedChoices(paths, before, files)],
    ['node.public', (before) => withPrice(settingsOfPublicNode(before), paths, files)],
  ]
  return steps.reduce((before, [origin, step]) => withOrigin(before, step(before), origin), resolved)
}

/** Returns the settings with the lowest gas price of a public node, in the base denom of its chain. */
function withPrice(resolved: ResolvedConfig, paths: HomePaths, files: Files): ResolvedConfig {
  const { config } = resolved
  if (!config.node.public) return resolved
  const { baseDenom } = files.exists(paths.record)
    ? profileOfHome(paths, files)
    : chooseProfile(config.chain.profile, files).profile
  return { ...resolved, config: priceOfPublicNode(resolved, baseDenom) }
}

/** Returns settings with the origin of the values that a step has changed. */
function withOrigin({ config, origins }: ResolvedConfig, after: ResolvedConfig, origin: Origin): ResolvedConfig {
  const changed = ALL_SETTINGS.filter(
    ({ name, setting }) =>
      String(valueIn(config, setting.section, name)) !== String(valueIn(after.config, setting.section, name)),
  )
  return {
    config: after.config,
    origins: new Map([
      ...origins,
      ...changed.map(({ setting }) => [`${setting.section}.${setting.key}`, origin] as const),
    ]),
  }
}

const valueIn = (config: Config, section: string, name: string): unknown =>
  (config[section as keyof Config] as Record<string, unknown>)[name]
