/** All operations of this node in one list, from its OpenAPI and OpenRPC documents. */
import { ask } from '../api/ask.ts'
import { type Question, rest } from '../api/question.ts'

export interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly string[]
  readonly items?: Schema
  readonly $ref?: string
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly example?: unknown
  readonly 'x-unit'?: string
}

export interface Parameter {
  readonly name: string
  /** Part of the request: `path` and `query` of REST, `param` of a method. */
  readonly in: 'path' | 'query' | 'param'
  readonly type: string
  readonly schema: Schema
  readonly required: boolean
  readonly text: string
  readonly unit?: string | undefined
  readonly example?: unknown
}

interface ApiError {
  readonly code: string
  readonly text: string
}

type Protocol = 'REST' | 'JSON-RPC' | 'engine RPC'

export interface Operation {
  /** Unique: the name of the gRPC method, or of the method. */
  readonly id: string
  readonly protocol: Protocol
  readonly group: string
  /** Path or name, as a client writes it. */
  readonly title: string
  readonly verb: 'GET' | 'POST'
  readonly summary: string
  readonly text: string
  readonly parameters: readonly Parameter[]
  readonly errors: readonly ApiError[]
  /** Schema of the answer. */
  readonly answer?: Schema | undefined
  /** Schema of the body of a request. */
  readonly body?: Schema | undefined
  /** Value of `by` that selects it among the operations of its path. */
  readonly by?: string | undefined
  /** Further paths of the same operation. */
  readonly aliases: readonly string[]
  /** Whether a height selects the state that is read. */
  readonly isTimed: boolean
}

export interface Catalog {
  readonly operations: readonly Operation[]
  readonly schemas: Readonly<Record<string, Schema>>
}

interface RestParameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description: string
  readonly example?: unknown
  readonly schema: Schema
  readonly 'x-unit'?: string
}
interface RestOperation {
  readonly summary: string
  readonly description: string
  readonly 'x-method': string
  readonly 'x-alias-of'?: string
  readonly 'x-alternatives'?: readonly {
    readonly method: string
    readonly by: string
    readonly summary: string
    readonly description: string
    readonly parameter: { readonly description: string; readonly example?: unknown }
  }[]
  readonly parameters: readonly RestParameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Readonly<Record<string, { schema: Schema }>> }>
  >
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RestOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}
interface RpcMethod {
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly params: readonly { name: string; description?: string; required: boolean; schema: Schema }[]
  readonly result: { readonly schema: Schema }
  readonly errors?: readonly { readonly code: number; readonly message: string }[]
  readonly examples: readonly { readonly params: readonly { readonly name: string; readonly value: unknown }[] }[]
}
interface OpenRpc {
  readonly methods: readonly RpcMethod[]
}

/** Names the type of a value for people: `text`, `list of numbers`, one of some names. */
export function typeName(schema: Schema): string {
  if (schema.title) return schema.title
  if (schema.enum) return 'name'
  const [type] = [schema.type ?? 'value'].flat()
  if (type === 'array') return `list of ${typeName(schema.items ?? {})}s`
  if (schema.$ref || schema.oneOf || type === 'object') return 'object'
  if (type === 'boolean') return 'true or false'
  if (type === 'integer' || type === 'number') return 'number'
  const known: Record<string, string> = {
    byte: 'bytes, base64',
    int64: 'number as text',
    uint64: 'number as text',
    'date-time': 'time, RFC 3339',
    decimal: 'decimal',
    'evm-address': 'address',
  }
  return (schema.format && known[schema.format]) ?? 'text'
}

const moduleOf = (method: string): string => method.split('/')[0]!.split('.').at(-3) ?? method

function restOperations({ paths }: OpenApi): Operation[] {
  const aliases = new Map<string, string[]>()
  for (const [path, verbs] of Object.entries(paths)) {
    for (const { 'x-alias-of': right } of Object.values(verbs)) {
      if (right) aliases.set(right, [...(aliases.get(right) ?? []), path])
    }
  }
  return Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).flatMap(([verb, operation]): Operation[] => {
      if (operation['x-alias-of']) return []
      const { responses } = operation
      const schema = responses['200']?.content?.['application/json']?.schema
      const ofQuery = operation.parameters.filter((one) => one.in !== 'header' && one.name !== 'by')
      const whole: Operation = {
        id: operation['x-method'],
        protocol: 'REST',
        group: moduleOf(operation['x-method']),
        title: path,
        verb: verb === 'get' ? 'GET' : 'POST',
        summary: operation.summary,
        text: operation.description,
        parameters: ofQuery.map((one) => ({
          name: one.name,
          in: one.in as 'path' | 'query',
          type: typeName(one.schema),
          schema: one.schema,
          required: one.required,
          text: one.description,
          unit: one['x-unit'],
          example: Array.isArray(one.example) ? one.example[0] : one.example,
        })),
        errors: Object.entries(responses)
          .filter(([status]) => status !== '200')
          .map(([status, { description }]) => ({ code: status, text: description })),
        answer: schema,
        body: operation.requestBody?.content['application/json']?.schema,
        aliases: aliases.get(path) ?? [],
        isTimed: operation.parameters.some((one) => one.in === 'header'),
      }
      const alternatives = operation['x-alternatives']
      if (!alternatives) return [whole]
      return alternatives.map(({ method, by, summary, description, parameter }, i) => ({
        ...whole,
        id: method,
        summary,
        text: description,
        by,
        answer: schema?.oneOf?.[i],
        parameters: whole.parameters.map((one) =>
          one.in === 'path' ? { ...one, text: parameter.description, example: parameter.example } : one,
        ),
      }))
    }),
  )
}

function rpcOperations(protocol: Protocol, { methods }: OpenRpc): Operation[] {
  return methods.map((method) => {
    const examples = new Map(method.examples[0]?.params.map(({ name, value }) => [name, value]))
    const namespace = method.name.split(/[_.]/)[0]!
    return {
      id: protocol === 'JSON-RPC' ? method.name : `engine/${method.name}`,
      protocol,
      group: protocol === 'JSON-RPC' ? namespace : 'engine RPC',
      title: method.name,
      verb: 'POST',
      summary: method.summary,
      text: method.description,
      parameters: method.params.map(({ name, description, required, schema }) => ({
        name,
        in: 'param',
        type: typeName(schema),
        schema,
        required,
        text: description ?? schema.description ?? '',
        example: examples.get(name),
      })),
      errors: (method.errors ?? []).map(({ code, message }) => ({ code: String(code), text: message })),
      answer: method.result.schema,
      aliases: [],
      isTimed: false,
    }
  })
}

/** Reads a document; undefined where the node does not serve that protocol here. */
const optionalDocument = (question: Question): Promise<OpenRpc | undefined> =>
  ask<OpenRpc>(question).catch(() => undefined)

let asked: Promise<Catalog> | undefined

/** Reads the catalog once. Rejects with `ApiError`, and is then read again the next time. */
export function readCatalog(): Promise<Catalog> {
  asked ??= Promise.all([
    ask<OpenApi>(rest('/openapi.json')),
    optionalDocument({ kind: 'eth', method: 'rpc.discover', params: [] }),
    optionalDocument({ kind: 'engine', method: 'rpc.discover', params: {} }),
  ])
    .then(([api, eth, engine]) => ({
      schemas: api.components.schemas,
      operations: [
        ...restOperations(api),
        ...(eth ? rpcOperations('JSON-RPC', eth) : []),
        ...(engine ? rpcOperations('engine RPC', engine) : []),
      ],
    }))
    .catch((error: unknown) => {
      asked = undefined
      throw error
    })
  return asked
}

/** Returns the operations whose names, texts or parameters contain every word. Names come first. */
export function search(operations: readonly Operation[], text: string): readonly Operation[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return operations
  const found = operations.flatMap((operation) => {
    const name = `${operation.title} ${operation.id} ${operation.aliases.join(' ')}`.toLowerCase()
    const all = `${name} ${operation.text} ${operation.parameters.map((one) => one.name).join(' ')}`.toLowerCase()
    if (!words.every((word) => all.includes(word))) return []
    return [{ operation, rank: words.every((word) => name.includes(word)) ? 0 : 1 }]
  })
  return found.sort((a, b) => a.rank - b.rank).map(({ operation }) => operation)
}
