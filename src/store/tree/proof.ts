/** Proofs of one height: what a client checks against the app hash in the header of the next (state-layout.md §5.5, D28). */
import { utf8 } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import type { Reader, StoreProof } from '../types.ts'
import { type ProvenLeaf, proofOfAbsence, proofOfPresence, proofOfStore } from './ics23.ts'
import type { LeafPath } from './leaf-paths.ts'
import { merklePath, merkleRoot } from './multi-store.ts'
import { leavesOf } from './tree-roots.ts'
import type { TreesAt } from './trees.ts'

/** Proves a key by the trees of a height and what reads its state. Throws 3 for an empty key, 5 for a store that is not in the app hash. */
export function proveKey(
  { order, forest, grove }: TreesAt,
  get: Reader['get'],
  store: string,
  key: Uint8Array,
): StoreProof {
  if (key.length === 0) throw queryError('invalidArgument', 'the key of a proof must not be empty')
  const place = order.places.get(store)
  if (place === undefined) throw queryError('notFound', `there is no store ${store} in the app hash`)
  const root = grove.roots[place]!
  const leaves = leavesOf(order, forest, grove)
  const withValue = (path: LeafPath): ProvenLeaf => {
    const value = get(store, path.key)
    if (!value) throw new Error(`the tree of ${store} has a key that the state has not`)
    return { path, value }
  }
  const { found, left, right } = forest.locate(root, key)
  const leaf = found && withValue(found)
  const storeRoot = forest.rootHash(root)
  return {
    value: leaf?.value,
    keyProof: leaf ? proofOfPresence(leaf) : proofOfAbsence(key, left && withValue(left), right && withValue(right)),
    storeProof: proofOfStore(utf8(store), storeRoot, merklePath(leaves, place)),
    storeRoot,
    appHash: merkleRoot(leaves),
  }
}
