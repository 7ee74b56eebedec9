/** What a store of one height is to those above it: readers, writers, and the changes of a block. */

/** Half-open range of keys in byte order; absent bounds are open. */
export interface Range {
  readonly start?: Uint8Array | undefined
  readonly end?: Uint8Array | undefined
  /** From the end to the start. */
  readonly reverse?: boolean
}

export type Entry = readonly [key: Uint8Array, value: Uint8Array]

/**
 * Keys and values of all stores, by store name (`acc`, `bank`, `evm`, …).
 * Returned bytes are the caller's to read, never to change. A present empty value is not an absent one.
 */
export interface Reader {
  get(store: string, key: Uint8Array): Uint8Array | undefined
  has(store: string, key: Uint8Array): boolean
  iterate(store: string, range?: Range): IterableIterator<Entry>
}

export interface Writer extends Reader {
  /** Also a write of an equal value is a write: it reaches the app hash (state-layout.md §5.5). */
  set(store: string, key: Uint8Array, value: Uint8Array): void
  delete(store: string, key: Uint8Array): void
}

/** One written key of a block; `value` undefined means deleted. Sorted by store, then by key. */
export interface Change {
  readonly store: string
  readonly key: Uint8Array
  readonly value: Uint8Array | undefined
}

/** One attribute of an event, in emission order. */
export interface EventAttribute {
  readonly key: string
  readonly value: string
}

/** An event as blocks record it. Typed events: attributes sorted by key, values are JSON (evm.md §1.5). */
export interface ChainEvent {
  readonly type: string
  readonly attributes: readonly EventAttribute[]
}

/**
 * An overlay on a reader: writes and events stay in it until `merge` hands both to its parent.
 * Dropping it is forgetting it. Only the innermost live branch may be written.
 */
export interface Branch extends Writer {
  readonly events: ChainEvent[]
  branch(): Branch
  /** Moves writes and events into the parent branch. The root branch of a block is committed by the versioned store instead. */
  merge(): void
  /** The writes of this branch alone, sorted by store and key. */
  changes(): Change[]
}

/** Committed state of one height. One request opens one, reads only it, and closes it. */
export interface Snapshot extends Reader {
  readonly height: bigint
  close(): void
}

/** Sorted tables beside the state, at the latest commit. Returned bytes are the caller's to read, never to change. */
export interface Tables {
  get(table: string, key: Uint8Array): Uint8Array | undefined
  iterate(table: string, range?: Range): IterableIterator<Entry>
}

/** One row to write; `value` undefined removes it. */
export interface TableWrite {
  readonly table: string
  readonly key: Uint8Array
  readonly value: Uint8Array | undefined
}
