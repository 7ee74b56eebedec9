/** The names of services and types: neutral, those of the active profile, and those that clients hard-code (D18). */
import type { DescFile } from '@bufbuild/protobuf'
import { files } from '../gen/files.ts'
import { describeFiles } from '../identity/apply.ts'
import { createIdentity } from '../identity/identity.ts'
import { COSMJS, FAMILY, profile } from '../identity/profiles/almanac.ts'
import type { Identity } from '../identity/types.ts'
import { cachePerObject } from '../primitives/cache.ts'

/** A family of names. An answer has the type URLs of the family in which its question was asked. */
export interface Family {
  /** Converts the neutral full name of a type or a service. */
  readonly toName: (neutral: string) => string
}

export interface Names {
  /** The names of the active profile, for everything that nobody asked in a family. */
  readonly active: Family
  /** The names that public clients know. */
  readonly common: Family
  /** Returns every accepted name, the active one first. */
  accepted(neutral: string): readonly string[]
  /** Returns the family of a question: `asked` is the name under which it named a service. */
  familyOf(asked: string, neutral: string): Family
  /** Returns the neutral name of a type, service, method or field whose name is of an accepted family. */
  toNeutral(name: string): string
  /** Functions that build every proto file under one family of names, the active family first. Building takes time. */
  readonly files: readonly (() => readonly DescFile[])[]
}

const family = createIdentity({ ...profile, names: FAMILY })
const cosmjs = createIdentity({ ...profile, names: COSMJS })
const NEUTRAL: Family = { toName: (neutral) => neutral }

/** Returns the names under a profile. */
export const namesOf = cachePerObject((identity: Identity): Names => {
  const active: Family = { toName: identity.toProfileName }
  const common: Family = {
    toName(neutral) {
      const known = cosmjs.toProfileName(neutral)
      return known === neutral ? identity.toProfileName(neutral) : known
    },
  }
  return {
    active,
    common,
    accepted: (neutral) => [...new Set([identity.toProfileName(neutral), neutral, family.toProfileName(neutral)])],
    familyOf(asked, neutral) {
      if (asked === active.toName(neutral)) return active
      return asked === neutral ? NEUTRAL : common
    },
    toNeutral(name) {
      const neutral =
        [identity, family, cosmjs].map((one) => one.toNeutralName(name)).find((one) => one !== name) ?? name
      const last = neutral.lastIndexOf('.') + 1
      return neutral.slice(0, last) + identity.toNeutralField(neutral.slice(last))
    },
    files: [() => describeFiles(identity), () => files, () => describeFiles(family)],
  }
})
