/** Searches by the names of types: they match under every accepted name (D18). */
import type { Identity } from '../../identity/types.ts'
import type { BlockIndex } from '../../indexer/types.ts'
import { namesOf } from '../names.ts'
import { type Condition, parseQuery, type Query } from './query.ts'

/** A type URL, in quotes if it is the value of a typed event. */
const TYPE_URL = /^("?)\/([\w.]+)\1$/

/**
 * Parses a query. Its types can have any accepted name: a typed event in a key gets the name of the active profile, and a
 * value that is a type URL also matches its other names. Throws the errors of `parseQuery`.
 */
export function parseSearch(identity: Identity, text: string): Query {
  return parseQuery(text).map((condition) => inEitherName(identity, condition))
}

function inEitherName(identity: Identity, { key, operator, operand }: Condition): Condition {
  const active = identity.toProfileName(identity.toNeutralName(key))
  if (operand.kind !== 'text') return { key: active, operator, operand }
  const [, quote = '', name] = TYPE_URL.exec(operand.text) ?? []
  if (name === undefined) return { key: active, operator, operand }
  const names = namesOf(identity).accepted(identity.toNeutralName(name))
  const others = names.map((one) => `${quote}/${one}${quote}`).filter((one) => one !== operand.text)
  return { key: active, operator, operand: { ...operand, others } }
}

type Position = { readonly height: bigint; readonly index: number }

/** Yields the transactions with an attribute in a range of heights, in order, under each name of its value once. */
export function* positionsOf(
  blocks: BlockIndex,
  { key, operand }: Condition,
  range: NonNullable<Parameters<BlockIndex['txsByEvent']>[2]>,
): IterableIterator<Position> {
  if (operand.kind !== 'text') return
  const sources = [operand.text, ...(operand.others ?? [])].map((value) =>
    blocks.txsByEvent(key, value, range)[Symbol.iterator](),
  )
  try {
    const heads = sources.map((source) => source.next())
    for (;;) {
      let first: { readonly source: number; readonly position: Position } | undefined
      for (const [source, head] of heads.entries()) {
        if (head.done) continue
        if (!first || isBefore(head.value, first.position, range.reverse)) first = { source, position: head.value }
      }
      if (!first) return
      yield first.position
      heads[first.source] = sources[first.source]!.next()
    }
  } finally {
    for (const source of sources) source.return?.()
  }
}

function isBefore(a: Position, b: Position, reverse: boolean | undefined): boolean {
  const order = a.height === b.height ? a.index - b.index : a.height < b.height ? -1 : 1
  return reverse ? order > 0 : order < 0
}
