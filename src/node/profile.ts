/** Which profile a setting names, and what of it the node's parts need. */
import { parseProfile } from '../identity/profile-file.ts'
import type { Profile } from '../identity/profiles/profile.ts'
import { findProfile, PROFILES } from '../identity/profiles.ts'
import type { Identity } from '../identity/types.ts'
import { formatHex, utf8 } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import { sha256 } from '../primitives/hash.ts'
import { CHAIN_STORES } from '../store/versioned.ts'
import type { Files } from './files.ts'

export interface ChosenProfile {
  readonly profile: Profile
  /** The text of its file; undefined for a profile of this build. */
  readonly text: string | undefined
  /** What a home records: its name, and the digest of its file. */
  readonly choice: string
}

/** A profile as its file says; `source` names the file in errors. */
export function profileOfFile(text: string, source: string): ChosenProfile {
  const profile = parseProfile(text, source)
  return { profile, text, choice: `${profile.name} sha256:${formatHex(sha256(utf8(text)))}` }
}

/** The profile of a setting: a name of this build, or the path of a file. Throws `invalidArgument` if it is neither. */
export function chooseProfile(setting: string, files: Files): ChosenProfile {
  const own = findProfile(setting)
  if (own) return { profile: own, text: undefined, choice: own.name }
  const text = files.read(setting)
  if (text !== undefined) return profileOfFile(text, setting)
  const names = PROFILES.map(({ name }) => name).join(', ')
  throw queryError('invalidArgument', `chain.profile = "${setting}": no profile of that name (${names}) and no file`)
}

/** Options of the store under a profile: which stores take part in the app hash (D28). */
export function storeOptionsOf({ behaviours }: Identity): { readonly hashedStores?: readonly string[] } {
  return behaviours.ownStoreOutsideAppHash ? { hashedStores: CHAIN_STORES } : {}
}
