/** Typed collections over a store: maps, items, sets, sequences and indexed maps, in the chain's layout. */
import * as bytes from '../../primitives/bytes.ts'
import type { Entry, Range, Reader, Writer } from '../types.ts'
import { type CodecContext, emptyValue, uint64Value, type ValueCodec } from './codecs.ts'
import type { KeyCodec } from './key-codecs.ts'
import { type Page, type PageRequest, readPage } from './page.ts'

/** A context for reads. Every handler's context is one. */
export interface ReadState extends CodecContext {
  readonly store: Reader
}

export interface WriteState extends CodecContext {
  readonly store: Writer
}

/** First bytes of a collection's keys: a namespace byte, ASCII text, or bytes. */
export type Namespace = number | string | Uint8Array

/** A range of keys: `start` is included, `end` is not. Both have the prefix if there is one. */
export interface KeyRange<Key, Prefix> {
  readonly prefix?: Prefix
  readonly start?: Key
  readonly end?: Key
  readonly reverse?: boolean
}

/** Restricts pages to a prefix, or to the entries that pass a filter. */
interface PageOptions<Key, Value, Prefix> {
  readonly prefix?: Prefix
  readonly filter?: (key: Key, value: Value) => boolean
}

export interface StateMap<Key, Value, Prefix> {
  readonly store: string
  /** Returns the whole key in the store. */
  keyBytes(ctx: CodecContext, key: Key): Uint8Array
  get(ctx: ReadState, key: Key): Value | undefined
  has(ctx: ReadState, key: Key): boolean
  set(ctx: WriteState, key: Key, value: Value): void
  /** Deletes without reading first, as the modules of the Cosmos SDK do. */
  delete(ctx: WriteState, key: Key): void
  /** Charges gas to check for the key first, as the chain's own modules do. Returns whether it existed. */
  remove(ctx: WriteState, key: Key): boolean
  /** Yields entries in key order, without those written during the iteration. */
  iterate(ctx: ReadState, range?: KeyRange<Key, Prefix>): IterableIterator<readonly [Key, Value]>
  keys(ctx: ReadState, range?: KeyRange<Key, Prefix>): IterableIterator<Key>
  page(
    ctx: ReadState,
    request: PageRequest | undefined,
    options?: PageOptions<Key, Value, Prefix>,
  ): Page<readonly [Key, Value]>
}

function namespaceBytes(namespace: Namespace): Uint8Array {
  if (typeof namespace === 'number') return Uint8Array.of(namespace)
  return typeof namespace === 'string' ? bytes.utf8(namespace) : namespace
}

/** Declares a map. Its store key is the namespace and the encoded key. */
export function map<Key, Value, Prefix = never>(
  store: string,
  namespace: Namespace,
  key: KeyCodec<Key, Prefix>,
  value: ValueCodec<Value>,
): StateMap<Key, Value, Prefix> {
  const first = namespaceBytes(namespace)
  const keyBytes = (ctx: CodecContext, k: Key) => key.append(ctx, first, k)
  const prefixBytes = (ctx: CodecContext, prefix: Prefix | undefined) =>
    prefix === undefined ? first : key.appendPrefix(ctx, first, prefix)
  const decodeKey = (ctx: CodecContext, raw: Uint8Array) => key.decode(ctx, raw, first.length)[0]

  function rangeBytes(ctx: CodecContext, range: KeyRange<Key, Prefix>): Range {
    const prefix = prefixBytes(ctx, range.prefix)
    return {
      start: range.start === undefined ? prefix : keyBytes(ctx, range.start),
      end: range.end === undefined ? bytes.prefixEnd(prefix) : keyBytes(ctx, range.end),
      reverse: range.reverse ?? false,
    }
  }
  const raw = (ctx: ReadState, range: KeyRange<Key, Prefix> = {}) => ctx.store.iterate(store, rangeBytes(ctx, range))

  return {
    store,
    keyBytes,
    get(ctx, k) {
      const encoded = ctx.store.get(store, keyBytes(ctx, k))
      return encoded === undefined ? undefined : value.decode(ctx, encoded)
    },
    has: (ctx, k) => ctx.store.has(store, keyBytes(ctx, k)),
    set: (ctx, k, v) => ctx.store.set(store, keyBytes(ctx, k), value.encode(ctx, v)),
    delete: (ctx, k) => ctx.store.delete(store, keyBytes(ctx, k)),
    remove(ctx, k) {
      const at = keyBytes(ctx, k)
      if (!ctx.store.has(store, at)) return false
      ctx.store.delete(store, at)
      return true
    },
    iterate: (ctx, range) => mapped(raw(ctx, range), ([k, v]) => [decodeKey(ctx, k), value.decode(ctx, v)] as const),
    keys: (ctx, range) => mapped(raw(ctx, range), ([k]) => decodeKey(ctx, k)),
    page(ctx, request, { prefix, filter } = {}) {
      const accept = ([k, v]: Entry) => {
        const entry = [decodeKey(ctx, k), value.decode(ctx, v)] as const
        return !filter || filter(...entry) ? entry : undefined
      }
      return readPage(ctx.store, store, prefixBytes(ctx, prefix), request, accept, { every: !filter })
    },
  }
}

/** Maps an iteration lazily: a metered source advances only as far as its consumer does, and closes with it. */
function mapped<Out>(entries: IterableIterator<Entry>, transform: (entry: Entry) => Out): IterableIterator<Out> {
  return {
    [Symbol.iterator]() {
      return this
    },
    next() {
      const step = entries.next()
      return step.done ? { done: true, value: undefined } : { done: false, value: transform(step.value) }
    },
    return(value?: unknown) {
      entries.return?.()
      return { done: true, value }
    },
  }
}

export interface StateItem<Value> {
  get(ctx: ReadState): Value | undefined
  has(ctx: ReadState): boolean
  set(ctx: WriteState, value: Value): void
  delete(ctx: WriteState): void
}

const ITEM_KEY = new Uint8Array(8)

/** Declares one value under a namespace and eight zero bytes, the form of the chain's own modules. */
export function item<Value>(store: string, namespace: Namespace, value: ValueCodec<Value>): StateItem<Value> {
  return bareItem(store, bytes.concat(namespaceBytes(namespace), ITEM_KEY), value)
}

/** Declares one value under exactly this key, the form of the Cosmos SDK's modules. */
export function bareItem<Value>(store: string, key: Namespace, value: ValueCodec<Value>): StateItem<Value> {
  const at = namespaceBytes(key)
  return {
    get(ctx) {
      const encoded = ctx.store.get(store, at)
      return encoded === undefined ? undefined : value.decode(ctx, encoded)
    },
    has: (ctx) => ctx.store.has(store, at),
    set: (ctx, v) => ctx.store.set(store, at, value.encode(ctx, v)),
    delete: (ctx) => ctx.store.delete(store, at),
  }
}

export interface StateKeySet<Key, Prefix> {
  has(ctx: ReadState, key: Key): boolean
  add(ctx: WriteState, key: Key): void
  delete(ctx: WriteState, key: Key): void
  remove(ctx: WriteState, key: Key): boolean
  iterate(ctx: ReadState, range?: KeyRange<Key, Prefix>): IterableIterator<Key>
  page(ctx: ReadState, request: PageRequest | undefined, options?: PageOptions<Key, true, Prefix>): Page<Key>
}

/** Declares a set of keys. Members have an empty value. As on the chain, `has` reads the member and charges gas for a read. */
export function keySet<Key, Prefix = never>(
  store: string,
  namespace: Namespace,
  key: KeyCodec<Key, Prefix>,
): StateKeySet<Key, Prefix> {
  const members = map(store, namespace, key, emptyValue)
  return {
    has: (ctx, k) => members.get(ctx, k) !== undefined,
    add: (ctx, k) => members.set(ctx, k, true),
    delete: members.delete,
    remove: members.remove,
    iterate: members.keys,
    page(ctx, request, options) {
      const { entries, ...rest } = members.page(ctx, request, options)
      return { ...rest, entries: entries.map(([k]) => k) }
    },
  }
}

export interface StateSequence {
  /** Returns the number that `next` will return; 0 at first. */
  peek(ctx: ReadState): bigint
  /** Returns a number and stores its successor. */
  next(ctx: WriteState): bigint
  set(ctx: WriteState, value: bigint): void
}

/** Declares a counter: an item that contains the next number, 0 at first. */
export function sequence(store: string, namespace: Namespace): StateSequence {
  const counter = item(store, namespace, uint64Value)
  const peek = (ctx: ReadState) => counter.get(ctx) ?? 0n
  return {
    peek,
    next(ctx) {
      const value = peek(ctx)
      counter.set(ctx, value + 1n)
      return value
    },
    set: counter.set,
  }
}
