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
  /** Of a committed height alone. */
  readonly proofs?: Prover
  /** Names of the stores that may be written, where that is known. */
  readonly stores?: readonly string[]
  /** Where a block over this reader may leave runs of writes; absent where nothing is written to disk. */
  openStaging?(): Staging
  /**
   * Of a committed height alone: the same object for every reader of that state while it is the one asked for, so that what was
   * worked out from it can be kept with it. Means nothing else.
   */
  readonly revision?: object
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

/** A write of a run; `value` undefined means deleted. */
export type RunEntry = readonly [key: Uint8Array, value: Uint8Array | undefined]

/** Runs of writes that are too many for an overlay. Nothing of them shows, and a crash or the next staging forgets them, unless they are committed. */
export interface Staging {
  /** Takes a run of one store, its keys ascending. If it throws, the run is forgotten. */
  write(store: string, entries: Iterable<RunEntry>): void
  /** A reader with the runs laid over it, those to come included; an iteration goes on without runs that came after its beginning. */
  over(base: Reader): Reader
  staged(): Staged | undefined
}

/** Runs that wait to be committed. */
export interface Staged {
  /** The writes of all runs with others laid over them, sorted by store and key, each key once. */
  changes(over: readonly Change[]): IterableIterator<Change>
  /** Removes the runs. */
  clearing(): IterableIterator<TableWrite>
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
  /** The writes of this branch alone, sorted by store and key, runs not included. */
  changes(): Change[]
  /**
   * Writes a run of one store, its keys ascending and each once, past the overlay to where there is room for it. The entries
   * may come from an iteration over the same store. Throws an `Error` on any but the root branch, which is where a block runs.
   */
  writeRun(store: string, entries: Iterable<RunEntry>): void
  /** What `writeRun` wrote, to be committed with the changes; undefined if it was not used. */
  staged(): Staged | undefined
}

/** That a key of a store has a value, or none, at one height. */
export interface StoreProof {
  /** Undefined: the key is absent. */
  readonly value: Uint8Array | undefined
  /** ICS-23 `CommitmentProof` of the key in its store's tree (`iavlSpec`), against `storeRoot`. */
  readonly keyProof: Uint8Array
  /** ICS-23 `CommitmentProof` of the store's root in the app hash (`tendermintSpec`), its key being the store's name. */
  readonly storeProof: Uint8Array
  readonly storeRoot: Uint8Array
  /** What the header of the next height has as its app hash. */
  readonly appHash: Uint8Array
}

/** Proofs of one height. */
export interface Prover {
  /** Whether its trees are in memory: if not, the first proof builds them, which may take up to two seconds. */
  isReady(): boolean
  /** Throws 3 for an empty key, 5 for a store that takes no part in the app hash. */
  prove(store: string, key: Uint8Array): StoreProof
}

/** Committed state of one height. One request opens one, reads only it, and closes it. */
export interface Snapshot extends Reader {
  readonly height: bigint
  /** Names of the stores at this height, in order. */
  readonly stores: readonly string[]
  /** How often the chain had gone back when it was opened: heights read before may be others now. */
  readonly rollbacks: number
  readonly proofs: Prover
  readonly revision: object
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
