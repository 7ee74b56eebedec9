/** OpenRPC 1.3 documents of the methods that a node serves (docs/api-page.md#openrpc). */
import { formatHex, parseBase64 } from '../../primitives/bytes.ts'
import { KINDS, TYPES } from './types.ts'

export type Json = { readonly [key: string]: unknown }

interface Error {
  readonly code: number
  readonly message: string
}

interface Param {
  readonly name: string
  readonly type: string
  readonly required: boolean
}

interface Entry {
  readonly params: readonly Param[]
  readonly result: string
  readonly runsCode: boolean
  readonly text: string
}

const WRONG_PARAMS: Error = { code: -32602, message: 'A parameter is missing, superfluous or malformed.' }
const NO_HEIGHT: Error = { code: -32001, message: 'The height is not stored; data names those that are.' }
const REVERTED: Error = { code: 3, message: 'The execution reverts; data has the bytes.' }
const REFUSED: Error = { code: -32000, message: 'The node refuses the method, and says why.' }
const NOT_LOCAL: Error = { code: 4100, message: 'The request does not come from this machine.' }
const ENGINE_PARAMS: Error = { code: -32602, message: 'A parameter is malformed.' }
const ENGINE_FAILED: Error = { code: -32603, message: 'The method failed; data says why.' }

/** Reads a table of methods with parameters. */
export function readTable(table: string): ReadonlyMap<string, Entry> {
  return new Map(
    table
      .trim()
      .split('\n')
      .map((line): [string, Entry] => {
        const [, name, params, result, mark, text] = /^([\w.]+)\((.*?)\) (\w+)(!?): (.*)$/.exec(line)!
        return [name!, { params: readParams(params!), result: result!, runsCode: mark === '!', text: text! }]
      }),
  )
}

function readParams(text: string): readonly Param[] {
  if (text === '') return []
  return text.split(', ').map((part) => {
    const [name, type] = part.split(':')
    return { name: name!.replace('?', ''), type: type!, required: !name!.endsWith('?') }
  })
}

/** Reads a table of methods without parameters: result and text by name. */
export function readResults(table: string): ReadonlyMap<string, readonly [result: string, text: string]> {
  return new Map(
    table
      .trim()
      .split('\n')
      .map((line) => {
        const [, name, result, text] = /^([\w.]+) (\w+): (.*)$/.exec(line)!
        return [name!, [result!, text!]]
      }),
  )
}

export interface MethodFacts {
  readonly isRefused?: boolean
  readonly isLocal?: boolean
}

/** Returns the member `methods` entry of an Ethereum method. */
export function describeMethod(name: string, entry: Entry, { isRefused, isLocal }: MethodFacts): Json {
  const { params, result, runsCode, text } = entry
  const errors = [
    ...(params.length > 0 ? [WRONG_PARAMS] : []),
    ...(params.some(({ type }) => type === 'block') ? [NO_HEIGHT] : []),
    ...(runsCode ? [REVERTED] : []),
    ...(isRefused ? [REFUSED] : []),
    ...(isLocal ? [NOT_LOCAL] : []),
  ]
  return {
    ...header(name, text),
    paramStructure: 'by-position',
    params: params.map((param) => ({
      name: param.name,
      required: param.required,
      schema: TYPES[param.type]!.schema,
    })),
    result: { name: result, schema: TYPES[result]!.schema },
    ...(errors.length > 0 && { errors }),
    examples: [
      {
        name: `${name} with examples of its parameters`,
        params: params
          .filter(({ required }) => required)
          .map(({ name: param, type }) => ({ name: param, value: TYPES[type]!.example })),
        result: { name: result, value: TYPES[result]!.example },
      },
    ],
  }
}

/** Returns the member `methods` entry of a method of the engine; `kinds` are those of its parameters. */
export function describeEngineMethod(
  name: string,
  kinds: Readonly<Record<string, string>>,
  [result, text]: readonly [result: string, text: string],
  about: Readonly<Record<string, { readonly text: string; readonly example: unknown }>>,
): Json {
  const params = Object.entries(kinds)
  return {
    ...header(name, text),
    paramStructure: 'either',
    params: params.map(([param, kind]) => ({
      name: param,
      required: false,
      description: about[param]!.text,
      schema: KINDS[kind]!,
    })),
    result: { name: result, schema: TYPES[result]!.schema },
    errors: params.length > 0 ? [ENGINE_PARAMS, ENGINE_FAILED] : [ENGINE_FAILED],
    examples: [
      {
        name: `${name} with examples of its parameters`,
        params: params.map(([param, kind]) => ({ name: param, value: exampleOf(about[param]!.example, kind) })),
        result: { name: result, value: TYPES[result]!.example },
      },
    ],
  }
}

/** Returns an example in the form of its kind: bytes are base64 in the table of examples. */
function exampleOf(example: unknown, kind: string): unknown {
  const isHex = kind === 'hexBytes' && typeof example === 'string' && example.endsWith('=')
  return isHex ? formatHex(parseBase64(example)!) : example
}

function header(name: string, text: string): Json {
  return {
    name,
    summary: /^.*?[.:](?= |$)/.exec(text)?.[0] ?? text,
    description: text,
    tags: [{ name: /_/.test(name) ? name.slice(0, name.indexOf('_')) : 'rpc' }],
  }
}

/** Returns a document with these methods, in the order of their names. */
export function documentOf(title: string, version: string, methods: readonly Json[]): Json {
  const name = (method: Json): string => method['name'] as string
  return {
    openrpc: '1.3.2',
    info: { title, version, description: 'Methods that this node serves on this connection.' },
    methods: methods.toSorted((a, b) => (name(a) < name(b) ? -1 : 1)),
  }
}
