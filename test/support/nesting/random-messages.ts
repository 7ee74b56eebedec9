/** Random messages of every type, random bytes, and mutations of bytes. */
import { create, type DescField, type DescMessage, ScalarType, toBinary } from '@bufbuild/protobuf'
import { registry } from '../../../src/identity/registry.ts'
import { formatBech32, formatEip55, ofModule } from '../../../src/primitives/address.ts'
import { type Author, authors } from './chain.ts'
import { containers, nest, type Packed, routedTypes } from './containers.ts'

/** Maximum nesting of random messages; `nest` makes deeper ones. */
const MAX_DEPTH = 5

const TEXTS = [
  '',
  'unative',
  '0',
  '1',
  '1000',
  '-1',
  '1.5',
  'x',
  'factory',
  '\0',
  'ü',
  '9'.repeat(90),
  'weight',
  'A:unative',
]

export interface RandomMessages {
  /** Returns a random message that the author can send. */
  message(author: Author): Packed
  /** Returns changed bytes. */
  mutate(bytes: Uint8Array): Uint8Array
}

export function createRandomMessages(random: () => number): RandomMessages {
  const below = (end: number): number => Math.floor(random() * end)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!
  const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => below(256))
  const types = routedTypes()
  const { routed, inner } = containers()
  const all = [...registry].filter((one): one is DescMessage => one.kind === 'message')

  function text(author: Author, field: DescField): string {
    const roll = random()
    if (field.name === 'denom') return roll < 0.8 ? 'unative' : pick(TEXTS)
    if (field.name === 'amount') return roll < 0.8 ? String(below(1000)) : pick(TEXTS)
    if (field.name === 'authority') return formatBech32('chain', ofModule('gov'))
    if (roll < 0.5) return author.text
    if (roll < 0.6) return formatBech32('chainvaloper', pick(authors).address)
    if (roll < 0.7) return pick(authors).text
    if (roll < 0.8) return formatEip55(pick(authors).evmAddress)
    return pick(TEXTS)
  }

  function scalar(author: Author, field: DescField, type: ScalarType): unknown {
    switch (type) {
      case ScalarType.STRING:
        return text(author, field)
      case ScalarType.BYTES:
        return random() < 0.5 ? new TextEncoder().encode(pick(TEXTS)) : bytes(below(70))
      case ScalarType.BOOL:
        return random() < 0.5
      case ScalarType.INT64:
      case ScalarType.SINT64:
      case ScalarType.SFIXED64:
        return pick([0n, 1n, -1n, BigInt(below(1000)), 2n ** 63n - 1n, -(2n ** 63n)])
      case ScalarType.UINT64:
      case ScalarType.FIXED64:
        return pick([0n, 1n, BigInt(below(1000)), 2n ** 64n - 1n])
      case ScalarType.DOUBLE:
      case ScalarType.FLOAT:
        return random()
      case ScalarType.UINT32:
      case ScalarType.FIXED32:
        return pick([0, 1, below(1000), 2 ** 32 - 1])
      default:
        return pick([0, 1, -1, below(1000), 2 ** 31 - 1, -(2 ** 31)])
    }
  }

  function value(author: Author, field: DescField, depth: number): unknown {
    if (field.message) return fill(author, field.message, depth + 1)
    if (field.enum) return pick([...field.enum.values.map(({ number }) => number), 99])
    return scalar(author, field, field.scalar as ScalarType)
  }

  /** Bounded by: `MAX_DEPTH`. */
  function fill(author: Author, schema: DescMessage, depth: number): unknown {
    if (schema.typeName === 'google.protobuf.Any') {
      const packed = content(author, depth)
      return create(schema, packed as never)
    }
    const init: Record<string, unknown> = {}
    if (schema.typeName === 'google.protobuf.Timestamp') {
      return create(schema, { seconds: BigInt(1_704_067_200 + below(10 ** 9)), nanos: below(10 ** 9) } as never)
    }
    if (depth > MAX_DEPTH) return create(schema)
    for (const field of schema.fields) {
      if (random() < 0.15 || field.fieldKind === 'map') continue
      if (field.oneof) init[field.oneof.localName] = { case: field.localName, value: value(author, field, depth) }
      else if (field.fieldKind === 'list') {
        init[field.localName] = Array.from({ length: below(4) }, () => value(author, field, depth))
      } else init[field.localName] = value(author, field, depth)
    }
    return create(schema, init as never)
  }

  function packedOf(author: Author, schema: DescMessage, depth: number): Packed {
    return { typeUrl: `/${schema.typeName}`, value: toBinary(schema, fill(author, schema, depth) as never) }
  }

  function content(author: Author, depth: number): Packed {
    const roll = random()
    if (roll < 0.7) return packedOf(author, pick(types), depth + 1)
    if (roll < 0.9) return packedOf(author, pick(all), depth + 1)
    return { typeUrl: pick(['', '/', 'nothing', `/${pick(all).typeName}`]), value: bytes(below(40)) }
  }

  function mutate(before: Uint8Array): Uint8Array {
    let after = Uint8Array.from(before)
    for (let i = below(4); i >= 0; i--) {
      const at = below(after.length + 1)
      const kind = below(5)
      if (kind === 0 && at < after.length) after[at] = below(256)
      else if (kind === 1 && at < after.length) after[at]! ^= 1 << below(8)
      else if (kind === 2) after = after.slice(0, at)
      else if (kind === 3)
        after = Uint8Array.from([...after.subarray(0, at), ...bytes(below(6)), ...after.subarray(at)])
      else
        after = Uint8Array.from([
          ...after.subarray(0, at),
          ...after.subarray(at, at + below(30)),
          ...after.subarray(at),
        ])
    }
    return after
  }

  return {
    message(author) {
      const roll = random()
      if (roll < 0.1) return { typeUrl: `/${pick(types).typeName}`, value: bytes(below(200)) }
      const found = packedOf(author, pick(types), 0)
      if (roll < 0.25) {
        const depth = pick([1, 2, 3, 8, 15, 16, 40])
        const around = Array.from({ length: depth }, () => pick(random() < 0.9 ? routed : inner))
        return nest(found, [...around, pick(routed)], author.text)
      }
      return roll < 0.4 ? { ...found, value: mutate(found.value) } : found
    },
    mutate,
  }
}
