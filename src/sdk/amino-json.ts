/** Legacy amino JSON: the text that hardware wallets show and sign (docs/transactions.md#signatures). */
import type { DescMessage, Message } from '@bufbuild/protobuf'
import { getOption } from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import type { Any } from '@bufbuild/protobuf/wkt'
import { other_amino_name } from '../gen/almanac/options_pb.ts'
import { name as aminoNameOption } from '../gen/amino/amino_pb.ts'
import { neutralTypeName } from '../identity/type-name.ts'
import type { Identity } from '../identity/types.ts'
import { formatEip55 } from '../primitives/address.ts'
import { htmlSafe } from '../primitives/html-safe.ts'
import { type AminoForms, type AminoValue, aminoFields } from './amino-fields.ts'
import type { AppFacts } from './context.ts'
import { decodeMessage } from './decode.ts'
import { errors } from './errors.ts'
import * as publicKey from './public-key.ts'
import { typesOf } from './tx.ts'

/** Names and facts that amino JSON depends on, besides the message. */
export interface AminoNames {
  readonly identity: Identity
  readonly app: Pick<AppFacts, 'message'>
  /** Translates a neutral amino name to the one that the signer used. */
  readonly toName: (neutral: string) => string
  /** Whether a message with a second amino name is written under it. */
  readonly byOtherName?: boolean
}

/** Returns JSON text without blanks, with keys sorted by bytes at every level, and HTML-safe. */
export function canonicalJson(value: AminoValue): string {
  return htmlSafe(write(value))
}

/** Writes a value. Bounded by: the message that it was made of. */
function write(value: AminoValue): string {
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const keys = Object.keys(value).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${keys.map((key) => `${JSON.stringify(key)}:${write(value[key]!)}`).join(',')}}`
}

/**
 * Returns a message as `{type, value}`. Throws sdk 37 if the message has no amino name. Bounded by: `MAX_LEVELS`, since a scan
 * preceded.
 */
export function aminoMessage(names: AminoNames, schema: DescMessage, message: Message): AminoValue {
  const name = (names.byOtherName && getOption(schema, other_amino_name)) || getOption(schema, aminoNameOption)
  if (!name) throw errors.notSupported(`amino JSON of ${schema.typeName}`)
  return { type: names.toName(name), value: aminoFields(formsOf(names), reflect(schema, message)) }
}

function formsOf(names: AminoNames): AminoForms {
  return { fieldName: names.identity.toProfileField, evmAddress: formatEip55, any: (any) => aminoAny(names, any) }
}

/** Bounded by: `aminoMessage`. */
function aminoAny(names: AminoNames, any: Any): AminoValue {
  const typeName = neutralTypeName(names.identity, any.typeUrl)
  if (typeName.includes('.crypto.')) {
    return publicKey.aminoJson(names.identity, publicKey.decodePublicKey(names.identity, any)) as AminoValue
  }
  const schema = names.app.message(typeName)
  if (!schema) throw errors.unpackAny(any.typeUrl)
  const { app, identity } = names
  return aminoMessage(
    names,
    schema,
    decodeMessage(schema, any.value, { typeOf: typesOf(app, identity), refuse: 'critical' }),
  )
}
