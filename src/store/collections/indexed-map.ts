/** Maps with secondary indexes over their values. */
import type { ValueCodec } from './codecs.ts'
import {
  type KeyRange,
  keySet,
  map,
  type Namespace,
  type ReadState,
  type StateMap,
  type WriteState,
} from './collections.ts'
import { type KeyCodec, pairKey } from './key-codecs.ts'

/** An index of a map under its own namespace: a set of pairs of index key and primary key. */
export interface MultiIndex<Key, Value> {
  readonly link: (ctx: WriteState, key: Key, value: Value) => void
  readonly unlink: (ctx: WriteState, key: Key, value: Value) => void
}

export interface LookUp<IndexKey, Key> {
  /** Yields the primary keys of an index key, in key order. */
  keysOf(ctx: ReadState, indexKey: IndexKey): IterableIterator<Key>
  /** Yields index keys with primary keys, in order. */
  iterate(
    ctx: ReadState,
    range?: KeyRange<readonly [IndexKey, Key], IndexKey>,
  ): IterableIterator<readonly [IndexKey, Key]>
}

/** Declares an index for `indexedMap`. `of` returns the index key of an entry. */
export function multiIndex<IndexKey, Key, Value>(
  store: string,
  namespace: Namespace,
  indexKey: KeyCodec<IndexKey>,
  primaryKey: KeyCodec<Key, unknown>,
  of: (key: Key, value: Value) => IndexKey,
): MultiIndex<Key, Value> & LookUp<IndexKey, Key> {
  const entries = keySet(store, namespace, pairKey(indexKey, primaryKey))
  return {
    link: (ctx, key, value) => entries.add(ctx, [of(key, value), key]),
    unlink(ctx, key, value) {
      entries.remove(ctx, [of(key, value), key])
    },
    iterate: entries.iterate,
    *keysOf(ctx, prefix) {
      for (const [, key] of entries.iterate(ctx, { prefix })) yield key
    },
  }
}

export type StateIndexedMap<Key, Value, Prefix, Indexes> = Pick<
  StateMap<Key, Value, Prefix>,
  'store' | 'keyBytes' | 'get' | 'has' | 'set' | 'remove' | 'iterate' | 'keys' | 'page'
> & { readonly indexes: Indexes }

/**
 * Declares a map with indexes. The order of its writes is the chain's: a write first unlinks the old value from every index, then
 * writes the entry, then links the new value, with the indexes in the order of their declaration.
 */
export function indexedMap<Key, Value, Prefix, Indexes extends Readonly<Record<string, MultiIndex<Key, Value>>>>(
  store: string,
  namespace: Namespace,
  key: KeyCodec<Key, Prefix>,
  value: ValueCodec<Value>,
  indexes: Indexes,
): StateIndexedMap<Key, Value, Prefix, Indexes> {
  const primary = map(store, namespace, key, value)
  const all: readonly MultiIndex<Key, Value>[] = Object.values(indexes)
  return {
    ...primary,
    indexes,
    set(ctx, k, v) {
      const old = primary.get(ctx, k)
      if (old !== undefined) for (const index of all) index.unlink(ctx, k, old)
      primary.set(ctx, k, v)
      for (const index of all) index.link(ctx, k, v)
    },
    remove(ctx, k) {
      const old = primary.get(ctx, k)
      if (old === undefined) return false
      primary.remove(ctx, k)
      for (const index of all) index.unlink(ctx, k, old)
      return true
    },
  }
}
