/** Messages that contain other messages, found by their descriptors, and nestings of them to any depth. */
import { create, type DescField, type DescMessage, getOption, toBinary } from '@bufbuild/protobuf'
import { modules } from '../../../src/app/modules.ts'
import { LegacyAminoPubKeySchema } from '../../../src/gen/sdk/crypto/multisig/keys_pb.ts'
import { AllowedMsgAllowanceSchema } from '../../../src/gen/sdk/feegrant/v1beta1/feegrant_pb.ts'
import { signer } from '../../../src/gen/sdk/msg/v1/msg_pb.ts'
import { formatBech32, ofModule } from '../../../src/primitives/address.ts'
import { join, utf8 } from '../../../src/primitives/bytes.ts'
import { encodeVarint } from '../../../src/primitives/varint.ts'

/** A message type, and the fields from it to an Any. */
export interface Container {
  readonly schema: DescMessage
  readonly path: readonly DescField[]
}

/** A message in wire form with its type. */
export interface Packed {
  readonly typeUrl: string
  readonly value: Uint8Array
}

/** Returns every message type that a transaction can contain. */
export function routedTypes(): readonly DescMessage[] {
  return modules.flatMap(({ messages }) =>
    messages.flatMap(({ handlers }) => handlers.routes.map(({ method }) => method.input)),
  )
}

/** Returns the fields from a type to its nearest Any. */
function pathToAny(schema: DescMessage): readonly DescField[] | undefined {
  let level: (readonly DescField[])[] = [[]]
  for (let depth = 0; depth < 4; depth++) {
    level = level.flatMap((path) => {
      const type = path.length === 0 ? schema : path.at(-1)!.message!
      return type.fields
        .filter(({ message, fieldKind }) => message && fieldKind !== 'map')
        .map((field) => [...path, field])
    })
    const found = level.find((path) => path.at(-1)!.message!.typeName === 'google.protobuf.Any')
    if (found) return found
  }
  return undefined
}

/** Types that an Any of a message contains, and that contain an Any. */
const INNER = [AllowedMsgAllowanceSchema, LegacyAminoPubKeySchema]

/** Returns the containers: first those that a transaction can begin with. */
export function containers(): { readonly routed: readonly Container[]; readonly inner: readonly Container[] } {
  const of = (types: readonly DescMessage[]) =>
    types.flatMap((schema) => {
      const path = pathToAny(schema)
      return path ? [{ schema, path }] : []
    })
  return { routed: of(routedTypes()), inner: of(INNER) }
}

/** Returns the text of a field in a message that one author sends: it passes the checks of most fields. */
function textOf(schema: DescMessage, { name }: DescField, author: string): string {
  if (name === 'authority') return formatBech32('chain', ofModule('gov'))
  const isAddress = getOption(schema, signer).includes(name) || /grant|propos|sender|address|delegator|voter/.test(name)
  return isAddress ? author : 'text'
}

/** Returns the fields of a container other than the one that leads to its Any. */
function headOf({ schema, path }: Container, author: string): Uint8Array {
  const init: Record<string, string> = {}
  for (const field of schema.fields) {
    if (field.fieldKind === 'scalar' && field.scalar === 9 && !field.oneof && field !== path[0]) {
      init[field.localName] = textOf(schema, field, author)
    }
  }
  return toBinary(schema, create(schema, init as never))
}

const delimited = (number: number, length: number): Uint8Array[] => [encodeVarint(number * 8 + 2), encodeVarint(length)]

/** Nests a message in containers, of which the last is the outermost. Takes time in proportion to the result. */
export function nest(leaf: Packed, around: readonly Container[], author: string): Packed {
  const heads = new Map(around.map((container) => [container, headOf(container, author)]))
  const parts: Uint8Array[] = [leaf.value]
  let length = leaf.value.length
  let { typeUrl } = leaf
  /** Puts bytes before the ones so far. */
  const before = (...bytes: readonly Uint8Array[]): void => {
    for (const one of [...bytes].reverse()) {
      parts.push(one)
      length += one.length
    }
  }
  for (const container of around) {
    before(...delimited(2, length))
    const url = utf8(typeUrl)
    before(...delimited(1, url.length), url)
    for (const field of [...container.path].reverse()) before(...delimited(field.number, length))
    before(heads.get(container)!)
    typeUrl = `/${container.schema.typeName}`
  }
  return { typeUrl, value: join(parts.reverse()) }
}

/** Returns `depth` containers that repeat a cycle; the last is the first of the cycle. */
export function repeat(cycle: readonly Container[], depth: number): readonly Container[] {
  return Array.from({ length: depth }, (_, i) => cycle[(depth - 1 - i) % cycle.length]!)
}
