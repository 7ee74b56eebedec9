/** The profiles of this build. */
import { createIdentity } from './identity.ts'
import { profile as almanac } from './profiles/almanac.ts'
import { nibiru, nibiru217 } from './profiles/nibiru.ts'
import type { Profile } from './profiles/profile.ts'
import type { Identity } from './types.ts'

export const PROFILES: readonly Profile[] = [almanac, nibiru, nibiru217]

export function findProfile(name: string): Profile | undefined {
  return PROFILES.find((profile) => profile.name === name)
}

/** Returns the identity of a profile of this build: `identityOf('nibiru')`. Throws `RangeError` for another name. */
export function identityOf(name: string): Identity {
  const profile = findProfile(name)
  if (!profile)
    throw new RangeError(`unknown profile ${name}: the profiles are ${PROFILES.map((one) => one.name).join(', ')}`)
  return createIdentity(profile)
}
