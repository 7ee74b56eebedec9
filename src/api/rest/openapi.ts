/** OpenAPI 3.1 from the live descriptors. It describes the mounted operations and no others (D50). */
import type { DescMessage } from '@bufbuild/protobuf'
import { not_in_query } from '../../gen/almanac/options_pb.ts'
import { type DescribedError, describe } from '../../identity/descriptions.ts'
import { fieldOption } from '../../identity/options.ts'
import type { Identity } from '../../identity/types.ts'
import { STATUS_CODES } from '../errors.ts'
import { heightHeaderNames } from './height-selection.ts'
import { createSchemas, describeField, type Json } from './openapi-schemas.ts'
import type { Route } from './routes.ts'

const HEIGHT: Json = {
  in: 'header',
  required: false,
  description: 'Height whose state is read; absent or 0: the latest.',
  example: '1',
  schema: { type: 'string', pattern: '^[0-9]+$' },
}

/** Failures of every query of state (docs/queries.md#heights). */
const OF_HEIGHT: readonly DescribedError[] = [
  { status: 'outOfRange', cause: 'the height is in the future' },
  { status: 'notFound', cause: 'the height is no longer stored' },
  { status: 'unavailable', cause: 'the chain has no block yet' },
]

/** Returns the description of routes under the names of a profile. */
export function describeApi(identity: Identity, routes: readonly Route[], version: string): Json {
  const schemas = createSchemas(identity)
  const heightHeader = heightHeaderNames(identity).at(-1)!
  /** Returns the name of the gRPC method: `chain.evm.v1.Query/Balance`. */
  const nameOfMethod = ({ rpc }: Route) => `${identity.toProfileName(rpc.parent.typeName)}/${rpc.name}`
  const descriptionOf = ({ rpc }: Route) => describe(identity, `${rpc.parent.typeName}.${rpc.name}`)

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
        const described = describeField(identity, field)
        parameters.push({ name, in: 'query', required: false, ...described, schema: schemas.ofField(field) })
      }
    }
    if (!route.body) visit(route.rpc.input, '', 0)
    return parameters
  }

  function pathParameters(group: readonly Route[]): Json[] {
    return group[0]!.variables.map(({ name, fields }, i) => {
      const described = describeField(identity, fields.at(-1)!)
      // Operations of one path can differ in the meaning of its value.
      const meanings = new Set(
        group.map((route) => describeField(identity, route.variables[i]!.fields.at(-1)!)['description']),
      )
      return {
        name,
        in: 'path',
        required: true,
        ...described,
        description: [...meanings].join(' Or: '),
        schema: schemas.ofField(fields.at(-1)!),
      }
    })
  }

  function errorResponses(group: readonly Route[]): Json {
    const causes = new Map<number, Set<string>>()
    for (const route of group) {
      const own = descriptionOf(route)?.errors ?? []
      for (const { status, cause } of route.isStateQuery ? [...own, ...OF_HEIGHT] : own) {
        const { http, grpc } = STATUS_CODES[status]
        const texts = causes.get(http) ?? new Set()
        causes.set(http, texts.add(`${status} (code ${grpc}): ${cause}`))
      }
    }
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
    const responses = [...causes].map(([http, texts]) => [http, { description: `${[...texts].join('; ')}.`, content }])
    return { ...Object.fromEntries(responses), default: { description: 'Any other error.', content } }
  }

  /** Returns an operation that shares its path with others. */
  function alternative(route: Route): Json {
    const text = descriptionOf(route)
    return {
      method: nameOfMethod(route),
      by: route.by,
      summary: text?.summary,
      description: text?.text,
      parameter: describeField(identity, route.variables[0]!.fields.at(-1)!),
    }
  }

  function operation(group: readonly Route[], aliasOf: string | undefined): Json {
    const first = group[0]!
    const ids = group.map(operationId)
    const answers = group.map((route) => schemas.reference(route.rpc.output))
    const texts = group.map(descriptionOf)
    const parameters = [...pathParameters(group), ...queryParameters(first)]
    if (group.length > 1) {
      parameters.push({
        name: 'by',
        in: 'query',
        required: false,
        description: 'Selects the operation; without it the value of the path decides.',
        example: first.by,
        schema: { type: 'string', enum: group.map((route) => route.by) },
      })
    }
    if (first.rpc.parent.name === 'Query') parameters.push({ name: heightHeader.toLowerCase(), ...HEIGHT })
    return {
      operationId: ids[0],
      ...(group.length > 1 && { 'x-operations': ids, 'x-alternatives': group.map(alternative) }),
      ...(aliasOf !== undefined && { deprecated: true, 'x-alias-of': aliasOf }),
      summary: texts.map((text) => text?.summary).join(' '),
      description: [
        ...(aliasOf === undefined ? [] : [`Alias of ${aliasOf}.`]),
        ...texts.map((text) => text?.text),
      ].join(' '),
      tags: [schemas.nameOf(first.rpc.parent.typeName)],
      'x-method': nameOfMethod(first),
      parameters,
      ...(first.body && {
        requestBody: { content: { 'application/json': { schema: schemas.reference(first.rpc.input) } } },
      }),
      responses: {
        200: {
          description: 'The answer, with the height that was read.',
          headers: { [heightHeader]: { description: 'Height that was read.', schema: { type: 'string' } } },
          content: { 'application/json': { schema: answers.length > 1 ? { oneOf: answers } : answers[0] } },
        },
        ...errorResponses(group),
      },
    }
  }

  const used = new Map<string, number>()
  /** Returns an id such as `chain.evm.v1.Query.Balance`; further paths of the same operation get a number as suffix. */
  function operationId({ rpc }: Route): string {
    const id = `${schemas.nameOf(rpc.parent.typeName)}.${rpc.name}`
    const count = (used.get(id) ?? 0) + 1
    used.set(id, count)
    return count === 1 ? id : `${id}.${count}`
  }

  const paths: Record<string, Json> = {}
  const pathOfMethod = new Map<string, string>()
  for (const group of byShape(routes)) {
    const [first] = group as [Route, ...Route[]]
    const path = identity.toProfilePath(first.template).replace(/=\*+\}/g, '}')
    paths[path] ??= {}
    paths[path][first.verb.toLowerCase()] = operation(group, pathOfMethod.get(first.method))
    pathOfMethod.set(first.method, pathOfMethod.get(first.method) ?? path)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `${identity.profile} API`,
      version,
      description: 'Operations of this node, at any height. All of them are also gRPC methods and commands.',
    },
    servers: [{ url: '/' }],
    paths,
    components: { schemas: schemas.all },
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
