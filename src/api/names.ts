/** The names of services: neutral, those of the active profile, and those that clients hard-code (D18). */
import type { DescFile } from '@bufbuild/protobuf'
import { files } from '../gen/files.ts'
import { describeFiles } from '../identity/apply.ts'
import { createIdentity } from '../identity/identity.ts'
import { FAMILY, profile } from '../identity/profiles/almanac.ts'
import type { Identity } from '../identity/types.ts'

export interface Names {
  /** Returns the name in answers. */
  active(neutral: string): string
  /** Returns every accepted name, the active one first. */
  accepted(neutral: string): readonly string[]
  /** Functions that build every proto file under one family of names, the active family first. Building takes time. */
  readonly families: readonly (() => readonly DescFile[])[]
}

const family = createIdentity({ ...profile, names: FAMILY })

export function createNames(identity: Identity): Names {
  return {
    active: identity.toProfileName,
    accepted: (neutral) => [...new Set([identity.toProfileName(neutral), neutral, family.toProfileName(neutral)])],
    families: [() => describeFiles(identity), () => files, () => describeFiles(family)],
  }
}
