/** A strict JSON parser for files of users, whose errors name line, column and path. */
import { type ChainError, queryError } from './errors.ts'
import { MAX_JSON_LEVELS } from './nesting.ts'

export type JsonData = string | number | boolean | null | readonly JsonData[] | { readonly [name: string]: JsonData }

const WORDS: Readonly<Record<string, JsonData>> = { true: true, false: false, null: null }
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /[a-z]+/y
/** Characters that a string contains only escaped, or as an escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters that JSON forbids in strings.
const NOT_PLAIN = /[\\\u0000-\u001f]/

interface Input {
  readonly text: string
  readonly source: string
  at: number
  /** Path from the root to the value being read. */
  readonly path: (string | number)[]
}

/**
 * Parses JSON text. Throws `invalidArgument` with `source`, line and column if the text is invalid or truncated, or if an object
 * has a name twice.
 */
export function parseJsonText(text: string, source: string): JsonData {
  const input: Input = { text, source, at: text.startsWith('\uFEFF') ? 1 : 0, path: [] }
  const value = readValue(input)
  skipSpace(input)
  if (input.at < text.length) throw fault(input, 'unexpected text after the value')
  return value
}

function fault({ text, source, at, path }: Input, reason: string): ChainError {
  const before = text.slice(0, at)
  const line = before.split('\n').length
  const column = at - (before.lastIndexOf('\n') + 1) + 1
  const inside = path.length > 0 ? `, in ${formatPath(path)}` : ''
  return queryError('invalidArgument', `${source}: line ${line}, column ${column}${inside}: ${reason}`)
}

/** Formats a path as `app_state.bank.balances[3].address`. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`)).join('')
}

function skipSpace(input: Input): void {
  const { text } = input
  for (;;) {
    const code = text.charCodeAt(input.at)
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return
    input.at++
  }
}

function unexpected(input: Input, expected: string): ChainError {
  if (input.at >= input.text.length) return fault(input, `expected ${expected}, but the text ends: it is cut off`)
  return fault(input, `expected ${expected}, got ${JSON.stringify(input.text[input.at])}`)
}

/** Reads a value. Bounded by: `MAX_JSON_LEVELS`. */
function readValue(input: Input): JsonData {
  skipSpace(input)
  if (input.path.length > MAX_JSON_LEVELS) throw fault(input, `nested deeper than ${MAX_JSON_LEVELS} levels`)
  const first = input.text[input.at]
  if (first === '{') return readObject(input)
  if (first === '[') return readList(input)
  if (first === '"') return readString(input)
  const number = match(input, NUMBER)
  if (number !== undefined) return Number(number)
  const word = match(input, WORD)
  if (word === undefined) throw unexpected(input, 'a value')
  const value = WORDS[word]
  if (value !== undefined) return value
  input.at -= word.length
  throw fault(input, `${word} is not a value`)
}

function match(input: Input, pattern: RegExp): string | undefined {
  pattern.lastIndex = input.at
  const found = pattern.exec(input.text)?.[0]
  if (found !== undefined) input.at += found.length
  return found
}

function readString(input: Input): string {
  const { text } = input
  if (text[input.at] !== '"') throw unexpected(input, 'a string in double quotes')
  const begin = input.at
  const close = text.indexOf('"', begin + 1)
  const plain = text.slice(begin + 1, close)
  if (close > 0 && !NOT_PLAIN.test(plain)) {
    input.at = close + 1
    return plain
  }
  let end = begin + 1
  for (; text[end] !== '"'; end++) {
    if (end >= text.length) {
      input.at = text.length
      throw unexpected(input, 'the end of a string')
    }
    if (text[end] === '\\') end++
  }
  try {
    const value = JSON.parse(text.slice(begin, end + 1)) as string
    input.at = end + 1
    return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw fault(input, 'a string with a character or an escape that JSON does not allow')
  }
}

/** Consumes a separator or the end of a list or object. Returns whether another item follows. */
function follows(input: Input, end: string): boolean {
  skipSpace(input)
  const next = input.text[input.at]
  if (next !== ',' && next !== end) throw unexpected(input, `, or ${end}`)
  input.at++
  return next === ','
}

function isEmpty(input: Input, end: string): boolean {
  input.at++
  skipSpace(input)
  if (input.text[input.at] !== end) return false
  input.at++
  return true
}

/** Reads a list. Bounded by: `readValue`. */
function readList(input: Input): JsonData[] {
  const list: JsonData[] = []
  if (isEmpty(input, ']')) return list
  do {
    input.path.push(list.length)
    list.push(readValue(input))
    input.path.pop()
  } while (follows(input, ']'))
  return list
}

const DATA = { enumerable: true, configurable: true, writable: true }

/** Reads an object. Bounded by: `readValue`. */
function readObject(input: Input): { [name: string]: JsonData } {
  const object: { [name: string]: JsonData } = {}
  if (isEmpty(input, '}')) return object
  do {
    skipSpace(input)
    const at = input.at
    const name = readString(input)
    if (Object.hasOwn(object, name)) {
      input.at = at
      throw fault(input, `the name ${JSON.stringify(name)} occurs twice`)
    }
    skipSpace(input)
    if (input.text[input.at] !== ':') throw unexpected(input, ':')
    input.at++
    input.path.push(name)
    const value = readValue(input)
    if (name === '__proto__') Object.defineProperty(object, name, { ...DATA, value })
    else object[name] = value
    input.path.pop()
  } while (follows(input, '}'))
  return object
}
