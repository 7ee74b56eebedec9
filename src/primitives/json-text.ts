/** JSON of a file that a person or another program wrote: read strictly, with the place of what is wrong. */
import { type ChainError, queryError } from './errors.ts'

export type JsonData = string | number | boolean | null | readonly JsonData[] | { readonly [name: string]: JsonData }

const DEEPEST = 200
const WORDS: Readonly<Record<string, JsonData>> = { true: true, false: false, null: null }
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /[a-z]+/y
/** What a text may hold only escaped, or to escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON names them so.
const NOT_PLAIN = /[\\\u0000-\u001f]/

interface Input {
  readonly text: string
  readonly source: string
  at: number
  /** Way from the root to what is being read. */
  readonly way: (string | number)[]
}

/**
 * The value of a JSON text. Throws `invalidArgument` with `source`, line and column for a text that is no JSON, that ends too
 * early, or in which an object has a name twice.
 */
export function parseJsonText(text: string, source: string): JsonData {
  const input: Input = { text, source, at: text.startsWith('\uFEFF') ? 1 : 0, way: [] }
  const value = readValue(input)
  skipSpace(input)
  if (input.at < text.length) throw fault(input, 'nothing more is expected behind the value')
  return value
}

function fault({ text, source, at, way }: Input, reason: string): ChainError {
  const before = text.slice(0, at)
  const line = before.split('\n').length
  const column = at - (before.lastIndexOf('\n') + 1) + 1
  const inside = way.length > 0 ? `, in ${formatWay(way)}` : ''
  return queryError('invalidArgument', `${source}: line ${line}, column ${column}${inside}: ${reason}`)
}

/** `app_state.bank.balances[3].address`. */
export function formatWay(way: readonly (string | number)[]): string {
  return way.map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`)).join('')
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
  if (input.at >= input.text.length) return fault(input, `the text ends where ${expected} is expected: it is cut off`)
  return fault(input, `${expected} is expected, not ${JSON.stringify(input.text[input.at])}`)
}

function readValue(input: Input): JsonData {
  skipSpace(input)
  if (input.way.length > DEEPEST) throw fault(input, `deeper than ${DEEPEST} levels`)
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
  throw fault(input, `${word} is no value`)
}

function match(input: Input, pattern: RegExp): string | undefined {
  pattern.lastIndex = input.at
  const found = pattern.exec(input.text)?.[0]
  if (found !== undefined) input.at += found.length
  return found
}

function readString(input: Input): string {
  const { text } = input
  if (text[input.at] !== '"') throw unexpected(input, 'a text in double quotes')
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
      throw unexpected(input, 'the end of a text')
    }
    if (text[end] === '\\') end++
  }
  try {
    const value = JSON.parse(text.slice(begin, end + 1)) as string
    input.at = end + 1
    return value
  } catch {
    throw fault(input, 'a text with a character or an escape that JSON does not allow')
  }
}

/** Whether another item follows; steps over what ends or parts them. */
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

function readList(input: Input): JsonData[] {
  const list: JsonData[] = []
  if (isEmpty(input, ']')) return list
  do {
    input.way.push(list.length)
    list.push(readValue(input))
    input.way.pop()
  } while (follows(input, ']'))
  return list
}

const DATA = { enumerable: true, configurable: true, writable: true }

function readObject(input: Input): { [name: string]: JsonData } {
  const object: { [name: string]: JsonData } = {}
  if (isEmpty(input, '}')) return object
  do {
    skipSpace(input)
    const at = input.at
    const name = readString(input)
    if (Object.hasOwn(object, name)) {
      input.at = at
      throw fault(input, `the name ${JSON.stringify(name)} stands twice`)
    }
    skipSpace(input)
    if (input.text[input.at] !== ':') throw unexpected(input, ':')
    input.at++
    input.way.push(name)
    const value = readValue(input)
    if (name === '__proto__') Object.defineProperty(object, name, { ...DATA, value })
    else object[name] = value
    input.way.pop()
  } while (follows(input, '}'))
  return object
}
