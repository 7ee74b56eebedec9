/** The profile whose addresses and names a command reads and writes. */
import { createIdentity } from '../identity/identity.ts'
import type { Identity } from '../identity/types.ts'
import { diskFiles } from '../node/files.ts'
import { homePaths } from '../node/home-paths.ts'
import { profileOfHome } from '../node/home-record.ts'
import { chooseProfile } from '../node/profile.ts'
import { homeOf, resolveSettings } from './settings.ts'

export interface ProfileFlags {
  readonly profile?: string
  readonly home?: string
}

/** Returns the identity of the profile of the flag, else of the chain in the home, else of the settings. */
export function identityOfFlags({ profile, home }: ProfileFlags): Identity {
  if (profile !== undefined) return createIdentity(chooseProfile(profile, diskFiles).profile)
  const root = homeOf(home)
  const paths = homePaths(root)
  if (diskFiles.exists(paths.record)) return createIdentity(profileOfHome(paths, diskFiles))
  const { config } = resolveSettings({}, diskFiles.exists(root) ? root : undefined)
  return createIdentity(chooseProfile(config.chain.profile, diskFiles).profile)
}
