/** Command line flags made from the fields of a message, and the JSON of that message from their values. */
import { type DescField, getOption, ScalarType } from '@bufbuild/protobuf'
import { type Command, Option } from 'commander'
import { Scalar, scalar } from '../gen/almanac/options_pb.ts'
import { formatBase64, parseHex } from '../primitives/bytes.ts'
import * as coin from '../primitives/coin.ts'
import { queryError } from '../primitives/errors.ts'
import { describedBy } from './described-help.ts'

const COIN = 'sdk.base.v1beta1.Coin'
const PAGE_REQUEST = 'sdk.base.query.v1beta1.PageRequest'

/** Whether a field is a coin, or a list of coins. */
export const isCoin = (field: DescField): boolean => field.message?.typeName === COIN

/** Converts a name to the form of the command line: `to_address` to `to-address`. */
export function kebab(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3-$2')
    .replaceAll('_', '-')
    .toLowerCase()
}

/** Returns the neutral full name of a field, such as `sdk.base.v1beta1.Coin.denom`. */
export function fullName({ parent, name }: DescField): string {
  return `${parent.typeName}.${name}`
}

/** A flag and the path of its field in the request, in proto names. */
export interface FieldFlag {
  readonly flag: string
  readonly path: readonly string[]
  readonly field: DescField
}

/**
 * Returns a flag for each field. A page request becomes one flag for each of its fields (`--page-limit`); any other message is
 * one flag with JSON.
 */
export function fieldFlags(fields: readonly DescField[]): FieldFlag[] {
  return fields.flatMap((field) => {
    if (field.message?.typeName !== PAGE_REQUEST) return [{ flag: kebab(field.name), path: [field.name], field }]
    return field.message.fields.map((part) => ({
      flag: `page-${kebab(part.name)}`,
      path: [field.name, part.name],
      field: part,
    }))
  })
}

/** Whether a field contains bytes that JSON shows as a hexadecimal address. */
function isAddress(field: DescField): boolean {
  return field.scalar === ScalarType.BYTES && getOption(field, scalar) === Scalar.EVM_ADDRESS
}

/** Returns the placeholder for the value of a field in help texts. */
export function placeholder(field: DescField): string {
  if (isAddress(field)) return 'address'
  if (field.message) return field.message.typeName === COIN ? 'coins' : 'json'
  if (field.enum) return field.enum.values.map(({ name }) => name).join('|')
  return field.scalar === ScalarType.BYTES ? 'bytes' : field.scalar === ScalarType.STRING ? 'text' : 'number'
}

/** Adds the flags to a command. Returns them with their final names: a taken name gets the prefix `field-`. */
export function addFieldFlags(command: Command, flags: readonly FieldFlag[]): readonly FieldFlag[] {
  return flags.map((entry) => {
    const taken = command.options.some(({ long }) => long === `--${entry.flag}`)
    const flag = taken ? `field-${entry.flag}` : entry.flag
    const { field } = entry
    command.addOption(describedBy(optionOf(flag, field), fullName(field)))
    return { ...entry, flag }
  })
}

function optionOf(flag: string, field: DescField): Option {
  if (field.scalar === ScalarType.BOOL && field.fieldKind === 'scalar') {
    return new Option(`--${flag} [bool]`).preset('true')
  }
  if (field.fieldKind === 'list' && field.message?.typeName !== COIN) {
    return new Option(`--${flag} <${placeholder(field)}...>`, 'can be repeated')
  }
  return new Option(`--${flag} <${placeholder(field)}>`)
}

/** Returns the key under which commander stores a flag's value. */
export function optionKey(flag: string): string {
  return flag.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** Returns the JSON of a request from the flags that are set. Throws `invalidArgument` that names a flag with a wrong value. */
export function requestJson(
  flags: readonly FieldFlag[],
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const { flag, path, field } of flags) {
    const value = values[optionKey(flag)]
    if (value === undefined) continue
    let parent = out
    for (const name of path.slice(0, -1)) {
      parent[name] ??= {}
      parent = parent[name] as Record<string, unknown>
    }
    parent[path.at(-1)!] = fieldJson(flag, field, value)
  }
  return out
}

function fieldJson(flag: string, field: DescField, value: unknown): unknown {
  if (field.message?.typeName === COIN) return coinsJson(flag, field, String(value))
  if (Array.isArray(value)) return value.map((item) => scalarJson(flag, field, String(item)))
  return scalarJson(flag, field, String(value))
}

function coinsJson(flag: string, field: DescField, text: string): unknown {
  const coins = coin.tryParseText(text)
  if (!coins || (field.fieldKind !== 'list' && coins.length !== 1)) {
    throw queryError(
      'invalidArgument',
      `--${flag} ${text}: must be ${field.fieldKind === 'list' ? 'coins' : 'one coin'} such as 5unative`,
    )
  }
  const texts = coins.map(coin.toText)
  return field.fieldKind === 'list' ? texts : texts[0]
}

function scalarJson(flag: string, field: DescField, text: string): unknown {
  if (field.message && !/^google\.protobuf\.(Timestamp|Duration)$/.test(field.message.typeName)) {
    try {
      return JSON.parse(text) as unknown
    } catch (error) {
      throw queryError('invalidArgument', `--${flag}: must be JSON: ${(error as Error).message}`)
    }
  }
  if (field.scalar === ScalarType.BOOL) {
    if (!/^(true|false|1|0)$/.test(text))
      throw queryError('invalidArgument', `--${flag} ${text}: must be true or false`)
    return text === 'true' || text === '1'
  }
  const isBytes = field.scalar === ScalarType.BYTES && !isAddress(field)
  const bytes = isBytes && text.startsWith('0x') ? parseHex(text) : undefined
  return bytes ? formatBase64(bytes) : text
}
