/** The multi-store: a Merkle root over the roots of all stores, which is the app hash (state-layout.md §5.5). */
import { concat, utf8 } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import { createOutput, finish, putBytes, putVarint } from '../varint.ts'

/** First bytes of what is hashed for a leaf and for an inner node, as RFC 6962 has it. */
export const LEAF_PREFIX: Uint8Array = Uint8Array.of(0)
export const INNER_PREFIX: Uint8Array = Uint8Array.of(1)

/** Hash of a store's leaf in the multi-store tree: its name and the hash of its root hash. */
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

/** Root over leaf hashes: the left part is the greatest power of two below the number of leaves. */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256(new Uint8Array(0))
  if (leaves.length === 1) return leaves[0]!
  const middle = middleOf(leaves)
  return sha256(concat(INNER_PREFIX, merkleRoot(leaves.slice(0, middle)), merkleRoot(leaves.slice(middle))))
}

/** What stands beside the way from a leaf to the root, from the leaf on. */
export type Aunt = { readonly left: Uint8Array } | { readonly right: Uint8Array }

export function merklePath(leaves: readonly Uint8Array[], index: number): Aunt[] {
  if (leaves.length <= 1) return []
  const middle = middleOf(leaves)
  const [before, behind] = [leaves.slice(0, middle), leaves.slice(middle)]
  return index < middle
    ? [...merklePath(before, index), { right: merkleRoot(behind) }]
    : [...merklePath(behind, index - middle), { left: merkleRoot(before) }]
}

function middleOf(leaves: readonly Uint8Array[]): number {
  return 2 ** (31 - Math.clz32(leaves.length - 1))
}
