/** Messages with long fields: these are made while the message is written, or all at once for gateways that need it whole. */
import type { DescField, DescMessage, Message } from '@bufbuild/protobuf'
import { queryError } from '../primitives/errors.ts'
import { htmlSafe } from '../primitives/html-safe.ts'
import type { JsonWriter } from './json.ts'
import { quotedPieces } from './long-json.ts'

const LONG = Symbol('long fields')
/** Size of the results in one answer over gRPC. Beyond: code 8. */
const MAX_WHOLE_BYTES = 8 * 1024 * 1024
const LONG_TEXT = 64 * 1024

/** Long fields of a message by local name: a text in pieces, or a list of messages. */
export interface LongFields {
  readonly sizeBytes: number
  readonly texts: Readonly<Record<string, () => Iterable<string>>>
  readonly lists: Readonly<Record<string, () => Iterable<Message>>>
}

type Slots = Record<string, unknown> & { [LONG]?: LongFields | undefined }

const slotsOf = (message: Message): Slots => message as unknown as Slots

/** Adds long fields to a message whose other fields are set. Returns the message. */
export function withLongFields<M extends Message>(message: M, fields: LongFields): M {
  slotsOf(message)[LONG] = fields
  return message
}

/** Returns the messages with long fields that a response or one of its lists contains. Those within them are not included. */
function longMessagesOf(response: Message): Slots[] {
  const found: Slots[] = []
  for (const value of Object.values(response as unknown as Record<string, unknown>)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one === 'object' && one !== null && LONG in one) found.push(one as Slots)
    }
  }
  return found
}

/** Whether a response has long fields. */
export function isLong(response: Message): boolean {
  return longMessagesOf(response).length > 0
}

/** Makes all long fields of a response. Throws `resourceExhausted` if they are too long together. */
export function makeWhole(response: Message): void {
  const found = longMessagesOf(response)
  const size = found.reduce((sum, message) => sum + message[LONG]!.sizeBytes, 0)
  if (size > MAX_WHOLE_BYTES) {
    const text = `the answer is longer than ${MAX_WHOLE_BYTES} bytes: request it from the REST gateway or the CometBFT RPC`
    throw queryError('resourceExhausted', text)
  }
  for (const message of found) fill(message)
}

/** Makes the long fields of a message, and those of the messages in them. */
function fill(message: Slots): void {
  const long = message[LONG]
  for (const [name, pieces] of Object.entries(long?.texts ?? {})) message[name] = [...pieces()].join('')
  for (const [name, entries] of Object.entries(long?.lists ?? {})) message[name] = [...entries()]
  delete message[LONG]
  for (const value of Object.values(message)) {
    if (Array.isArray(value)) for (const one of value) if (typeof one === 'object' && one !== null) fill(one as Slots)
  }
}

const escapeHtmlSafe = (text: string): string => htmlSafe(JSON.stringify(text).slice(1, -1))

/** Whether the JSON of a message type is an object of its fields. */
const hasFields = ({ typeName }: DescMessage): boolean => !typeName.startsWith('google.protobuf.')

/** Returns the messages that a field contains; undefined if it is not a message, not set, or written in a form of its own. */
function contentOf(field: DescField, message: Slots): Message | Iterable<Message> | undefined {
  if (field.oneof || field.fieldKind === 'map' || !field.message || !hasFields(field.message)) return undefined
  const { localName } = field
  const value = message[LONG]?.lists[localName]?.() ?? (message[localName] as Message | readonly Message[] | undefined)
  return Array.isArray(value) && value.length === 0 ? undefined : value
}

/** Yields the JSON of a message in pieces: that of its writer. */
export function* messagePieces(writer: JsonWriter, schema: DescMessage, message: Message): IterableIterator<string> {
  const slots = slotsOf(message)
  let separator = '{'
  for (const { field, key, write } of writer.fields(schema)) {
    const text = slots[LONG]?.texts[field.localName]
    const content = contentOf(field, slots)
    if (text) {
      yield separator + key
      yield* quotedPieces(text(), escapeHtmlSafe)
    } else if (content) {
      yield separator + key
      if (field.fieldKind === 'list') yield* listPieces(writer, field.message!, content as Iterable<Message>)
      else yield* messagePieces(writer, field.message!, content as Message)
    } else if (isLongText(field, slots)) {
      yield separator + key
      yield* quotedPieces([slots[field.localName] as string], escapeHtmlSafe)
    } else {
      const member = write(slots)
      if (member === '') continue
      yield separator + member
    }
    separator = ','
  }
  yield separator === '{' ? '{}' : '}'
}

function* listPieces(writer: JsonWriter, schema: DescMessage, entries: Iterable<Message>): IterableIterator<string> {
  let separator = '['
  for (const entry of entries) {
    yield separator
    yield* messagePieces(writer, schema, entry)
    separator = ','
  }
  yield separator === '[' ? '[]' : ']'
}

function isLongText(field: DescField, message: Slots): boolean {
  const value = message[field.localName]
  return field.fieldKind === 'scalar' && !field.oneof && typeof value === 'string' && value.length > LONG_TEXT
}
