/** Merkle trees of RFC 6962 over SHA-256, as CometBFT builds them (docs/cometbft.md#hashes). */
import { concat, EMPTY } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'

const LEAF = new Uint8Array([0])
const INNER = new Uint8Array([1])

/** A proof that a leaf is in a tree: sibling hashes from the leaf up to the root's children. */
export interface MerkleProof {
  readonly total: number
  readonly index: number
  readonly leafHash: Uint8Array
  readonly aunts: readonly Uint8Array[]
}

/** Returns the largest power of two below `count`, which is at least 2. */
function splitPoint(count: number): number {
  let size = 1
  while (size * 2 < count) size *= 2
  return size
}

const hashLeaf = (leaf: Uint8Array) => sha256(concat(LEAF, leaf))
const hashInner = (left: Uint8Array, right: Uint8Array) => sha256(concat(INNER, left, right))

/** Returns the root, 32 bytes; sha256 of no bytes for no leaves. */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  return leaves.length === 0 ? sha256(EMPTY) : rootOf(leaves.map(hashLeaf))
}

function rootOf(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length === 1) return hashes[0]!
  const split = splitPoint(hashes.length)
  return hashInner(rootOf(hashes.slice(0, split)), rootOf(hashes.slice(split)))
}

/** Returns the proof of one leaf. Throws a `RangeError` for an unknown index. */
export function merkleProof(leaves: readonly Uint8Array[], index: number): MerkleProof {
  const hashes = leaves.map(hashLeaf)
  const leafHash = hashes[index]
  if (!leafHash) throw new RangeError(`no leaf ${index} of ${leaves.length}`)
  return { total: leaves.length, index, leafHash, aunts: auntsOf(hashes, index) }
}

function auntsOf(hashes: readonly Uint8Array[], index: number): Uint8Array[] {
  if (hashes.length === 1) return []
  const split = splitPoint(hashes.length)
  const [left, right] = [hashes.slice(0, split), hashes.slice(split)]
  return index < split ? [...auntsOf(left, index), rootOf(right)] : [...auntsOf(right, index - split), rootOf(left)]
}
