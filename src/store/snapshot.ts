/** State at one height, read from the head table and, for what was written later, from the change log. */
import { compare } from '../primitives/bytes.ts'
import type { BackendRead } from './backend.ts'
import { readVersion } from './change-log.ts'
import { findPlace, type Place, type Trail, takeTrail } from './trail.ts'
import type { Entry, Range, Snapshot } from './types.ts'
import { type Input, takeVarint } from './varint.ts'

/** Store number and key to trail and newest value. */
export const HEAD = 'head'
/** Store number and key to the trail of a key whose newest version is a deletion. */
export const DEAD = 'dead'
/** Store number and key to the value at the height up to which the log has been pruned, where the head's is newer. */
export const BASE = 'base'

export interface SnapshotSource {
  readonly view: BackendRead
  readonly height: number
  /** Whether nothing was committed after `height`, as the view sees it. */
  isTip(): boolean
  /** The first height in the log. */
  logFrom(): number
  storeNumber(store: string): number | undefined
}

/** Store number and key: the form of keys in all tables of the state. */
export function stateKey(store: number, key: Uint8Array): Uint8Array {
  const out = new Uint8Array(key.length + 1)
  out[0] = store
  out.set(key, 1)
  return out
}

/** A head row: where the versions lie, then the newest value. */
export function splitHead(bytes: Uint8Array): { readonly trail: Trail; readonly value: Uint8Array } {
  const input: Input = { bytes, at: 0 }
  const trail = takeTrail(input)
  return { trail, value: bytes.subarray(input.at) }
}

export function openSnapshot(source: SnapshotSource): Snapshot {
  const { view, height } = source

  function get(store: string, key: Uint8Array): Uint8Array | undefined {
    const number = source.storeNumber(store)
    if (number === undefined) return undefined
    const at = stateKey(number, key)
    const row = view.get(HEAD, at)
    if (row) return resolveHead(at, row)
    if (source.isTip()) return undefined
    const dead = view.get(DEAD, at)
    return dead && resolveDead(at, dead)
  }

  function resolveHead(at: Uint8Array, row: Uint8Array): Uint8Array | undefined {
    const input: Input = { bytes: row, at: 0 }
    const count = takeVarint(input)
    if (takeVarint(input) > height) return older(at, splitHead(row).trail)
    takeVarint(input)
    // What is left of the trail: two numbers for every level above the lowest.
    for (let skip = 2 * (31 - Math.clz32(count)); skip > 0; skip--) while (row[input.at++]! >= 0x80);
    return row.subarray(input.at)
  }

  function resolveDead(at: Uint8Array, row: Uint8Array): Uint8Array | undefined {
    const trail = takeTrail({ bytes: row, at: 0 })
    return trail.latest[0]!.height > height ? older(at, trail) : undefined
  }

  /** The value of a key that was written after this height. */
  function older(at: Uint8Array, trail: Trail): Uint8Array | undefined {
    const place = findPlace(trail, height, (later: Place) => readVersion(view, later, at).references)
    if (!place) return undefined
    return place.height < source.logFrom() ? view.get(BASE, at) : readVersion(view, place, at).value
  }

  function* iterate(store: string, range: Range = {}): IterableIterator<Entry> {
    const number = source.storeNumber(store)
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
    get,
    has: (store, key) => get(store, key) !== undefined,
    iterate,
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

/** Two sequences without common keys as one, in order. */
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
