/** Proofs of one height: what a client checks against the app hash in the header of the next (state-layout.md §5.5, D28). */
import { utf8 } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import { leavesOf } from './grove.ts'
import type { LeafPath } from './iavl.ts'
import { type ProvenLeaf, proofOfAbsence, proofOfPresence, proofOfStore } from './ics23.ts'
import { merklePath, merkleRoot } from './multi-store.ts'
import type { TreesAt } from './trees.ts'
import type { Prover, Reader, StoreProof } from './types.ts'

/** Where the trees of a height come from. */
export interface ProofSource {
  readonly state: Pick<Reader, 'get'>
  isReady(): boolean
  trees(): TreesAt
}

export function createProver({ state, isReady, trees }: ProofSource): Prover {
  function prove(store: string, key: Uint8Array): StoreProof {
    if (key.length === 0) throw queryError('invalidArgument', 'the key of a proof must not be empty')
    const { order, forest, grove } = trees()
    const place = order.places.get(store)
    if (place === undefined) throw queryError('notFound', `there is no store ${store} in the app hash`)
    const root = grove.roots[place]!
    const leaves = leavesOf(order, forest, grove)
    const withValue = (path: LeafPath): ProvenLeaf => {
      const value = state.get(store, path.key)
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
  return { isReady, prove }
}
