/** JSON of long values in pieces, so that no text of the whole is made. */
import { utf8 } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import { DISCONNECTED } from './disconnected.ts'
import type { PartTaker } from './gateway.ts'
import { createSignalPause } from './transport/slices.ts'

const PIECE_LENGTH = 32 * 1024
const PART_LENGTH = 64 * 1024
const TEXT = Symbol('long text')
const LIST = Symbol('long list')
const JSON_TEXT = Symbol('JSON text')

/** A string that is made in pieces. As JSON it is the whole string. */
interface LongText {
  readonly [TEXT]: () => Iterable<string>
  toJSON(): string
}

/** A list whose entries are made one by one. As JSON it is an array. */
interface LongList {
  readonly [LIST]: () => Iterable<unknown>
  toJSON(): unknown[]
}

export function longText(pieces: () => Iterable<string>): LongText {
  return { [TEXT]: pieces, toJSON: () => [...pieces()].join('') }
}

export function longList(entries: () => Iterable<unknown>): LongList {
  return { [LIST]: entries, toJSON: () => [...entries()] }
}

/** A value whose JSON is known. */
export interface JsonText {
  readonly [JSON_TEXT]: string
  toJSON(): unknown
}

/** Returns a value whose JSON is known, so that it need not be made for each answer. */
export function jsonText(text: string): JsonText {
  return { [JSON_TEXT]: text, toJSON: () => JSON.parse(text) }
}

/** Escapes text as inside a JSON string. */
export type Escape = (text: string) => string

const escapeJson: Escape = (text) => JSON.stringify(text).slice(1, -1)

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00

/** Yields one JSON string whose text is all `texts` together. */
export function* quotedPieces(texts: Iterable<string>, escaped: Escape = escapeJson): IterableIterator<string> {
  yield '"'
  /** The first half of a surrogate pair, whose second half is in the next piece. */
  let half = ''
  for (const text of texts) {
    for (let at = 0; at < text.length; at += PIECE_LENGTH) {
      const piece = half + text.slice(at, at + PIECE_LENGTH)
      const isSplit = isHighSurrogate(piece.charCodeAt(piece.length - 1))
      half = isSplit ? piece.slice(-1) : ''
      yield escaped(isSplit ? piece.slice(0, -1) : piece)
    }
  }
  yield `${escaped(half)}"`
}

function* piecesOf(text: string): IterableIterator<string> {
  for (let at = 0; at < text.length; at += PIECE_LENGTH) yield text.slice(at, at + PIECE_LENGTH)
}

function* listPieces(entries: Iterable<unknown>): IterableIterator<string> {
  let separator = '['
  for (const entry of entries) {
    yield separator
    yield* jsonPieces(entry ?? null)
    separator = ','
  }
  yield separator === '[' ? '[]' : ']'
}

/**
 * Yields the JSON of a value in pieces: that of `JSON.stringify`, for values of null, booleans, numbers, strings, arrays, plain
 * objects, long texts, long lists and values whose JSON is known.
 */
export function* jsonPieces(value: unknown): IterableIterator<string> {
  if (typeof value === 'string') {
    if (value.length <= PIECE_LENGTH) yield JSON.stringify(value)
    else yield* quotedPieces([value])
  } else if (typeof value !== 'object' || value === null) yield JSON.stringify(value)
  else if (TEXT in value) yield* quotedPieces((value as LongText)[TEXT]())
  else if (LIST in value) yield* listPieces((value as LongList)[LIST]())
  else if (JSON_TEXT in value) yield* piecesOf((value as JsonText)[JSON_TEXT])
  else if (Array.isArray(value)) yield* listPieces(value)
  else {
    let separator = '{'
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue
      yield `${separator}${JSON.stringify(key)}:`
      yield* jsonPieces(member)
      separator = ','
    }
    yield separator === '{' ? '{}' : '}'
  }
}

/**
 * Makes a text from its pieces and passes it on in parts, one after the receiver has taken the previous one. Yields the thread
 * every few milliseconds. Rejects with `cancelled` once the client has disconnected.
 */
export async function writePieces(
  pieces: Iterable<string>,
  onPart: PartTaker,
  signal: AbortSignal | undefined,
): Promise<void> {
  const pause = createSignalPause(signal)
  let text = ''
  const flush = (): Promise<void> => {
    const part = utf8(text)
    text = ''
    return new Promise((resolve) => onPart(part, resolve))
  }
  for (const piece of pieces) {
    text += piece
    const isFull = text.length >= PART_LENGTH
    if (isFull) await flush()
    const rest = pause()
    if (rest) await rest
    else if (!isFull) continue
    if (signal?.aborted) throw DISCONNECTED
  }
  if (text !== '') await flush()
}

/**
 * Returns the JSON of a value as one text. Yields the thread every few milliseconds. Rejects with `resourceExhausted` for a
 * text of more than `limitBytes`, and with `cancelled` once the client has disconnected.
 */
export async function wholeJson(value: unknown, limitBytes: number, signal?: AbortSignal): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  const take: PartTaker = (part, done) => {
    size += part.length
    if (size > limitBytes) throw queryError('resourceExhausted', `the answer has more than ${limitBytes} bytes`)
    parts.push(part)
    done()
  }
  await writePieces(jsonPieces(value), take, signal)
  return Buffer.concat(parts).toString('utf8')
}
