/** REST routes, built from the descriptors at start, and their matching to paths (docs/gateways.md#routes). */
import { create, type DescField, type DescMessage, type DescMethod } from '@bufbuild/protobuf'
import { by as byOption, rest_of_path, tx_service } from '../../gen/almanac/options_pb.ts'
import { http } from '../../gen/google/api/annotations_pb.ts'
import { type HttpRule, HttpRuleSchema } from '../../gen/google/api/http_pb.ts'
import { fieldOption, methodOption } from '../../identity/options.ts'
import { methodPath } from '../../identity/registry.ts'
import type { Identity } from '../../identity/types.ts'
import { violation } from '../errors.ts'
import { type Family, namesOf } from '../names.ts'
import { SHARED_PATHS, type SharedPath } from '../shared-paths.ts'
import { percentDecode } from './percent.ts'
import { fieldNamed } from './query-params.ts'

type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** One operation under one path template. Templates of one shape differ only in the names of their variables. */
export interface Route {
  readonly verb: Verb
  /** Path template in neutral names. */
  readonly template: string
  readonly rpc: DescMethod
  /** `/package.Service/Method`, neutral. */
  readonly method: string
  /** Variables of the path, in order. */
  readonly variables: readonly Variable[]
  /** Whether the body is the whole request. */
  readonly body: boolean
  /** Value of `?by=` that selects this operation among those of one shape. */
  readonly by: string
  /** Rule by which the state selects among operations of one shape; undefined if they have no such rule. */
  readonly sharedPath: SharedPath | undefined
  /** Header that names the operation in every answer, as name and value; empty unless the path is shared. */
  readonly operationHeaders: readonly string[]
  readonly txService: boolean
  /** Whether it reads state alone, so that the height determines the answer. */
  readonly isStateQuery: boolean
  /** Family of names of the path, and of the type URLs in its answers. */
  readonly family: Family
  /** Names of the variables of the path. */
  readonly bound: ReadonlySet<string>
  /** Whether a query string could set a field. */
  readonly takesQuery: boolean
  /** Whether `?height=` is a field of the request, not the height to read. */
  readonly ownsHeight: boolean
}

export interface Variable {
  readonly name: string
  /** Fields from the request down to the one that the variable sets. */
  readonly fields: readonly DescField[]
  /** Whether the value can contain slashes. */
  readonly restOfPath: boolean
}

/** The rule of a method without a route. */
const NO_RULE = create(HttpRuleSchema)

export interface Match {
  /** Routes of one shape, in the order of declaration. */
  readonly routes: readonly Route[]
  /** Decoded values of the variables. */
  readonly values: readonly string[]
  /** Whether the last value must come from the query string, because the path ends before it. */
  readonly fromQuery: boolean
}

interface Node {
  readonly literals: Map<string, Node>
  single?: Node
  /** Routes that end here. */
  readonly routes: Route[]
  /** Routes whose last variable takes the rest of the path; `empty` if the rest can be empty. */
  readonly rest: { readonly route: Route; readonly empty: boolean }[]
  /** Routes whose last variable is the next segment, and can be given as a query parameter instead. */
  readonly beforeRest: Route[]
}

export interface Router {
  readonly routes: readonly Route[]
  /** Finds the routes of a path; undefined if there is no such path. Throws `invalidArgument` for a bad escape. */
  match(rawPath: string): Match | undefined
  /** Returns the template that is most similar to a path, in the family of its names. */
  nearest(rawPath: string): string | undefined
}

function createNode(): Node {
  return { literals: new Map(), routes: [], rest: [], beforeRest: [] }
}

type Segment = { readonly literal: string } | { readonly variable: string; readonly wild: boolean }

/** Splits a template such as `/a/{x}/{y=**}` into segments. */
function parseTemplate(template: string): readonly Segment[] {
  return template
    .slice(1)
    .split('/')
    .map((part) => {
      const match = /^\{([\w.]+)(?:=(\*\*?))?\}$/.exec(part)
      return match ? { variable: match[1]!, wild: match[2] === '**' } : { literal: part }
    })
}

const PATTERNS: Readonly<Record<string, Verb>> = {
  get: 'GET',
  put: 'PUT',
  post: 'POST',
  delete: 'DELETE',
  patch: 'PATCH',
}

function fieldsTo(identity: Identity, schema: DescMessage, name: string): readonly DescField[] {
  const fields: DescField[] = []
  let type: DescMessage | undefined = schema
  for (const part of name.split('.')) {
    const field: DescField | undefined = type && fieldNamed(identity, type, part)
    if (!field) throw new TypeError(`${schema.typeName} has no field ${name}`)
    fields.push(field)
    type = field.message
  }
  return fields
}

function routesOf(identity: Identity, rpc: DescMethod, rule: HttpRule): Route[] {
  const verb = PATTERNS[rule.pattern.case ?? '']
  if (!verb) return []
  const template = rule.pattern.value as string
  const variables: Variable[] = []
  for (const segment of parseTemplate(template)) {
    if (!('variable' in segment)) continue
    const fields = fieldsTo(identity, rpc.input, segment.variable)
    variables.push({ name: segment.variable, fields, restOfPath: fieldOption(fields.at(-1)!, rest_of_path, false) })
  }
  const bound = new Set(variables.map(({ name }) => name))
  const isStateQuery = rpc.parent.name === 'Query'
  const by = methodOption(rpc, byOption, '')
  const sharedPath = by === '' ? undefined : SHARED_PATHS.get(rpc.parent.typeName)
  const route: Route = {
    verb,
    template,
    rpc,
    method: methodPath(rpc),
    variables,
    body: rule.body === '*',
    by,
    sharedPath,
    operationHeaders: sharedPath ? [sharedPath.header, rpc.name] : [],
    txService: methodOption(rpc, tx_service, false),
    isStateQuery,
    family: namesOf(identity).active,
    bound,
    takesQuery: rule.body !== '*' && rpc.input.fields.some((field) => !bound.has(field.name)),
    ownsHeight: rpc.input.fields.some((field) => field.name === 'height'),
  }
  return [route, ...rule.additionalBindings.flatMap((binding) => routesOf(identity, rpc, binding))]
}

/** Builds the routes of methods: under neutral paths, those of the profile, and those of other accepted families. */
export function createRouter(identity: Identity, rpcs: Iterable<DescMethod>): Router {
  const routes = [...rpcs].flatMap((rpc) => routesOf(identity, rpc, methodOption(rpc, http, NO_RULE)))
  const root = createNode()
  const paths = new Set(routes.map(({ template }) => identity.toProfilePath(template)))
  for (const route of routes) {
    for (const [path, family] of familiesByPath(identity, route)) {
      insert(root, { ...route, family }, path)
      paths.add(path)
    }
  }

  function match(rawPath: string): Match | undefined {
    const segments = rawPath.slice(1).split('/')
    for (let i = 0; i < segments.length; i++) {
      const decoded = percentDecode(segments[i]!)
      if (typeof decoded !== 'string') throw violation('path', `invalid URL escape "${decoded.badEscape}"`)
      segments[i] = decoded
    }
    return find(root, segments, 0, [])
  }

  function nearest(rawPath: string): string | undefined {
    const segments = rawPath.slice(1).split('/')
    let best: { readonly path: string; readonly score: number } | undefined
    for (const path of paths) {
      const score = likeness(path.slice(1).split('/'), segments)
      if (score > 0 && (!best || score > best.score)) best = { path, score }
    }
    return best?.path
  }

  return { routes, match, nearest }
}

/** Returns the paths of a route, neutral, of the profile, and of other accepted families, and the family of names of each. */
function familiesByPath(identity: Identity, { template, rpc }: Route): ReadonlyMap<string, Family> {
  const { active, common, familyOf } = namesOf(identity)
  const { typeName } = rpc.parent
  const ofAliases = familyOf(common.toName(typeName), typeName)
  const entries: (readonly [string, Family])[] = identity.pathAliases.map((rename) => [rename(template), ofAliases])
  // The last entry of a path applies: the paths of several families can be equal.
  return new Map([...entries, [identity.toProfilePath(template), active], [template, familyOf(typeName, typeName)]])
}

function insert(root: Node, route: Route, path: string): void {
  let node = root
  const segments = parseTemplate(path)
  for (let i = 0; i < segments.length; i++) {
    const segment = segments[i]!
    if ('literal' in segment) {
      let next = node.literals.get(segment.literal)
      if (!next) {
        next = createNode()
        node.literals.set(segment.literal, next)
      }
      node = next
      continue
    }
    const last = i === segments.length - 1
    if (segment.wild) {
      if (!last) throw new TypeError(`${path}: only the last variable can be a wildcard`)
      node.rest.push({ route, empty: true })
      return
    }
    if (last && route.variables.at(-1)?.restOfPath) {
      node.rest.push({ route, empty: false })
      node.beforeRest.push(route)
    }
    node.single ??= createNode()
    node = node.single
  }
  node.routes.push(route)
}

/** Prefers a literal to a variable, and a variable to the rest of the path. Only the last segment can be empty. */
function find(node: Node, segments: readonly string[], at: number, values: readonly string[]): Match | undefined {
  if (at === segments.length) {
    if (node.routes.length > 0)
      return { routes: node.routes, values: decodeAgain(node.routes, values), fromQuery: false }
    const wild = node.rest.filter(({ empty }) => empty)
    if (wild.length > 0) return { routes: wild.map(({ route }) => route), values: [...values, ''], fromQuery: false }
    return node.beforeRest.length > 0 ? { routes: node.beforeRest, values, fromQuery: true } : undefined
  }
  const segment = segments[at]!
  const literal = node.literals.get(segment)
  const found = literal && find(literal, segments, at + 1, values)
  if (found) return found
  if (node.single && (segment !== '' || at === segments.length - 1)) {
    const deeper = find(node.single, segments, at + 1, [...values, segment])
    if (deeper) return deeper
  }
  if (node.rest.length === 0) return undefined
  const joined = segments.slice(at).join('/')
  const routes = node.rest.map(({ route }) => route)
  return { routes, values: decodeAgain(routes, [...values, joined]), fromQuery: false }
}

const TWICE_ENCODED = /%(2f|3a)/i

/** Decodes a value again if it can contain slashes and still contains encoded ones: it was encoded twice. */
function decodeAgain(routes: readonly Route[], values: readonly string[]): readonly string[] {
  const variables = routes[0]!.variables
  return values.map((value, i) => {
    if (!variables[i]?.restOfPath || !TWICE_ENCODED.test(value)) return value
    const decoded = percentDecode(value)
    return typeof decoded === 'string' ? decoded : value
  })
}

/** Scores of a segment that is equal, or a variable; a character that is equal counts 1. */
const EQUAL_SCORE = 100
const VARIABLE_SCORE = 50
/** Score of a segment too many or too few behind a different one: less than a character. */
const LENGTH_SCORE = 0.01

/**
 * Scores the similarity of a path to a template: equal leading segments, then the common start of the first different ones, then
 * the difference of their lengths.
 */
function likeness(template: readonly string[], path: readonly string[]): number {
  const lengths = Math.abs(template.length - path.length)
  let score = 0
  for (let i = 0; i < template.length && i < path.length; i++) {
    const expected = template[i]!
    const given = path[i]!
    if (expected === given) {
      score += EQUAL_SCORE
      continue
    }
    if (expected.startsWith('{')) {
      score += VARIABLE_SCORE
      continue
    }
    let common = 0
    while (common < expected.length && common < given.length && alike(expected[common]!, given[common]!)) common++
    return score + common - lengths * LENGTH_SCORE
  }
  return score - lengths
}

function alike(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
