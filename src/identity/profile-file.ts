/** Profiles in files of users. They are parsed strictly: an error names its position, and nothing is applied in part. */
import { getOption, hasOption } from '@bufbuild/protobuf'
import { name as aminoName } from '../gen/amino/amino_pb.ts'
import { files } from '../gen/files.ts'
import { http } from '../gen/google/api/annotations_pb.ts'
import { isValid } from '../primitives/denom.ts'
import { type ChainError, queryError } from '../primitives/errors.ts'
import { formatPath, type JsonData, parseJsonText } from '../primitives/json-text.ts'
import { type BehaviourName, isBehaviour } from './behaviours.ts'
import { COSMJS } from './profiles/almanac.ts'
import type { NameMap, Profile } from './profiles/profile.ts'
import { services } from './registry.ts'

type JsonObject = { readonly [name: string]: JsonData }

/** A value of the file with its path. */
interface Entry {
  readonly source: string
  readonly path: readonly string[]
  readonly value: JsonData
}

function fault({ source, path }: Pick<Entry, 'source' | 'path'>, reason: string): ChainError {
  return queryError('invalidArgument', `profile ${source}: ${path.length > 0 ? `${formatPath(path)}: ` : ''}${reason}`)
}

function isObject(value: JsonData | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the members of an object that must have exactly these names. */
function members<Name extends string>(entry: Entry, names: readonly Name[]): Record<Name, Entry> {
  const { source, path, value } = entry
  if (!isObject(value)) throw fault(entry, 'expected an object')
  for (const name of Object.keys(value)) {
    if (!names.includes(name as Name)) throw fault({ source, path: [...path, name] }, 'unknown entry of a profile')
  }
  const memberOf = (name: Name): Entry => {
    const member = value[name]
    if (member === undefined) throw fault({ source, path: [...path, name] }, 'is missing')
    return { source, path: [...path, name], value: member }
  }
  return Object.fromEntries(names.map((name) => [name, memberOf(name)])) as Record<Name, Entry>
}

function text(entry: Entry, pattern: RegExp, expected: string): string {
  if (typeof entry.value !== 'string' || !pattern.test(entry.value)) throw fault(entry, `expected ${expected}`)
  return entry.value
}

const anyText = (entry: Entry): string => text(entry, /^[\x20-\x7e]+$/, 'a text')

function evmChainId(entry: Entry): bigint {
  const { value } = entry
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) {
    throw fault(entry, 'expected a whole number from 1')
  }
  return BigInt(value)
}

/** Throws if two uses have the same text. */
function requireDistinct(entry: Entry, entries: Readonly<Record<string, string>>): void {
  const users = new Map<string, string>()
  for (const [use, name] of Object.entries(entries)) {
    const other = users.get(name)
    if (other !== undefined) throw fault(entry, `${JSON.stringify(name)} is used for both ${other} and ${use}`)
    users.set(name, use)
  }
}

/** The neutral names that each kind of map can rename, and their separator. */
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

function nameMap(entry: Entry, kind: keyof NameMap): Record<string, string> {
  const { source, path, value } = entry
  if (!isObject(value)) throw fault(entry, 'expected an object')
  const { separator, known } = KINDS[kind]
  const names = [...known()]
  const map: Record<string, string> = {}
  for (const [from, to] of Object.entries(value)) {
    const renamed: Entry = { source, path: [...path, from], value: to }
    if (!names.some((name) => name === from || name.startsWith(from + separator))) {
      throw fault(renamed, 'is not a neutral name of this API')
    }
    map[from] = anyText(renamed)
  }
  requireDistinct(entry, map)
  return map
}

function behaviours(entry: Entry): BehaviourName[] {
  const { value } = entry
  if (!Array.isArray(value)) throw fault(entry, 'expected a list')
  const on: BehaviourName[] = []
  for (const name of value as readonly JsonData[]) {
    if (typeof name !== 'string' || !isBehaviour(name)) throw fault(entry, `unknown behaviour ${JSON.stringify(name)}`)
    if (on.includes(name)) throw fault(entry, `${name} occurs twice`)
    on.push(name)
  }
  return on
}

const PREFIX = /^[a-z][a-z0-9]{0,30}$/

function prefixes(entry: Entry): Profile['bech32'] {
  const parts = members(entry, ['account', 'validator', 'consensus'])
  const prefix = (one: Entry) => text(one, PREFIX, 'a prefix of lower-case letters and digits')
  const bech32 = {
    account: prefix(parts.account),
    validator: prefix(parts.validator),
    consensus: prefix(parts.consensus),
  }
  requireDistinct(entry, bech32)
  return bech32
}

function chainIds(entry: Entry): Record<string, bigint> {
  if (!isObject(entry.value)) throw fault(entry, 'expected an object')
  const { source, path } = entry
  return Object.fromEntries(
    Object.entries(entry.value).map(([id, value]) => [id, evmChainId({ source, path: [...path, id], value })]),
  )
}

function denom(entry: Entry): string {
  const value = anyText(entry)
  if (!isValid(value)) throw fault(entry, `${JSON.stringify(value)} is not a denom`)
  return value
}

/**
 * Parses the profile of a file. `source` names the file in errors. Throws `invalidArgument` with the position of: invalid JSON, a
 * name that is missing, unknown or repeated, an entry that renames nothing, or two neutral names with the same new name.
 */
export function parseProfile(json: string, source: string): Profile {
  const parts = members({ source, path: [], value: parseJsonText(json, `profile ${source}`) }, [
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
    name: text(parts.name, /^[a-z0-9][a-z0-9@._-]{0,63}$/, 'a name of lower-case letters, digits and @ . _ -'),
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
      packages: { sdk: COSMJS.packages['sdk']!, ...nameMap(names.packages, 'packages') },
      paths: nameMap(names.paths, 'paths'),
      amino: nameMap(names.amino, 'amino'),
      fields: nameMap(names.fields, 'fields'),
    },
    accepted: [COSMJS],
    behaviours: behaviours(parts.behaviours),
  }
}

/** Returns the file of a profile, the input of `parseProfile`. */
export function formatProfile({ accepted: _, ...profile }: Profile): string {
  return `${JSON.stringify(profile, (_key, value) => (typeof value === 'bigint' ? Number(value) : value), 2)}\n`
}
