/** The state at one height, read from the head table, and from the change log for keys written after it. */
import { compare, copyTo } from '../../primitives/bytes.ts'
import type { BackendRead } from '../backend/backend.ts'
import { BASE, DEAD, HEAD } from '../tables.ts'
import type { Entry, Prover, Range, Reader, Snapshot, Staging } from '../types.ts'
import { readValue } from './change-log.ts'
import type { Era } from './registry.ts'
import { findRef, readRefs, type VersionRefs } from './version-refs.ts'

export interface SnapshotSource {
  readonly view: BackendRead
  readonly height: number
  readonly earliest: number
  readonly rollbacks: number
  readonly revision: object
  /** Whether `height` is the latest commit of the view. */
  isTip(): boolean
  /** The first height in the log. */
  logFrom(): number
  /** The stores of the height. */
  readonly era: Pick<Era, 'stores' | 'numbers'>
  /** Undefined over a read-only backend. */
  readonly openStaging: (() => Staging) | undefined
  /** Returns proofs over the state of the snapshot. */
  prover(get: Reader['get']): Prover
  /** Yields the keys that a height wrote. */
  readonly writtenAt: NonNullable<Reader['writtenAt']>
}

/** Returns store number and key, the form of keys in all tables of the state. */
function stateKey(store: number, key: Uint8Array): Uint8Array {
  const out = new Uint8Array(key.length + 1)
  out[0] = store
  copyTo(out, 1, key)
  return out
}

export function openSnapshot(source: SnapshotSource): Snapshot {
  const { view, height, era } = source

  function get(store: string, key: Uint8Array): Uint8Array | undefined {
    const number = era.numbers.get(store)
    if (number === undefined) return undefined
    const at = stateKey(number, key)
    const row = view.get(HEAD, at)
    if (row) return resolveHead(at, row)
    if (source.isTip()) return undefined
    const dead = view.get(DEAD, at)
    return dead && resolveDead(at, dead)
  }

  function resolveHead(at: Uint8Array, row: Uint8Array): Uint8Array | undefined {
    const refs = readRefs(row)
    return refs.newest.height > height ? older(at, refs) : row.subarray(refs.end)
  }

  function resolveDead(at: Uint8Array, row: Uint8Array): Uint8Array | undefined {
    const refs = readRefs(row)
    return refs.newest.height > height ? older(at, refs) : undefined
  }

  /** Returns the value at this height of a key that was also written later. */
  function older(at: Uint8Array, refs: VersionRefs): Uint8Array | undefined {
    const ref = findRef(view, at, refs, height)
    if (!ref) return undefined
    return ref.height < source.logFrom() ? view.get(BASE, at) : readValue(view, ref, at)
  }

  function* iterate(store: string, range: Range = {}): IterableIterator<Entry> {
    const number = era.numbers.get(store)
    if (number === undefined) return
    const bounds: Range = {
      start: range.start ? stateKey(number, range.start) : Uint8Array.of(number),
      end: range.end ? stateKey(number, range.end) : Uint8Array.of(number + 1),
      reverse: range.reverse ?? false,
    }
    const heads = view.iterate(HEAD, bounds)
    const all = source.isTip()
      ? labelled(heads, resolveHead)
      : interleave(
          labelled(heads, resolveHead),
          labelled(view.iterate(DEAD, bounds), resolveDead),
          range.reverse ? -1 : 1,
        )
    for (const [at, value] of all) if (value) yield [at.subarray(1), value]
  }

  return {
    height: BigInt(height),
    stores: era.stores,
    ...(source.openStaging && { openStaging: source.openStaging }),
    earliest: BigInt(source.earliest),
    rollbacks: source.rollbacks,
    revision: source.revision,
    get,
    has: (store, key) => get(store, key) !== undefined,
    iterate,
    proofs: source.prover(get),
    writtenAt: source.writtenAt,
    close: () => view.close(),
  }
}

type Resolved = readonly [at: Uint8Array, value: Uint8Array | undefined]

function* labelled(
  rows: IterableIterator<Entry>,
  resolve: (at: Uint8Array, row: Uint8Array) => Uint8Array | undefined,
): IterableIterator<Resolved> {
  for (const [at, row] of rows) yield [at, resolve(at, row)]
}

/** Merges two ordered sequences without common keys. */
function* interleave(
  a: IterableIterator<Resolved>,
  b: IterableIterator<Resolved>,
  direction: 1 | -1,
): IterableIterator<Resolved> {
  let [left, right] = [a.next(), b.next()]
  try {
    while (!left.done || !right.done) {
      if (right.done || (!left.done && compare(left.value[0], right.value[0]) * direction < 0)) {
        yield left.value!
        left = a.next()
      } else {
        yield right.value
        right = b.next()
      }
    }
  } finally {
    a.return?.()
    b.return?.()
  }
}
