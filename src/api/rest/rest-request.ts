/** Builds the request message of one operation from a path, a query string and a body. */
import { create, type DescMessage, type Message } from '@bufbuild/protobuf'
import type { Identity } from '../../identity/types.ts'
import { violation } from '../errors.ts'
import { readJson } from '../json-read.ts'
import { percentDecode } from './percent.ts'
import { applyQuery, type Parameters, parseQuery, parseValue } from './query-params.ts'
import type { Match, Route, Variable } from './routes.ts'

type Slots = Record<string, unknown>

export interface BoundRequest {
  readonly route: Route
  readonly request: Message
  /** Text of `?height=`, unless that is a field of the request. */
  readonly height: string | undefined
  /** Value of the last variable of the path. */
  readonly value: string
  /** Binds the request to another operation of the shape, by its `?by=`. Absent if `?by=` is given, or there is only one. */
  readonly withOperation?: (by: string) => BoundRequest
}

const NO_PARAMETERS: Parameters = new Map()
const NO_NAMES: ReadonlySet<string> = new Set()

/**
 * Binds a match. Returns undefined if the path ends before its last value and the query string does not give it. Throws
 * `invalidArgument` naming the parameter.
 */
export function bindRequest(
  identity: Identity,
  match: Match,
  routes: readonly Route[],
  query: string,
  options: { readonly body?: string | undefined; readonly strict: boolean },
): BoundRequest | undefined {
  const named = routes.length > 1 && looseParameters(query, 'by').length > 0
  const bound = bindRoute(identity, match, chooseRoute(identity, match, routes, query), query, options)
  if (!bound || named || routes.length === 1) return bound
  const withOperation = (by: string): BoundRequest => {
    const route = routes.find((one) => one.by === by)
    if (!route) throw new TypeError(`no operation by ${by}`)
    return bindRoute(identity, match, route, query, options)!
  }
  return { ...bound, withOperation }
}

function bindRoute(
  identity: Identity,
  match: Match,
  route: Route,
  query: string,
  options: { readonly body?: string | undefined; readonly strict: boolean },
): BoundRequest | undefined {
  const schema = route.rpc.input
  const request = route.body ? readJson(identity, schema, options.body ?? '') : create(schema)
  for (let i = 0; i < match.values.length; i++) setVariable(request, route.variables[i]!, match.values[i]!)
  const parsed = query !== '' && (route.takesQuery || match.fromQuery)
  const parameters = parsed ? parseQuery(query) : NO_PARAMETERS
  if (parameters.size > 0) {
    const bound = match.fromQuery ? NO_NAMES : route.bound
    applyQuery(identity, schema, request, reserved(schema, parameters), { bound, strict: options.strict })
  }
  if (match.fromQuery && !parameters.has(route.variables.at(-1)!.name)) return undefined
  const height = route.ownsHeight || query === '' ? undefined : findParameter(query, 'height')
  return { route, request, height, value: match.values.at(-1) ?? '' }
}

/** Removes `height` and `by` unless they are fields, so that they do not count as unknown parameters. */
function reserved(schema: DescMessage, parameters: Parameters): Parameters {
  const names = ['height', 'by'].filter(
    (name) => parameters.has(name) && !schema.fields.some((field) => field.name === name),
  )
  if (names.length === 0) return parameters
  const rest = new Map(parameters)
  for (const name of names) rest.delete(name)
  return rest
}

function setVariable(request: Message, variable: Variable, text: string): void {
  let slots = request as unknown as Slots
  const { fields } = variable
  for (let i = 0; i < fields.length - 1; i++) {
    const field = fields[i]!
    slots[field.localName] ??= create(field.message!)
    slots = slots[field.localName] as Slots
  }
  const field = fields[fields.length - 1]!
  slots[field.localName] = parseValue(field, text, variable.name)
}

/** Returns one parameter of a query string. Ignores errors elsewhere in the string. */
function findParameter(query: string, name: string): string | undefined {
  const values = looseParameters(query, name)
  if (new Set(values).size > 1) throw violation(name, 'given twice')
  return values[0]
}

function looseParameters(query: string, name: string): readonly string[] {
  if (!query.includes(name)) return []
  return query.split('&').flatMap((part) => {
    const equals = part.indexOf('=')
    if ((equals < 0 ? part : part.slice(0, equals)) !== name) return []
    const value = percentDecode(equals < 0 ? '' : part.slice(equals + 1))
    return [typeof value === 'string' ? value : '']
  })
}

/** Chooses among operations of one shape: by `?by=` (D5), else by the form of the value, else the first declared. */
function chooseRoute(identity: Identity, match: Match, routes: readonly Route[], query: string): Route {
  const first = routes[0]!
  if (routes.length === 1 || first.by === '') return first
  const values = looseParameters(query, 'by')
  if (values.length > 1) throw violation('by', 'given twice')
  const by = values[0] ?? guessBy(identity, match.values.at(-1) ?? '')
  const chosen = routes.find((route) => route.by === by)
  if (chosen) return chosen
  if (values.length === 0) return first
  throw violation('by', `one of ${routes.map((route) => route.by).join(', ')} expected`)
}

/** Guesses the kind of a value: a string if it begins with the prefix of accounts, else base64 bytes. */
function guessBy(identity: Identity, value: string): string {
  return value.startsWith(`${identity.bech32.account}1`) ? 'string' : 'bytes'
}
