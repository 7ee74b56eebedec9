/**
 * Where the versions of one key lie in the change log. Version n (from 1 on) carries references to the versions before
 * it that are divisible by 1, 2, 4, … up to the greatest power that divides n, so that any old version is found from the
 * newest in O(log n) steps, and writing one looks at nothing but the newest.
 */
import { type Input, type Output, putVarint, takeVarint } from './varint.ts'

/** The height of a version and the piece of that height's log that holds it. */
export interface Place {
  readonly height: number
  readonly piece: number
}

/** All that a new version needs to know of a key: how many there are, and the latest one of every level. */
export interface Trail {
  readonly count: number
  /** By level: the latest version divisible by 2^level. Never empty. */
  readonly latest: readonly Place[]
}

/** The greatest level of a version: how often 2 divides its number. */
function levelOf(version: number): number {
  let level = 0
  while (version % 2 ** (level + 1) === 0) level++
  return level
}

/** References that the version after this trail carries. */
export function referencesOf(trail: Trail | undefined): readonly Place[] {
  return trail ? trail.latest.slice(0, levelOf(trail.count + 1) + 1) : []
}

/** The trail with one more version. */
export function extend(trail: Trail | undefined, place: Place): Trail {
  const count = (trail?.count ?? 0) + 1
  const latest = [...(trail?.latest ?? [])]
  for (let level = levelOf(count); level >= 0; level--) latest[level] = place
  return { count, latest }
}

/** Places run from the newest to the oldest: the first relative to `from`, the others to the one before. */
export function putPlaces(out: Output, from: number, places: readonly Place[]): void {
  let before = from
  for (const { height, piece } of places) {
    putVarint(out, before - height)
    putVarint(out, piece)
    before = height
  }
}

export function takePlaces(input: Input, from: number, count: number): Place[] {
  const places: Place[] = []
  let before = from
  for (let i = 0; i < count; i++) {
    before -= takeVarint(input)
    places.push({ height: before, piece: takeVarint(input) })
  }
  return places
}

export function putTrail(out: Output, { count, latest }: Trail): void {
  const newest = latest[0]!
  putVarint(out, count)
  putVarint(out, newest.height)
  putVarint(out, newest.piece)
  putPlaces(out, newest.height, latest.slice(1))
}

export function takeTrail(input: Input): Trail {
  const count = takeVarint(input)
  const newest = { height: takeVarint(input), piece: takeVarint(input) }
  if (count === 1) return { count, latest: [newest] }
  return { count, latest: [newest, ...takePlaces(input, newest.height, 31 - Math.clz32(count))] }
}

/** Height of the newest version, without reading the rest. */
export function takeNewestHeight(input: Input): number {
  takeVarint(input)
  return takeVarint(input)
}

/**
 * The newest version not after `height`; undefined if there is none. `referencesAt` reads the references of a version.
 */
export function findPlace(
  trail: Trail,
  height: number,
  referencesAt: (place: Place) => readonly Place[],
): Place | undefined {
  let known = trail.latest
  for (let level = known.length - 1; level >= 0; level--) {
    while (level < known.length && known[level]!.height > height) {
      const references = referencesAt(known[level]!)
      // What the version refers to is nearer than what was known, on all its levels.
      known = [...references, ...known.slice(references.length).filter((place) => place.height <= height)]
      if (references.length === 0) return undefined
    }
  }
  return known[0]
}
