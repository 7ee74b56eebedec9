/** REST routes, built from the descriptors at start, and the matching of paths to them (gateway.md §3.3). */
import { create, type DescField, type DescMessage, type DescMethod } from '@bufbuild/protobuf'
import { by as byOption, compute, rest_of_path, tx_service } from '../gen/almanac/options_pb.ts'
import { http } from '../gen/google/api/annotations_pb.ts'
import { type HttpRule, HttpRuleSchema } from '../gen/google/api/http_pb.ts'
import { fieldOption, methodOption } from '../identity/options.ts'
import { methodPath } from '../identity/registry.ts'
import type { Identity } from '../identity/types.ts'
import { violation } from './errors.ts'
import { percentDecode } from './percent.ts'
import { fieldNamed } from './query-params.ts'

type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** One operation under one template. Templates differ in the names of their variables only if they share a shape. */
export interface Route {
  readonly verb: Verb
  /** In neutral names. */
  readonly template: string
  readonly rpc: DescMethod
  /** `/package.Service/Method`, neutral. */
  readonly method: string
  /** Fields that the path sets, in the order of the variables; each a way from the request down. */
  readonly variables: readonly Variable[]
  /** The body is the whole request. */
  readonly body: boolean
  /** Value of `?by=` that selects it among operations of one shape. */
  readonly by: string
  readonly txService: boolean
  /** Reads state alone, so that its answer is fixed by the height. */
  readonly isStateQuery: boolean
  /** And does so at once, in this thread. */
  readonly isLight: boolean
  /** Names of the fields that the path sets. */
  readonly bound: ReadonlySet<string>
  /** Whether a query string could set a field. */
  readonly takesQuery: boolean
  /** `?height=` is a field of the request, not the state to read. */
  readonly ownsHeight: boolean
}

export interface Variable {
  readonly name: string
  readonly way: readonly DescField[]
  readonly restOfPath: boolean
}

/** Of a method without a route. */
const NO_RULE = create(HttpRuleSchema)

export interface Match {
  /** Routes of one shape, in the order of declaration. Empty: nothing has this path. */
  readonly routes: readonly Route[]
  /** Decoded values of the variables. */
  readonly values: readonly string[]
  /** The value must come from the query string: the path ends before it. */
  readonly fromQuery: boolean
}

interface Node {
  readonly literals: Map<string, Node>
  single?: Node
  /** Routes that end here. */
  readonly routes: Route[]
  /** Routes whose last variable takes everything from here on; `empty` if it may take nothing. */
  readonly rest: { readonly route: Route; readonly empty: boolean }[]
  /** Routes that would end in a variable one segment on, and may be given it as a query parameter. */
  readonly beforeRest: Route[]
}

export interface Router {
  readonly routes: readonly Route[]
  /** Throws `invalidArgument` on a bad escape. */
  match(rawPath: string): Match | undefined
  /** The template that a path comes closest to. */
  nearest(rawPath: string): string | undefined
}

function createNode(): Node {
  return { literals: new Map(), routes: [], rest: [], beforeRest: [] }
}

type Segment = { readonly literal: string } | { readonly variable: string; readonly wild: boolean }

/** Segments of `/a/{x}/{y=**}`. */
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

function fieldWay(identity: Identity, schema: DescMessage, name: string): readonly DescField[] {
  const way: DescField[] = []
  let type: DescMessage | undefined = schema
  for (const part of name.split('.')) {
    const field: DescField | undefined = type && fieldNamed(identity, type, part)
    if (!field) throw new TypeError(`${schema.typeName} has no field ${name}`)
    way.push(field)
    type = field.message
  }
  return way
}

function routesOf(identity: Identity, rpc: DescMethod, rule: HttpRule): Route[] {
  const verb = PATTERNS[rule.pattern.case ?? '']
  if (!verb) return []
  const template = rule.pattern.value as string
  const variables: Variable[] = []
  for (const segment of parseTemplate(template)) {
    if (!('variable' in segment)) continue
    const way = fieldWay(identity, rpc.input, segment.variable)
    variables.push({ name: segment.variable, way, restOfPath: fieldOption(way.at(-1)!, rest_of_path, false) })
  }
  const bound = new Set(variables.map(({ name }) => name))
  const isStateQuery = rpc.parent.name === 'Query'
  const route: Route = {
    verb,
    template,
    rpc,
    method: methodPath(rpc),
    variables,
    body: rule.body === '*',
    by: methodOption(rpc, byOption, ''),
    txService: methodOption(rpc, tx_service, false),
    isStateQuery,
    isLight: isStateQuery && !methodOption(rpc, compute, false),
    bound,
    takesQuery: rule.body !== '*' && rpc.input.fields.some((field) => !bound.has(field.name)),
    ownsHeight: rpc.input.fields.some((field) => field.name === 'height'),
  }
  return [route, ...rule.additionalBindings.flatMap((binding) => routesOf(identity, rpc, binding))]
}

/** Every route of the given methods, under its neutral path, the profile's and those of families that are understood. */
export function createRouter(identity: Identity, rpcs: Iterable<DescMethod>): Router {
  const routes = [...rpcs].flatMap((rpc) => routesOf(identity, rpc, methodOption(rpc, http, NO_RULE)))
  const root = createNode()
  for (const route of routes) {
    const paths = [identity.toProfilePath, ...identity.pathAliases].map((rename) => rename(route.template))
    for (const path of new Set([route.template, ...paths])) insert(root, route, path)
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
    let best: { readonly template: string; readonly score: number } | undefined
    for (const { template } of routes) {
      const path = identity.toProfilePath(template)
      const score = likeness(path.slice(1).split('/'), segments)
      if (score > 0 && (!best || score > best.score)) best = { template: path, score }
    }
    return best?.template
  }

  return { routes, match, nearest }
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
      if (!last) throw new TypeError(`${path}: only the last variable may be a wildcard`)
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

/** Literal before variable before rest of path. A variable is empty only in the last segment. */
function find(node: Node, segments: readonly string[], at: number, values: readonly string[]): Match | undefined {
  if (at === segments.length) {
    if (node.routes.length > 0) return { routes: node.routes, values: reread(node.routes, values), fromQuery: false }
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
  return { routes, values: reread(routes, [...values, joined]), fromQuery: false }
}

const TWICE_ENCODED = /%(2f|3a)/i

/** A value that may hold slashes and still holds encoded ones was encoded twice. */
function reread(routes: readonly Route[], values: readonly string[]): readonly string[] {
  const variables = routes[0]!.variables
  return values.map((value, i) => {
    if (!variables[i]?.restOfPath || !TWICE_ENCODED.test(value)) return value
    const decoded = percentDecode(value)
    return typeof decoded === 'string' ? decoded : value
  })
}

/** How well a path fits a template: equal leading segments, then how alike the first differing ones begin. */
function likeness(template: readonly string[], path: readonly string[]): number {
  let score = 0
  for (let i = 0; i < template.length && i < path.length; i++) {
    const expected = template[i]!
    const given = path[i]!
    if (expected === given) {
      score += 100
      continue
    }
    if (expected.startsWith('{')) {
      score += 50
      continue
    }
    let common = 0
    while (common < expected.length && common < given.length && alike(expected[common]!, given[common]!)) common++
    return score + common
  }
  return score - Math.abs(template.length - path.length)
}

function alike(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
