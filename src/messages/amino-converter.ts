/** Amino converters as CosmJS takes them: a message to the JSON that the node verifies, and back. */
import { create, type DescMessage, fromBinary, getOption, toBinary } from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { base64 } from '@scure/base'
import { name as aminoName } from '../gen/amino/amino_pb.ts'
import { messageType, registry } from '../identity/registry.ts'
import { neutralTypeName } from '../identity/type-name.ts'
import type { Identity } from '../identity/types.ts'
import { checksummed } from '../primitives/evm-address.ts'
import { type AminoForms, type AminoValue, aminoFields } from '../sdk/amino-fields.ts'
import { type AminoReading, readAmino, unreadable } from './amino-read.ts'
import { messageTypeOf } from './generated-type.ts'

/** A converter that CosmJS takes as its `AminoConverter`. */
export interface AminoConverter {
  readonly aminoType: string
  /** Returns the amino JSON of a message. Throws a `TypeError` for a message with a wrong field. */
  readonly toAmino: (value: unknown) => AminoValue
  /** Returns the message of amino JSON. Throws a `TypeError` that names the wrong field. */
  readonly fromAmino: (value: unknown) => object
}

/** Amino forms of the types of the API, in one family of names. */
export interface Amino {
  /** Returns the converter of a type; undefined for one without amino form. */
  converterOf(schema: DescMessage): AminoConverter | undefined
  /** Returns the amino name of a type; undefined for one without. */
  nameOf(schema: DescMessage): string | undefined
  /** Returns the type of an amino name. */
  schemaOf(name: string): DescMessage | undefined
  /** Returns `{type, value}` of a packed message. Throws a `TypeError` for one without amino form. */
  writeAny(any: Any): AminoValue
  /** Packs the message that `{type, value}` shows. Throws a `TypeError` that begins with `where`. */
  readAny(given: unknown, where: string): Any
}

/** Returns the amino forms in the names of a profile. `toAminoName` translates a neutral amino name. */
export function createAmino(identity: Identity, toAminoName: (neutral: string) => string): Amino {
  let byAminoName: ReadonlyMap<string, DescMessage> | undefined

  const nameOf = (schema: DescMessage): string | undefined => {
    const neutral = getOption(schema, aminoName)
    if (!neutral) return undefined
    // Nodes show keys in the names of their profile.
    return isKey(schema) ? identity.toProfileAmino(neutral) : toAminoName(neutral)
  }
  function schemaOf(name: string): DescMessage | undefined {
    if (!byAminoName) {
      const schemas = [...registry].filter((type) => type.kind === 'message')
      byAminoName = new Map(schemas.flatMap((schema) => (nameOf(schema) ? [[nameOf(schema)!, schema]] : [])))
    }
    return byAminoName.get(name)
  }

  /** Bounded by: the levels of the message. */
  function writeAny({ typeUrl, value }: Any): AminoValue {
    const schema = messageType(neutralTypeName(identity, typeUrl))
    const type = schema && nameOf(schema)
    if (!type) throw new TypeError(`amino JSON: ${typeUrl} has no amino form`)
    const message = fromBinary(schema, value)
    return { type, value: isKey(schema) ? base64.encode(keyOf(message)) : aminoFields(forms, reflect(schema, message)) }
  }
  /** Bounded by: the levels of the value. */
  function readAny(given: unknown, where: string): Any {
    const { type, value } = (given ?? {}) as { readonly type?: unknown; readonly value?: unknown }
    const schema = typeof type === 'string' ? schemaOf(type) : undefined
    if (!schema) throw unreadable(where, 'an object with a known type and its value', given)
    const message = isKey(schema)
      ? create(schema, { key: base64.decode(String(value)) })
      : readAmino(reading, schema, value, where)
    return create(AnySchema, {
      typeUrl: `/${identity.toProfileName(schema.typeName)}`,
      value: toBinary(schema, message),
    })
  }
  const forms: AminoForms = {
    fieldName: identity.toProfileField,
    evmAddress: (bytes) => checksummed(bytes, keccak_256),
    any: writeAny,
  }
  const reading: AminoReading = { fieldName: identity.toProfileField, any: readAny }

  function converterOf(schema: DescMessage): AminoConverter | undefined {
    const aminoType = nameOf(schema)
    if (aminoType === undefined) return undefined
    const { fromPartial } = messageTypeOf(schema)
    return {
      aminoType,
      toAmino: (value) => aminoFields(forms, reflect(schema, fromPartial(value as Record<string, unknown>))),
      fromAmino: (value) => readAmino(reading, schema, value),
    }
  }
  return { converterOf, nameOf, schemaOf, writeAny, readAny }
}

/** Whether a type is a public key of one curve, whose amino form is its bytes alone. */
export const isKey = ({ typeName, fields }: DescMessage): boolean =>
  typeName.includes('.crypto.') && fields.length === 1 && fields[0]!.name === 'key'

const keyOf = (message: object): Uint8Array => (message as { readonly key: Uint8Array }).key
