/** Merkle trees of RFC 6962 over SHA-256, as CometBFT builds them (docs/cometbft.md#hashes). */
import { concat } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import { LEAF_PREFIX, merklePath, merkleRoot as rootOfLeafHashes } from '../../store/tree/multi-store.ts'

/** A proof that a leaf is in a tree: sibling hashes from the leaf up to the root's children. */
export interface MerkleProof {
  readonly total: number
  readonly index: number
  readonly leafHash: Uint8Array
  readonly aunts: readonly Uint8Array[]
}

/** Returns the hash of a leaf, 32 bytes. */
export const hashLeaf = (leaf: Uint8Array): Uint8Array => sha256(concat(LEAF_PREFIX, leaf))

/** Returns the root, 32 bytes; sha256 of no bytes for no leaves. */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  return rootOfLeafHashes(leaves.map(hashLeaf))
}

/** Returns the proof of one leaf. Throws a `RangeError` for an unknown index. */
export function merkleProof(leaves: readonly Uint8Array[], index: number): MerkleProof {
  const hashes = leaves.map(hashLeaf)
  const leafHash = hashes[index]
  if (!leafHash) throw new RangeError(`no leaf ${index} of ${leaves.length}`)
  const aunts = merklePath(hashes, index).map((aunt) => ('left' in aunt ? aunt.left : aunt.right))
  return { total: leaves.length, index, leafHash, aunts }
}
