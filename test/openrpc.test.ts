/** OpenRPC documents: complete, valid, and true about the parameters of every method. */
import { Ajv } from 'ajv'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cometMethods } from '../src/api/cometbft/methods.ts'
import { chainMethods, optionalMethods } from '../src/api/jsonrpc/methods.ts'
import { type Node, startNode } from '../src/index.ts'

interface Param {
  readonly name: string
  readonly required: boolean
}
interface Method {
  readonly name: string
  readonly description: string
  readonly params: readonly Param[]
  readonly errors?: readonly { readonly code: number }[]
}
interface Document {
  readonly openrpc: string
  readonly methods: readonly Method[]
}

/** The rules of the OpenRPC 1.3 meta schema that these documents use, without members that it does not know. */
const SCHEMA = { type: 'object' }
const VALUE = {
  type: 'object',
  required: ['name', 'value'],
  additionalProperties: false,
  properties: { name: { type: 'string', minLength: 1 }, summary: { type: 'string' }, value: {} },
}
const CONTENT = {
  type: 'object',
  required: ['name', 'schema'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 1 },
    description: { type: 'string' },
    summary: { type: 'string' },
    schema: SCHEMA,
    required: { type: 'boolean' },
    deprecated: { type: 'boolean' },
  },
}
const META = {
  type: 'object',
  required: ['openrpc', 'info', 'methods'],
  additionalProperties: false,
  properties: {
    openrpc: { type: 'string', pattern: '^1\\.3\\.[0-2]$' },
    info: {
      type: 'object',
      required: ['title', 'version'],
      additionalProperties: false,
      properties: { title: { type: 'string' }, version: { type: 'string' }, description: { type: 'string' } },
    },
    methods: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'params', 'result'],
        additionalProperties: false,
        properties: {
          name: { type: 'string', minLength: 1 },
          summary: { type: 'string', minLength: 1 },
          description: { type: 'string', minLength: 1 },
          tags: {
            type: 'array',
            items: { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 1 } } },
          },
          paramStructure: { enum: ['by-position', 'by-name', 'either'] },
          params: { type: 'array', items: CONTENT },
          result: CONTENT,
          errors: {
            type: 'array',
            minItems: 1,
            items: {
              type: 'object',
              required: ['code', 'message'],
              additionalProperties: false,
              properties: { code: { type: 'integer' }, message: { type: 'string', minLength: 1 }, data: {} },
            },
          },
          examples: {
            type: 'array',
            minItems: 1,
            items: {
              type: 'object',
              required: ['name', 'params', 'result'],
              additionalProperties: false,
              properties: { name: { type: 'string' }, params: { type: 'array', items: VALUE }, result: VALUE },
            },
          },
        },
      },
    },
  },
}

let node: Node
beforeAll(async () => {
  node = await startNode()
})
afterAll(() => node?.stop())

async function call(url: string, method: string, params: unknown = []) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await answer.json()) as { result: Document; error?: { code: number; message: string } }
}

const namesOf = ({ methods }: Document) => methods.map(({ name }) => name)

test('JSON-RPC describes exactly the methods that it serves, the same over every way', async () => {
  const { result } = await call(node.urls.jsonrpc!, 'rpc.discover')
  const table = { ...chainMethods, ...optionalMethods.development, rpc_modules: 0, 'rpc.discover': 0 }
  expect(namesOf(result)).toEqual(Object.keys(table).sort())
  for (const base of [node.urls.rest!, node.urls.jsonrpc!]) {
    const answer = await fetch(`${base}/openrpc.json`)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(await answer.json()).toEqual(result)
  }
})

test('the engine RPC describes exactly the methods that it serves, with the parameters of its table', async () => {
  const { result } = await call(node.urls.comet!, 'rpc.discover', {})
  const table = Object.entries(cometMethods).filter(([, { isUnsafe }]) => !isUnsafe)
  const overWebSocket = ['subscribe', 'unsubscribe', 'unsubscribe_all']
  expect(namesOf(result)).toEqual([...table.map(([name]) => name), ...overWebSocket].sort())
  for (const [name, { params }] of table) {
    const described = result.methods.find((one) => one.name === name)!
    expect([name, described.params.map((one) => one.name)]).toEqual([name, Object.keys(params)])
  }
  expect(await (await fetch(`${node.urls.comet}/openrpc.json`)).json()).toEqual(result)
})

test('the documents are valid OpenRPC, and every schema in them is a JSON Schema', async () => {
  const ajv = new Ajv({ strict: false })
  for (const url of [node.urls.jsonrpc!, node.urls.comet!]) {
    const { result } = await call(url, 'rpc.discover')
    const validate = ajv.compile(META)
    expect(validate(result) ? [] : validate.errors).toEqual([])
    expect(new Set(namesOf(result)).size).toBe(result.methods.length)
    for (const method of result.methods) {
      const whole = method as unknown as {
        params: readonly { name: string; schema: object }[]
        result: { schema: object }
        examples: readonly { params: readonly { name: string; value: unknown }[] }[]
      }
      for (const { name, value } of whole.examples[0]!.params) {
        const { schema } = whole.params.find((one) => one.name === name)!
        expect([method.name, name, ajv.compile(schema)(value)]).toEqual([method.name, name, true])
      }
      ajv.compile(whole.result.schema)
    }
  }
})

test('every method of JSON-RPC takes the parameters that are described', async () => {
  const { result } = await call(node.urls.jsonrpc!, 'rpc.discover')
  const wrong: string[] = []
  for (const { name, params } of result.methods) {
    const tooMany = await call(node.urls.jsonrpc!, name, Array(20).fill(null))
    const most = /want at most (\d+)/.exec(tooMany.error?.message ?? '')?.[1]
    // Methods with readers of their own, and refused ones, do not count their parameters.
    if (most === undefined) continue
    const required = params.filter((one) => one.required).length
    if (Number(most) !== params.length) wrong.push(`${name}: takes ${most}, described ${params.length}`)
    if (required === 0) continue
    const tooFew = await call(node.urls.jsonrpc!, name, [])
    if (!/missing value for required argument/.test(tooFew.error?.message ?? '')) {
      wrong.push(`${name}: requires no parameter, described ${required}: ${tooFew.error?.message}`)
    }
  }
  expect(wrong).toEqual([])
})
