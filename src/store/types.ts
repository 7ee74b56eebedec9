/** The interfaces of a store: readers, writers, branches, snapshots, and the changes of a block. */

/** Half-open range of keys in byte order; absent bounds are open. */
export interface Range {
  readonly start?: Uint8Array | undefined
  readonly end?: Uint8Array | undefined
  /** From the end to the start. */
  readonly reverse?: boolean
}

export type Entry = readonly [key: Uint8Array, value: Uint8Array]

/**
 * Keys and values of all stores, by store name (`acc`, `bank`, `evm`, …). Callers must not change returned bytes. An empty value is
 * present, unlike an absent one.
 */
export interface Reader {
  get(store: string, key: Uint8Array): Uint8Array | undefined
  has(store: string, key: Uint8Array): boolean
  iterate(store: string, range?: Range): IterableIterator<Entry>
  /** Present for a committed height only. */
  readonly proofs?: Prover
  /** Earliest height whose state is stored. Present for a committed height only. */
  readonly earliest?: bigint
  /** Names of the stores that can be written, if known. */
  readonly stores?: readonly string[]
  /** Opens a staging area for large runs of writes of a block over this reader. Absent if nothing is written to disk. */
  openStaging?(): Staging
  /**
   * A cache key for data derived from this state, present for a committed height only. All readers of the state have the same
   * object until another height is requested. It has no other meaning.
   */
  readonly revision?: object
  /**
   * Yields store and key of everything that a height wrote, with equal values too. Present for a committed height only. Throws the
   * errors of a height that is not stored.
   */
  writtenAt?(height: bigint): IterableIterator<{ readonly store: string; readonly key: Uint8Array }>
}

export interface Writer extends Reader {
  /** Sets a value. Setting an equal value also changes the app hash (docs/state-layout.md#app-hash). */
  set(store: string, key: Uint8Array, value: Uint8Array): void
  delete(store: string, key: Uint8Array): void
}

/** One written key of a block; `value` undefined means deleted. Sorted by store, then by key. */
export interface Change {
  readonly store: string
  readonly key: Uint8Array
  readonly value: Uint8Array | undefined
}

/** A write of a run; `value` undefined means deleted. */
export type RunEntry = readonly [key: Uint8Array, value: Uint8Array | undefined]

/** A staging area for runs of writes that are too large for memory. They are lost at a crash or at the next staging unless committed. */
export interface Staging {
  /** Writes a run of one store, with ascending keys. If it throws, the run is dropped. */
  write(store: string, entries: Iterable<RunEntry>): void
  /** Returns a reader of `base` with all runs over it, later ones included. An iteration shows the runs at its beginning. */
  over(base: Reader): Reader
  staged(): Staged | undefined
}

/** Staged runs that wait for their commit. */
export interface Staged {
  /** Yields the writes of all runs with `over` merged over them, sorted by store and key, each key once. */
  changes(over: readonly Change[]): IterableIterator<Change>
  /** Yields rows that remove the runs. */
  clearing(): IterableIterator<TableWrite>
}

/** One attribute of an event, in emission order. */
export interface EventAttribute {
  readonly key: string
  readonly value: string
}

/** An event as blocks record it. Attributes of typed events are sorted by key, and their values are JSON. */
export interface ChainEvent {
  readonly type: string
  readonly attributes: readonly EventAttribute[]
}

/**
 * An overlay on a reader. Writes and events stay in it until `merge` moves both to its parent; dropping the branch discards them.
 * Only the innermost live branch can be written.
 */
export interface Branch extends Writer {
  readonly events: ChainEvent[]
  branch(): Branch
  /** Moves writes and events into the parent branch. The versioned store commits the root branch of a block instead. */
  merge(): void
  /** Returns the writes of this branch alone, without runs, sorted by store and key. */
  changes(): Change[]
  /**
   * Writes a run of one store to a staging area instead of memory. Keys ascend, each once. The entries can come from an iteration
   * over the same store. Throws an `Error` on any branch but the root branch of a block.
   */
  writeRun(store: string, entries: Iterable<RunEntry>): void
  /** Returns the runs of `writeRun`, which must be committed with the changes; undefined if there are no runs. */
  staged(): Staged | undefined
}

/** A proof that a key of a store has a value, or no value, at one height. */
export interface StoreProof {
  /** Undefined: the key is absent. */
  readonly value: Uint8Array | undefined
  /** ICS-23 `CommitmentProof` of the key in its store's tree (`iavlSpec`), against `storeRoot`. */
  readonly keyProof: Uint8Array
  /** ICS-23 `CommitmentProof` of the store's root in the app hash (`tendermintSpec`). Its key is the store's name. */
  readonly storeProof: Uint8Array
  readonly storeRoot: Uint8Array
  /** App hash in the header of the next height. */
  readonly appHash: Uint8Array
}

/** Proofs of one height. */
export interface Prover {
  /** Whether the trees of the height are in memory. If not, the first proof builds them, which can take two seconds. */
  isReady(): boolean
  /** Throws 3 for an empty key, 5 for a store outside the app hash. */
  prove(store: string, key: Uint8Array): StoreProof
}

/** The committed state of one height. A request opens one snapshot, reads only it, and closes it. */
export interface Snapshot extends Reader {
  readonly height: bigint
  /** Names of the stores at this height, in order. */
  readonly stores: readonly string[]
  readonly earliest: bigint
  /** Number of rollbacks before it was opened. After a rollback a height can have another state. */
  readonly rollbacks: number
  readonly proofs: Prover
  readonly revision: object
  close(): void
}

/** Sorted tables beside the state, at the latest commit. Callers must not change returned bytes. */
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
