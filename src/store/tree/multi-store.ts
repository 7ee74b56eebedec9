/** The multi-store: a Merkle tree over the roots of all stores. Its root is the app hash (docs/state-layout.md#app-hash). */
import { utf8 } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import { createOutput, finish, putBytes, putVarint } from '../../primitives/varint.ts'

/** First bytes of the hashed message of a leaf and of an inner node, as in RFC 6962. */
export const LEAF_PREFIX: Uint8Array = Uint8Array.of(0)
export const INNER_PREFIX: Uint8Array = Uint8Array.of(1)

/** Returns the hash of a store's leaf, of its name and the hash of its root hash. */
export function storeLeaf(name: string, rootHash: Uint8Array): Uint8Array {
  const out = createOutput()
  const bytes = utf8(name)
  putBytes(out, LEAF_PREFIX)
  putVarint(out, bytes.length)
  putBytes(out, bytes)
  putVarint(out, 32)
  putBytes(out, sha256(rootHash))
  return sha256(finish(out))
}

/** Returns the root over leaf hashes. */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  return leaves.length === 0 ? sha256(new Uint8Array(0)) : rootOf(leaves, 0, leaves.length)
}

/**
 * Returns the root over a part of the leaf hashes. The size of the left part is the greatest power of two below their number.
 * Bounded by: the logarithm of that number.
 */
function rootOf(leaves: readonly Uint8Array[], from: number, to: number): Uint8Array {
  if (to - from === 1) return leaves[from]!
  const middle = from + leftOf(to - from)
  return hashInner(rootOf(leaves, from, middle), rootOf(leaves, middle, to))
}

/** The hashed message of an inner node, which is filled for each: a block has fifty. */
const inner = new Uint8Array(65)
inner.set(INNER_PREFIX)

/**
 * Makes a `merkleRoot` for lists that share most leaves with the list before, as the same objects: an inner node whose children
 * are the same objects as before is not hashed again.
 */
export function createMerkleRoot(): (leaves: readonly Uint8Array[]) => Uint8Array {
  // By the index of the first leaf on the right, which differs between the inner nodes of a tree.
  const known: { readonly left: Uint8Array; readonly right: Uint8Array; readonly hash: Uint8Array }[] = []

  /** Bounded by: as `rootOf`. */
  function knownRootOf(leaves: readonly Uint8Array[], from: number, to: number): Uint8Array {
    if (to - from === 1) return leaves[from]!
    const middle = from + leftOf(to - from)
    const left = knownRootOf(leaves, from, middle)
    const right = knownRootOf(leaves, middle, to)
    const before = known[middle]
    if (before?.left === left && before.right === right) return before.hash
    const hash = hashInner(left, right)
    known[middle] = { left, right, hash }
    return hash
  }

  return (leaves) => (leaves.length === 0 ? merkleRoot(leaves) : knownRootOf(leaves, 0, leaves.length))
}

function hashInner(left: Uint8Array, right: Uint8Array): Uint8Array {
  inner.set(left, 1)
  inner.set(right, 33)
  return sha256(inner)
}

/** A sibling of a node on the path from a leaf to the root. */
export type Aunt = { readonly left: Uint8Array } | { readonly right: Uint8Array }

/** Returns the siblings of the path from a leaf to the root, from the leaf upwards. Bounded by: as `rootOf`. */
export function merklePath(leaves: readonly Uint8Array[], index: number): Aunt[] {
  if (leaves.length <= 1) return []
  const middle = leftOf(leaves.length)
  const [left, right] = [leaves.slice(0, middle), leaves.slice(middle)]
  return index < middle
    ? [...merklePath(left, index), { right: merkleRoot(right) }]
    : [...merklePath(right, index - middle), { left: merkleRoot(left) }]
}

/** Returns the size of the left part of a number of leaves, at least two. */
function leftOf(count: number): number {
  return 2 ** (31 - Math.clz32(count - 1))
}
