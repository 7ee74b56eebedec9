/** Descriptions of operations, messages and fields: the comments of `proto/`, in the names of a profile. */
import { descriptions } from '../gen/descriptions.ts'
import { decodeBech32, formatBech32 } from '../primitives/address.ts'
import { cachePerObject } from '../primitives/cache.ts'
import type { Status } from '../primitives/errors.ts'
import { profile } from './profiles/almanac.ts'
import type { Identity } from './types.ts'

export interface Description {
  /** The first sentence. */
  readonly summary: string
  /** All sentences. */
  readonly text: string
  /** Unit of the value, such as `wei`. */
  readonly unit?: string | undefined
  readonly example?: string | undefined
  /** Failures that an operation has of its own, with their causes. Those of every query are left out. */
  readonly errors: readonly DescribedError[]
}

export interface DescribedError {
  readonly status: Status
  readonly cause: string
}

/** Returns the paragraphs of each name. They are read at the first use, so that a start does not wait for them. */
const paragraphsOf = cachePerObject((identity: Identity): ReadonlyMap<string, readonly string[]> => {
  const entries = descriptions.split('\n').map((line): [string, readonly string[]] => {
    const [name, ...paragraphs] = line.split('\t')
    return [name!, paragraphs.map((paragraph) => inNamesOf(identity, paragraph))]
  })
  return new Map(entries)
})

/** Returns the comment of a neutral full name, a line for each paragraph; undefined if it has no comment. */
export function commentOf(identity: Identity, neutralName: string): string | undefined {
  return paragraphsOf(identity).get(neutralName)?.join('\n')
}

/** Returns the description of an operation, a message or a field by its neutral full name. */
export function describe(identity: Identity, neutralName: string): Description | undefined {
  const paragraphs = paragraphsOf(identity).get(neutralName)
  if (!paragraphs) return undefined
  const text: string[] = []
  let unit: string | undefined
  let example: string | undefined
  let errors: readonly DescribedError[] = []
  for (const paragraph of paragraphs) {
    const [, label, rest] = /^(?:(Unit|Example|Errors): )?(.*)$/.exec(paragraph)!
    if (label === 'Unit') unit = rest!.replace(/\.$/, '')
    else if (label === 'Example') example = rest
    else if (label === 'Errors') errors = readErrors(rest!)
    else text.push(rest!)
  }
  const whole = text.join(' ')
  return { summary: /^.*?\.(?= [A-Z]|$)/.exec(whole)?.[0] ?? whole, text: whole, unit, example, errors }
}

/** Reads errors such as `invalidArgument, pair is empty; notFound, the pair never had a price.` */
function readErrors(text: string): readonly DescribedError[] {
  return text
    .replace(/\.$/, '')
    .split('; ')
    .map((item) => {
      const at = item.indexOf(', ')
      return { status: item.slice(0, at) as Status, cause: item.slice(at + 2) }
    })
}

/** Replaces neutral addresses, the base denom and type URLs in a text by those of the profile. */
function inNamesOf(identity: Identity, text: string): string {
  const { account, validator, consensus } = profile.bech32
  const prefixes = new Map([
    [account, identity.bech32.account],
    [validator, identity.bech32.validator],
    [consensus, identity.bech32.consensus],
  ])
  return text
    .replace(/\b([a-z]+)1[02-9ac-hj-np-z]{38,}/g, (whole, prefix: string) => {
      const own = prefixes.get(prefix)
      const decoded = decodeBech32(whole)
      return own === undefined || 'reason' in decoded ? whole : formatBech32(own, decoded.bytes)
    })
    .replaceAll(/\bunative\b/g, identity.baseDenom)
    .replaceAll(/(?<=^|[ '`/])(sdk|chain)\.[\w.]*[A-Z]\w*/g, (name) => identity.toProfileName(name))
}
