/** Schemas of the OpenAPI description: messages and fields in the names of a profile, with their descriptions. */
import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { Scalar, scalar } from '../../gen/almanac/options_pb.ts'
import { type Description, describe } from '../../identity/descriptions.ts'
import { fieldOption } from '../../identity/options.ts'
import type { Identity } from '../../identity/types.ts'

export type Json = { [key: string]: unknown }

const ERROR: Json = {
  type: 'object',
  properties: {
    error: { type: 'string', description: 'Text of the error.' },
    code: { type: 'integer', description: 'gRPC status code.' },
    message: { type: 'string', description: 'Text of the error.' },
    details: {
      type: 'array',
      description: 'Typed details, such as the wrong field.',
      items: { $ref: '#/components/schemas/Any' },
    },
  },
}

const ANY: Json = {
  type: 'object',
  description: 'A message of any type: its fields, and its type URL.',
  properties: { '@type': { type: 'string', description: 'Type URL.' } },
  additionalProperties: true,
}

/** Descriptions of the parts of an Any in a query string; the well-known types are not in `proto/`. */
const PARTS_OF_ANY: Readonly<Record<string, string>> = {
  type_url: 'Type URL of the message.',
  value: 'The message, encoded as base64.',
}

export interface Schemas {
  /** All schemas by name; grows with the references. */
  readonly all: Json
  /** Returns the name of a type or service in the description. */
  readonly nameOf: (neutral: string) => string
  /** Returns a reference to the schema of a message. */
  readonly reference: (type: DescMessage) => Json
  readonly ofField: (field: DescField) => Json
}

/** Returns description, unit and example of a field, as members of a parameter or a schema. */
export function describeField(identity: Identity, field: DescField): Json {
  const found = describe(identity, `${field.parent.typeName}.${field.name}`)
  if (found) return { description: textWithUnit(found), ...exampleOf(field, found) }
  const part = field.parent.typeName === 'google.protobuf.Any' ? PARTS_OF_ANY[field.name] : undefined
  return part === undefined ? {} : { description: part }
}

function textWithUnit({ text, unit }: Description): string {
  return unit === undefined ? text : `${text} Unit: ${unit}.`
}

function exampleOf(field: DescField, { unit, example }: Description): Json {
  const value = field.scalar === ScalarType.BOOL ? example === 'true' : isInteger(field) ? Number(example) : example
  return {
    ...(unit !== undefined && { 'x-unit': unit }),
    ...(example !== undefined && { example: field.fieldKind === 'list' ? [value] : value }),
  }
}

function isInteger({ scalar: type }: DescField): boolean {
  return type === ScalarType.INT32 || type === ScalarType.UINT32 || type === ScalarType.DOUBLE
}

export function createSchemas(identity: Identity): Schemas {
  const all: Json = { Error: ERROR, Any: ANY }
  /** Paths and types of the SDK have names of one family, here too. */
  const isNeutral = identity.toProfilePath('/sdk') === '/sdk'
  const nameOf = (neutral: string): string =>
    isNeutral && neutral.startsWith('sdk.') ? neutral : identity.toProfileName(neutral)

  function reference(type: DescMessage): Json {
    switch (type.typeName) {
      case 'google.protobuf.Timestamp':
        return { type: 'string', format: 'date-time' }
      case 'google.protobuf.Duration':
        return { type: 'string', description: 'Decimal seconds with the suffix s' }
      case 'google.protobuf.Any':
        return { $ref: '#/components/schemas/Any' }
    }
    const name = nameOf(type.typeName)
    if (!(name in all)) {
      all[name] = {}
      all[name] = objectSchema(type)
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  function objectSchema(type: DescMessage): Json {
    const properties: Json = {}
    for (const field of type.fields) {
      properties[identity.toProfileField(field.name)] = { ...ofField(field), ...describeField(identity, field) }
    }
    const description = describe(identity, type.typeName)?.text
    return { type: 'object', ...(description !== undefined && { description }), properties }
  }

  function ofField(field: DescField): Json {
    if (field.fieldKind === 'list') return { type: 'array', items: valueSchema(field) }
    if (field.fieldKind === 'map') return { type: 'object', additionalProperties: valueSchema(field) }
    return valueSchema(field)
  }

  function valueSchema(field: DescField): Json {
    if (field.message) return reference(field.message)
    if (field.enum) return { type: 'string', enum: field.enum.values.map(({ name }) => name) }
    return scalarSchema(field)
  }

  return { all, nameOf, reference, ofField }
}

function scalarSchema(field: DescField): Json {
  const kind = fieldOption(field, scalar, Scalar.UNSPECIFIED)
  switch (field.scalar as ScalarType) {
    case ScalarType.STRING:
      return kind === Scalar.DECIMAL || kind === Scalar.DECIMAL_TEXT
        ? { type: 'string', format: 'decimal', description: 'Decimal with 18 places' }
        : { type: 'string' }
    case ScalarType.BYTES:
      if (kind === Scalar.EVM_ADDRESS) {
        return { type: 'string', format: 'evm-address', description: 'EVM address, 0x-hexadecimal' }
      }
      return kind === Scalar.DECIMAL
        ? { type: 'string', format: 'decimal', description: 'Decimal with 18 places' }
        : { type: ['string', 'null'], format: 'byte' }
    case ScalarType.BOOL:
      return { type: 'boolean' }
    case ScalarType.FLOAT:
    case ScalarType.DOUBLE:
      return { type: 'number' }
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return { type: 'string', format: 'int64' }
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return { type: 'string', format: 'uint64' }
    default:
      return { type: 'integer' }
  }
}
