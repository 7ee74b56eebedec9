/** The profile that a setting names. */
import { parseProfile } from '../identity/profile-file.ts'
import type { Profile } from '../identity/profiles/profile.ts'
import { findProfile, PROFILES } from '../identity/profiles.ts'
import { formatHex, utf8 } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import { sha256 } from '../primitives/hash.ts'
import type { Files } from './files.ts'

export interface ChosenProfile {
  readonly profile: Profile
  /** The text of its file; undefined for a profile of this build. */
  readonly text: string | undefined
  /** The recorded form in a home: the name, and the digest of the file. */
  readonly choice: string
}

/** Parses the text of a profile file; `source` names the file in errors. */
export function profileOfFile(text: string, source: string): ChosenProfile {
  const profile = parseProfile(text, source)
  return { profile, text, choice: `${profile.name} sha256:${formatHex(sha256(utf8(text)))}` }
}

/**
 * Returns the profile of a setting: a name of this build, or the path of a file. Throws `invalidArgument` for any other text.
 */
export function chooseProfile(setting: string, files: Files): ChosenProfile {
  const own = findProfile(setting)
  if (own) return { profile: own, text: undefined, choice: own.name }
  const text = files.read(setting)
  if (text !== undefined) return profileOfFile(text, setting)
  const names = PROFILES.map(({ name }) => name).join(', ')
  throw queryError('invalidArgument', `chain.profile = "${setting}": no profile of that name (${names}) and no file`)
}
