/** The names under which services answer: neutral, the active profile's, and those that clients hard-code (D18). */
import type { DescFile } from '@bufbuild/protobuf'
import { describeFiles } from '../identity/apply.ts'
import { createIdentity } from '../identity/identity.ts'
import { FAMILY, profile } from '../identity/profiles/almanac.ts'
import { files } from '../identity/registry.ts'
import type { Identity } from '../identity/types.ts'

export interface Names {
  /** The name that answers carry. */
  active(neutral: string): string
  /** Every name that is understood, the active one first. */
  accepted(neutral: string): readonly string[]
  /** Every proto file under each family of names, the active one first. Each is work to make: ask when it is needed. */
  readonly worlds: readonly (() => readonly DescFile[])[]
}

const family = createIdentity({ ...profile, names: FAMILY })

export function createNames(identity: Identity): Names {
  return {
    active: identity.toProfileName,
    accepted: (neutral) => [...new Set([identity.toProfileName(neutral), neutral, family.toProfileName(neutral)])],
    worlds: [() => describeFiles(identity), () => files, () => describeFiles(family)],
  }
}
