/** The first difference between the changes of the stream and the state of the node, for the error of a block that is not verified. */
import { equal, formatHex0x } from '../../primitives/bytes.ts'
import type { Change } from '../../store/types.ts'

export interface Differing {
  /** The changes of the stream, sorted by store and key. */
  readonly written: readonly Change[]
  /** Root hashes of the stores here after the changes, in the order of the app hash. */
  readonly roots: ReadonlyMap<string, Uint8Array>
  /** Returns the changes that executing the block makes here; undefined if that does not give the node's app hash. */
  readonly executed: () => readonly Change[] | undefined
  /** Resolves with the root hash of a store of the node; undefined if the node does not give it. */
  readonly rootAt: (store: string) => Promise<Uint8Array | undefined>
}

/** Longest key that an error shows whole. Unit: bytes. */
const SHOWN_BYTES = 48

/**
 * Resolves with a clause that names the first store that differs, and its first key if the block can be executed here. Without
 * both, it names the stores that the block wrote.
 */
export async function firstDifference({ written, roots, executed, rootAt }: Differing): Promise<string> {
  const right = executed()
  const found = right && firstDifferentChange(written, right)
  if (found) return `the first difference is in store ${found.store}, key ${shorten(found.key)}: ${found.how}`
  let known = 0
  for (const [store, root] of roots) {
    const theirs = await rootAt(store)
    if (!theirs) continue
    known++
    if (!equal(root, theirs)) return `the first store that differs is ${store}`
  }
  if (known === roots.size) return 'all stores are equal, so that the node has others'
  const names = [...new Set(written.map(({ store }) => store))]
  return `the block wrote to ${names.join(', ')}, and the node does not tell which differs`
}

interface Found {
  readonly store: string
  readonly key: Uint8Array
  readonly how: string
}

/** Returns the first change, by store and key, that is in one list only or has another value. */
function firstDifferentChange(streamed: readonly Change[], right: readonly Change[]): Found | undefined {
  for (let i = 0, j = 0; i < streamed.length || j < right.length; ) {
    const [one, other] = [streamed[i], right[j]]
    const order = one && other ? compareKeys(one, other) : one ? -1 : 1
    if (order < 0) return { ...one!, how: 'the stream has a change that the block does not make' }
    if (order > 0) return { ...other!, how: 'the stream lacks a change of the block' }
    if (!isSameValue(one!.value, other!.value)) return { ...one!, how: 'the stream has another value' }
    i++
    j++
  }
  return undefined
}

const compareKeys = (a: Change, b: Change): number =>
  a.store === b.store ? Buffer.compare(a.key, b.key) : a.store < b.store ? -1 : 1

const isSameValue = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === undefined || b === undefined ? a === b : equal(a, b)

const shorten = (key: Uint8Array): string =>
  key.length <= SHOWN_BYTES ? formatHex0x(key) : `${formatHex0x(key.subarray(0, SHOWN_BYTES))}… of ${key.length} bytes`
