/**
 * Proofs at one height, which a client verifies against the app hash in the next header (docs/state-layout.md#proofs,
 * D28).
 */
import { utf8 } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import type { Reader, StoreProof } from '../types.ts'
import { type ProvenLeaf, proofOfAbsence, proofOfPresence, proofOfStore } from './ics23.ts'
import type { LeafPath } from './leaf-paths.ts'
import { merklePath, merkleRoot } from './multi-store.ts'
import { leavesOf } from './tree-roots.ts'
import type { TreesAt } from './trees.ts'

/**
 * Proves the presence or absence of a key. `get` reads the state of the same height. Throws 3 for an empty key, 5 for a
 * store outside the app hash.
 */
export function proveKey(
  { order, treeStore, roots }: TreesAt,
  get: Reader['get'],
  store: string,
  key: Uint8Array,
): StoreProof {
  if (key.length === 0) throw queryError('invalidArgument', 'the key of a proof must not be empty')
  const treeIndex = order.treeIndexes.get(store)
  if (treeIndex === undefined) throw queryError('notFound', `there is no store ${store} in the app hash`)
  const root = roots.nodes[treeIndex]!
  const leaves = leavesOf(order, treeStore, roots)
  const withValue = (path: LeafPath): ProvenLeaf => {
    const value = get(store, path.key)
    if (!value) throw new Error(`the tree of ${store} has a key that the state does not have`)
    return { path, value }
  }
  const { found, left, right } = treeStore.locate(root, key)
  const leaf = found && withValue(found)
  const storeRoot = treeStore.rootHash(root)
  return {
    value: leaf?.value,
    keyProof: leaf ? proofOfPresence(leaf) : proofOfAbsence(key, left && withValue(left), right && withValue(right)),
    storeProof: proofOfStore(utf8(store), storeRoot, merklePath(leaves, treeIndex)),
    storeRoot,
    appHash: merkleRoot(leaves),
  }
}
