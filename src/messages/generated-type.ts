/** Message types in the form that a CosmJS registry takes. */
import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  ScalarType,
  toBinary,
} from '@bufbuild/protobuf'

/** Receives encoded bytes: a `BinaryWriter` of @bufbuild/protobuf. */
interface BytesWriter {
  raw(bytes: Uint8Array): unknown
  finish(): Uint8Array
}

/** A type that CosmJS takes as its `GeneratedType`. */
export interface MessageType<Desc extends DescMessage = DescMessage> {
  /** Encodes a message, behind what a given writer has. Call `finish()` of the answer for the bytes. */
  readonly encode: <Writer = BytesWriter>(message: unknown, writer?: Writer) => Writer
  /** Decodes bytes. Throws for bytes that are not this message. */
  readonly decode: (input: Uint8Array | object, length?: number) => MessageShape<Desc>
  /**
   * Completes a message; fields that are absent have their defaults. Numbers and texts of digits are taken for 64-bit fields.
   * Throws a `TypeError` that names a field that does not exist, or has a value of another type.
   */
  readonly fromPartial: (value: MessageInitShape<Desc>) => MessageShape<Desc>
}

const isDefault = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  value === 0 ||
  value === 0n ||
  (Array.isArray(value) && value.length === 0)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)

/** Throws a `TypeError` for a field that the message does not have. Bounded by: the levels of the descriptor. */
function requireFields(schema: DescMessage, value: unknown): void {
  if (!isRecord(value)) throw new TypeError(`${schema.typeName}: expected an object, not ${String(value)}`)
  const members = new Map(schema.members.map((member) => [member.localName, member]))
  for (const [name, given] of Object.entries(value)) {
    if (name.startsWith('$')) continue
    const member = members.get(name)
    if (!member) {
      // Types of later versions of the SDK have more fields, which their encoders set to the default.
      if (isDefault(given)) continue
      throw new TypeError(`${schema.typeName} has no field ${name}: its fields are ${[...members.keys()].join(', ')}`)
    }
    if (given === undefined || given === null || member.kind === 'oneof') continue
    const at = `${schema.typeName}.${name}`
    if (member.fieldKind === 'message') requireFields(member.message, given)
    else if (member.fieldKind === 'scalar') requireScalar(member.scalar, given, at)
    else if (member.fieldKind === 'list') {
      if (!Array.isArray(given)) throw new TypeError(`${at} must be a list`)
      for (const item of given) {
        if (member.listKind === 'message') requireFields(member.message, item)
        else if (member.listKind === 'scalar') requireScalar(member.scalar, item, at)
      }
    }
  }
}

/** Throws a `TypeError` for a text, bytes or truth value of another type. The encoder checks numbers. */
function requireScalar(type: ScalarType, value: unknown, at: string): void {
  if (type === ScalarType.STRING && typeof value !== 'string') throw new TypeError(`${at} must be a text`)
  if (type === ScalarType.BOOL && typeof value !== 'boolean') throw new TypeError(`${at} must be true or false`)
  if (type === ScalarType.BYTES && !(value instanceof Uint8Array))
    throw new TypeError(`${at} must be bytes, a Uint8Array`)
}

/** Returns the type of a message. */
export function messageTypeOf<Desc extends DescMessage>(schema: Desc): MessageType<Desc> {
  function complete(value: MessageInitShape<Desc>): MessageShape<Desc> {
    requireFields(schema, value)
    try {
      // The way over bytes checks the types of values, and gives each its own.
      return fromBinary(schema, toBinary(schema, create(schema, value)))
    } catch (error) {
      throw new TypeError(`${schema.typeName}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return {
    encode<Writer>(message: unknown, writer?: Writer): Writer {
      const bytes = toBinary(schema, complete(message as MessageInitShape<Desc>))
      const target = (writer as BytesWriter | undefined) ?? ownWriter()
      target.raw(bytes)
      return target as Writer
    },
    decode(input) {
      if (!(input instanceof Uint8Array)) throw new TypeError(`${schema.typeName}: expected bytes`)
      return fromBinary(schema, input)
    },
    fromPartial: complete,
  }
}

/** Creates a writer of one message. */
function ownWriter(): BytesWriter {
  let written = new Uint8Array(0)
  return {
    raw(bytes) {
      written = new Uint8Array(bytes)
    },
    finish: () => written,
  }
}
