/** Arguments of the CometBFT RPC: by name or position in JSON, as text in a URI. */
import { formatBase64, formatHex, parseBase64, parseHex, utf8 } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { MAX_INT64 } from '../../primitives/integers.ts'
import { parseRequestJson } from '../../primitives/request-json.ts'

/**
 * Kinds of arguments. `hexBytes` and `base64Bytes` differ in JSON only: in a URI both are `0x…` or a quoted text. `texts` and
 * `json` are JSON in a URI too.
 */
type ParamKind = 'int' | 'bool' | 'text' | 'hexBytes' | 'base64Bytes' | 'texts' | 'json'

interface ParamValues {
  int: bigint
  bool: boolean
  text: string
  hexBytes: Uint8Array
  base64Bytes: Uint8Array
  texts: readonly string[]
  json: object
}

/** Kinds by name, in the order of positional arguments. */
export type ParamKinds = Readonly<Record<string, ParamKind>>

/** Values of arguments by name; an omitted argument is absent. */
export type Params<Kinds extends ParamKinds> = { readonly [Name in keyof Kinds]?: ParamValues[Kinds[Name]] }

/** Reads the arguments of a JSON-RPC request. Ignores unknown names. Throws `invalidArgument` naming the argument. */
export function readJsonParams<Kinds extends ParamKinds>(kinds: Kinds, params: unknown): Params<Kinds> {
  const out: Record<string, unknown> = {}
  const names = Object.keys(kinds)
  if (params === undefined || params === null) return out as Params<Kinds>
  if (Array.isArray(params)) {
    if (params.length !== names.length) {
      throw queryError('invalidArgument', `expected ${names.length} parameters (${names}), got ${params.length}`)
    }
    for (const [i, name] of names.entries()) put(out, name, jsonValue(name, kinds[name]!, params[i]))
  } else if (typeof params === 'object') {
    const given = params as Record<string, unknown>
    for (const name of names) {
      if (Object.hasOwn(given, name)) put(out, name, jsonValue(name, kinds[name]!, given[name]))
    }
  } else {
    throw queryError('invalidArgument', 'params must be an object or an array')
  }
  return out as Params<Kinds>
}

/** Reads the arguments of a URI. An empty argument is absent. Throws `invalidArgument` naming the argument. */
export function readUriParams<Kinds extends ParamKinds>(kinds: Kinds, search: URLSearchParams): Params<Kinds> {
  const out: Record<string, unknown> = {}
  for (const [name, kind] of Object.entries(kinds)) {
    const text = search.get(name)
    if (text !== null && text !== '') put(out, name, uriValue(name, kind, text))
  }
  return out as Params<Kinds>
}

/** Returns arguments by name in the form that `readJsonParams` reads, for another server of the same RPC. */
export function writeJsonParams<Kinds extends ParamKinds>(
  kinds: Kinds,
  params: Params<Kinds>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      const kind = kinds[name]
      if (kind === 'int') return [name, String(value)]
      if (kind === 'hexBytes') return [name, formatHex(value as Uint8Array)]
      return [name, kind === 'base64Bytes' ? formatBase64(value as Uint8Array) : value]
    }),
  )
}

function put(out: Record<string, unknown>, name: string, value: unknown): void {
  if (value !== undefined) out[name] = value
}

function wrong(name: string, expected: string): Error {
  return queryError('invalidArgument', `error converting argument ${name}: expected ${expected}`)
}

function jsonValue(name: string, kind: ParamKind, value: unknown): unknown {
  if (value === null || value === undefined) return undefined
  switch (kind) {
    case 'int':
      if (typeof value !== 'string') throw wrong(name, 'an integer in a string')
      return parseInteger(name, value)
    case 'bool':
      if (typeof value !== 'boolean') throw wrong(name, 'a boolean')
      return value
    case 'text':
      if (typeof value !== 'string') throw wrong(name, 'a string')
      return value
    case 'hexBytes': {
      const bytes = typeof value === 'string' ? parseHex(value) : undefined
      if (!bytes) throw wrong(name, 'hexadecimal text')
      return bytes
    }
    case 'base64Bytes': {
      const isStandard = typeof value === 'string' && value.length % 4 === 0 && !/[-_]/.test(value)
      const bytes = isStandard ? parseBase64(value) : undefined
      if (!bytes) throw wrong(name, 'base64 text')
      return bytes
    }
    case 'texts':
      if (!Array.isArray(value) || !value.every((one) => typeof one === 'string'))
        throw wrong(name, 'a list of strings')
      return value
    case 'json':
      if (typeof value !== 'object' || Array.isArray(value)) throw wrong(name, 'an object')
      return value
  }
}

function uriValue(name: string, kind: ParamKind, text: string): unknown {
  const quoted = /^"(.*)"$/s.exec(text)?.[1]
  switch (kind) {
    case 'int':
      return parseInteger(name, quoted ?? text)
    case 'bool':
      if (text !== 'true' && text !== 'false') throw wrong(name, 'true or false')
      return text === 'true'
    case 'text':
      if (quoted === undefined) throw wrong(name, 'text in double quotes')
      return unquote(name, text)
    case 'texts':
    case 'json':
      return jsonValue(name, kind, parseJson(name, text))
    default: {
      if (quoted !== undefined) return utf8(unquote(name, text))
      const bytes = text.startsWith('0x') ? parseHex(text) : undefined
      if (!bytes) throw wrong(name, '0x and hexadecimal digits, or text in double quotes')
      return bytes
    }
  }
}

function parseJson(name: string, text: string): unknown {
  try {
    return parseRequestJson(text)
  } catch {
    throw wrong(name, 'JSON')
  }
}

function unquote(name: string, text: string): string {
  try {
    return JSON.parse(text) as string
  } catch {
    throw wrong(name, 'text in double quotes')
  }
}

function parseInteger(name: string, text: string): bigint {
  if (!/^-?\d{1,19}$/.test(text)) throw wrong(name, 'a 64-bit integer')
  const value = BigInt(text)
  if (value > MAX_INT64 || value < -MAX_INT64) throw wrong(name, 'a 64-bit integer')
  return value
}
