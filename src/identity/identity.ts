/** Creates the `Identity` in every context from a profile's data. */
import { behavioursOf } from './behaviours.ts'
import type { NameMap, Profile } from './profiles/profile.ts'
import type { Identity } from './types.ts'

type Rename = (name: string) => string

/** Creates a function that renames by the longest entry that equals the name or its leading parts. Results are cached. */
function renamer(entries: Readonly<Record<string, string>>, separator: string): Rename {
  const sorted = Object.entries(entries).sort(([a], [b]) => b.length - a.length)
  if (sorted.length === 0) return (name) => name
  const rename = (name: string): string => {
    for (const [from, to] of sorted) {
      if (name === from) return to
      if (name.startsWith(from) && name.startsWith(separator, from.length)) return to + name.slice(from.length)
    }
    return name
  }
  return cached(rename)
}

const MAX_CACHED_NAMES = 2_000
const MAX_CACHED_LENGTH = 200

/** Caches the results of a function. Names come from requests too, so the cache is bounded in number and length. */
function cached(rename: Rename): Rename {
  const known = new Map<string, string>()
  return (name) => {
    const answer = known.get(name)
    if (answer !== undefined) return answer
    const renamed = rename(name)
    if (name.length > MAX_CACHED_LENGTH) return renamed
    if (known.size >= MAX_CACHED_NAMES) known.clear()
    known.set(name, renamed)
    return renamed
  }
}

function reversed(entries: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).map(([from, to]) => [to, from]))
}

/** Creates a function that converts a name of any family that the profile accepts to the neutral name. */
function reverser(profile: Profile, part: keyof NameMap, separator: string): Rename {
  const merged: Record<string, string> = {}
  for (const names of [...profile.accepted, profile.names]) Object.assign(merged, reversed(names[part]))
  return renamer(merged, separator)
}

export function createIdentity(profile: Profile): Identity {
  const { name, names, accepted, behaviours, ...facts } = profile
  return {
    ...facts,
    profile: name,
    // Typed error details have the same names under every profile (docs/gateways.md#errors).
    toProfileName: renamer({ ...names.packages, 'chain.errors.v1': 'chain.errors.v1' }, '.'),
    toNeutralName: reverser(profile, 'packages', '.'),
    toProfilePath: renamer(names.paths, '/'),
    toNeutralPath: reverser(profile, 'paths', '/'),
    pathAliases: accepted.map((family) => renamer(family.paths, '/')),
    toProfileAmino: renamer(names.amino, '/'),
    aminoAliases: accepted.map((family) => renamer(family.amino, '/')),
    toProfileField: renamer(names.fields, ' '),
    toNeutralField: reverser(profile, 'fields', ' '),
    behaviours: behavioursOf(behaviours),
  }
}

/** Returns the EVM chain id of a chain id: the profile's entry, else its default. */
export function evmChainIdOf(identity: Identity, chainId: string): bigint {
  return identity.evmChainIds[chainId] ?? identity.defaultEvmChainId
}
