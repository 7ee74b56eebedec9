/** OpenAPI 3.1 from the live descriptors. It describes the mounted operations and no others (D50). */
import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { not_in_query, Scalar, scalar } from '../../gen/almanac/options_pb.ts'
import { fieldOption } from '../../identity/options.ts'
import type { Identity } from '../../identity/types.ts'
import { heightHeaderNames } from './height-selection.ts'
import type { Route } from './routes.ts'

type Json = { [key: string]: unknown }

const HEIGHT: Json = {
  in: 'header',
  required: false,
  description: 'Height whose state is read; absent or 0: the latest.',
  schema: { type: 'string', pattern: '^[0-9]+$' },
}

const ERROR: Json = {
  type: 'object',
  properties: {
    error: { type: 'string' },
    code: { type: 'integer', description: 'gRPC status code' },
    message: { type: 'string' },
    details: { type: 'array', items: { $ref: '#/components/schemas/Any' } },
  },
}

const ANY: Json = {
  type: 'object',
  properties: { '@type': { type: 'string', description: 'Type URL' } },
  additionalProperties: true,
}

/** Returns the description of routes under the names of a profile. */
export function describeApi(identity: Identity, routes: readonly Route[], version: string): Json {
  const schemas: Json = { Error: ERROR, Any: ANY }
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
    if (!(name in schemas)) {
      schemas[name] = {}
      schemas[name] = objectSchema(type)
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  function objectSchema(type: DescMessage): Json {
    const properties: Json = {}
    for (const field of type.fields) properties[identity.toProfileField(field.name)] = fieldSchema(field)
    return { type: 'object', properties }
  }

  const heightHeader = heightHeaderNames(identity).at(-1)!

  function fieldSchema(field: DescField): Json {
    if (field.fieldKind === 'list') return { type: 'array', items: valueSchema(field) }
    if (field.fieldKind === 'map') return { type: 'object', additionalProperties: valueSchema(field) }
    return valueSchema(field)
  }

  function valueSchema(field: DescField): Json {
    if (field.message) return reference(field.message)
    if (field.enum) return { type: 'string', enum: field.enum.values.map(({ name }) => name) }
    return scalarSchema(field)
  }

  function queryParameters(route: Route): Json[] {
    const bound = new Set(route.variables.map(({ name }) => name))
    const parameters: Json[] = []
    const visit = (type: DescMessage, prefix: string, depth: number): void => {
      for (const field of type.fields) {
        const name = prefix + identity.toProfileField(field.name)
        if (bound.has(prefix + field.name) || fieldOption(field, not_in_query, false)) continue
        const message = field.fieldKind === 'message' ? field.message : undefined
        if (message && !message.typeName.match(/^google\.protobuf\.(Timestamp|Duration)$/)) {
          if (depth < 4) visit(message, `${name}.`, depth + 1)
          continue
        }
        if (field.fieldKind === 'map' || (field.fieldKind === 'list' && field.listKind === 'message')) continue
        parameters.push({ name, in: 'query', required: false, schema: fieldSchema(field) })
      }
    }
    if (!route.body) visit(route.rpc.input, '', 0)
    return parameters
  }

  function pathParameters(group: readonly Route[]): Json[] {
    return group[0]!.variables.map(({ name, fields }) => ({
      name,
      in: 'path',
      required: true,
      schema: fieldSchema(fields.at(-1)!),
    }))
  }

  function operation(group: readonly Route[]): Json {
    const first = group[0]!
    const ids = group.map(operationId)
    const answers = group.map((route) => reference(route.rpc.output))
    const parameters = [...pathParameters(group), ...queryParameters(first)]
    if (group.length > 1) {
      parameters.push({
        name: 'by',
        in: 'query',
        required: false,
        description: 'Selects the operation; without it the value of the path decides.',
        schema: { type: 'string', enum: group.map((route) => route.by) },
      })
    }
    if (first.rpc.parent.name === 'Query') parameters.push({ name: heightHeader.toLowerCase(), ...HEIGHT })
    return {
      operationId: ids[0],
      ...(group.length > 1 ? { 'x-operations': ids } : {}),
      tags: [nameOf(first.rpc.parent.typeName)],
      parameters,
      ...(first.body
        ? { requestBody: { content: { 'application/json': { schema: reference(first.rpc.input) } } } }
        : {}),
      responses: {
        200: {
          description: 'The answer, with the height that was read.',
          headers: { [heightHeader]: { schema: { type: 'string' } } },
          content: { 'application/json': { schema: answers.length > 1 ? { oneOf: answers } : answers[0] } },
        },
        default: {
          description: 'An error.',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
    }
  }

  const used = new Map<string, number>()
  /** Returns an id such as `chain.evm.v1.Query.Balance`; further paths of the same operation get a number as suffix. */
  function operationId({ rpc }: Route): string {
    const id = `${nameOf(rpc.parent.typeName)}.${rpc.name}`
    const count = (used.get(id) ?? 0) + 1
    used.set(id, count)
    return count === 1 ? id : `${id}.${count}`
  }

  const paths: Record<string, Json> = {}
  for (const group of byShape(routes)) {
    const path = identity.toProfilePath(group[0]!.template).replace(/=\*+\}/g, '}')
    paths[path] ??= {}
    paths[path][group[0]!.verb.toLowerCase()] = operation(group)
  }
  return {
    openapi: '3.1.0',
    info: { title: `${identity.profile} API`, version },
    servers: [{ url: '/' }],
    paths,
    components: { schemas },
  }
}

/** Groups routes of one verb and one shape, in the order of declaration. */
function byShape(routes: readonly Route[]): readonly (readonly Route[])[] {
  const groups = new Map<string, Route[]>()
  for (const route of routes) {
    const shape = `${route.verb} ${route.template.replace(/\{[^}]*\}/g, '{}')}`
    const group = groups.get(shape)
    if (group) group.push(route)
    else groups.set(shape, [route])
  }
  return [...groups.values()]
}

function scalarSchema(field: DescField): Json {
  const kind = fieldOption(field, scalar, Scalar.UNSPECIFIED)
  switch (field.scalar as ScalarType) {
    case ScalarType.STRING:
      return kind === Scalar.DECIMAL || kind === Scalar.DECIMAL_TEXT
        ? { type: 'string', description: 'Decimal with 18 places' }
        : { type: 'string' }
    case ScalarType.BYTES:
      if (kind === Scalar.EVM_ADDRESS) return { type: 'string', description: 'EVM address, 0x-hexadecimal' }
      return kind === Scalar.DECIMAL
        ? { type: 'string', description: 'Decimal with 18 places' }
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
