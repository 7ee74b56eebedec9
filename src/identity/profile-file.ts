/** A profile that somebody wrote into a file: read strictly, so that a slip is told with its place and never half applied. */
import { getOption, hasOption } from '@bufbuild/protobuf'
import { name as aminoName } from '../gen/amino/amino_pb.ts'
import { http } from '../gen/google/api/annotations_pb.ts'
import { isValid } from '../primitives/denom.ts'
import { type ChainError, queryError } from '../primitives/errors.ts'
import { formatWay, type JsonData, parseJsonText } from '../primitives/json-text.ts'
import { type BehaviourName, isBehaviour } from './behaviours.ts'
import { COSMJS } from './profiles/almanac.ts'
import type { NameMap, Profile } from './profiles/profile.ts'
import { files, services } from './registry.ts'

type JsonObject = { readonly [name: string]: JsonData }

/** A part of the file, and where it stands. */
interface Place {
  readonly source: string
  readonly way: readonly string[]
  readonly value: JsonData
}

function fault({ source, way }: Pick<Place, 'source' | 'way'>, reason: string): ChainError {
  return queryError('invalidArgument', `profile ${source}: ${way.length > 0 ? `${formatWay(way)}: ` : ''}${reason}`)
}

function isObject(value: JsonData | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The members of an object that must have exactly these names. */
function members<Name extends string>(place: Place, names: readonly Name[]): Record<Name, Place> {
  const { source, way, value } = place
  if (!isObject(value)) throw fault(place, 'an object is expected')
  for (const name of Object.keys(value)) {
    if (!names.includes(name as Name)) throw fault({ source, way: [...way, name] }, 'no such entry in a profile')
  }
  const entry = (name: Name): Place => {
    const member = value[name]
    if (member === undefined) throw fault({ source, way: [...way, name] }, 'is missing')
    return { source, way: [...way, name], value: member }
  }
  return Object.fromEntries(names.map((name) => [name, entry(name)])) as Record<Name, Place>
}

function text(place: Place, pattern: RegExp, expected: string): string {
  if (typeof place.value !== 'string' || !pattern.test(place.value)) throw fault(place, `${expected} is expected`)
  return place.value
}

const anyText = (place: Place): string => text(place, /^[\x20-\x7e]+$/, 'a text')

function evmChainId(place: Place): bigint {
  const { value } = place
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) {
    throw fault(place, 'a whole number from 1 on is expected')
  }
  return BigInt(value)
}

/** Texts that must differ from each other, by what they are for. */
function requireDistinct(place: Place, entries: Readonly<Record<string, string>>): void {
  const users = new Map<string, string>()
  for (const [use, name] of Object.entries(entries)) {
    const other = users.get(name)
    if (other !== undefined) throw fault(place, `${JSON.stringify(name)} stands for both ${other} and ${use}`)
    users.set(name, use)
  }
}

/** What each kind of map may rename: the names there are, and what parts one of them. */
const KINDS: Record<keyof NameMap, { readonly separator: string; readonly known: () => Iterable<string> }> = {
  packages: {
    separator: '.',
    known: () => files.flatMap(({ messages, services: own }) => [...messages, ...own].map(({ typeName }) => typeName)),
  },
  paths: { separator: '/', known: routePaths },
  amino: {
    separator: '/',
    known: () =>
      files.flatMap(({ messages }) =>
        messages.flatMap((message) => (hasOption(message, aminoName) ? [getOption(message, aminoName)] : [])),
      ),
  },
  fields: {
    separator: ' ',
    known: () => files.flatMap(({ messages }) => messages.flatMap(({ fields }) => fields.map(({ name }) => name))),
  },
}

function* routePaths(): Iterable<string> {
  for (const { methods } of services) {
    for (const method of methods) {
      if (!hasOption(method, http)) continue
      const rule = getOption(method, http)
      for (const { pattern } of [rule, ...rule.additionalBindings]) {
        if (typeof pattern.value === 'string') yield pattern.value
      }
    }
  }
}

function nameMap(place: Place, kind: keyof NameMap): Record<string, string> {
  const { source, way, value } = place
  if (!isObject(value)) throw fault(place, 'an object is expected')
  const { separator, known } = KINDS[kind]
  const names = [...known()]
  const map: Record<string, string> = {}
  for (const [from, to] of Object.entries(value)) {
    const entry: Place = { source, way: [...way, from], value: to }
    if (!names.some((name) => name === from || name.startsWith(from + separator))) {
      throw fault(entry, 'is no neutral name of this API')
    }
    map[from] = anyText(entry)
  }
  requireDistinct(place, map)
  return map
}

function behaviours(place: Place): BehaviourName[] {
  const { value } = place
  if (!Array.isArray(value)) throw fault(place, 'a list is expected')
  const on: BehaviourName[] = []
  for (const name of value as readonly JsonData[]) {
    if (typeof name !== 'string' || !isBehaviour(name)) throw fault(place, `no behaviour ${JSON.stringify(name)}`)
    if (on.includes(name)) throw fault(place, `${name} stands twice`)
    on.push(name)
  }
  return on
}

const PREFIX = /^[a-z][a-z0-9]{0,30}$/

function prefixes(place: Place): Profile['bech32'] {
  const parts = members(place, ['account', 'validator', 'consensus'])
  const prefix = (one: Place) => text(one, PREFIX, 'a prefix of small letters and digits')
  const bech32 = {
    account: prefix(parts.account),
    validator: prefix(parts.validator),
    consensus: prefix(parts.consensus),
  }
  requireDistinct(place, bech32)
  return bech32
}

function chainIds(place: Place): Record<string, bigint> {
  if (!isObject(place.value)) throw fault(place, 'an object is expected')
  const { source, way } = place
  return Object.fromEntries(
    Object.entries(place.value).map(([id, value]) => [id, evmChainId({ source, way: [...way, id], value })]),
  )
}

function denom(place: Place): string {
  const value = anyText(place)
  if (!isValid(value)) throw fault(place, `${JSON.stringify(value)} is no denom`)
  return value
}

/**
 * The profile of a file. `source` names the file in errors. Throws `invalidArgument` with the place: bad JSON, a name that is
 * missing, unknown or stands twice, an entry that renames nothing, two neutral names that would become one.
 */
export function parseProfile(json: string, source: string): Profile {
  const parts = members({ source, way: [], value: parseJsonText(json, `profile ${source}`) }, [
    'name',
    'bech32',
    'baseDenom',
    'displayDenom',
    'wrappedNativeName',
    'wrappedNativeSymbol',
    'defaultChainId',
    'evmChainIds',
    'defaultEvmChainId',
    'factoryPrefix',
    'names',
    'behaviours',
  ])
  const names = members(parts.names, ['packages', 'paths', 'amino', 'fields'])
  return {
    name: text(parts.name, /^[a-z0-9][a-z0-9@._-]{0,63}$/, 'a name of small letters, digits and @ . _ -'),
    bech32: prefixes(parts.bech32),
    baseDenom: denom(parts.baseDenom),
    displayDenom: denom(parts.displayDenom),
    wrappedNativeName: anyText(parts.wrappedNativeName),
    wrappedNativeSymbol: anyText(parts.wrappedNativeSymbol),
    defaultChainId: anyText(parts.defaultChainId),
    evmChainIds: chainIds(parts.evmChainIds),
    defaultEvmChainId: evmChainId(parts.defaultEvmChainId),
    factoryPrefix: text(parts.factoryPrefix, /^[a-zA-Z][a-zA-Z0-9._-]{0,31}$/, 'the first part of a denom'),
    names: {
      packages: nameMap(names.packages, 'packages'),
      paths: nameMap(names.paths, 'paths'),
      amino: nameMap(names.amino, 'amino'),
      fields: nameMap(names.fields, 'fields'),
    },
    accepted: [COSMJS],
    behaviours: behaviours(parts.behaviours),
  }
}

/** The file of a profile: what `parseProfile` reads back. */
export function formatProfile({ accepted: _, ...profile }: Profile): string {
  return `${JSON.stringify(profile, (_key, value) => (typeof value === 'bigint' ? Number(value) : value), 2)}\n`
}
