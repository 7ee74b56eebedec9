/** Proofs of keys at the height of a context, with their height. */
import { queryError } from '../primitives/errors.ts'
import type { ReadContext } from '../sdk/context.ts'
import type { StoreProof } from '../store/types.ts'

export interface StoreKey {
  readonly store: string
  readonly key: Uint8Array
}

export interface ProvenKeys {
  readonly height: bigint
  /** In the order of the keys. */
  readonly proofs: readonly StoreProof[]
}

/** Proves keys, present or absent. Throws the errors of `Prover.prove`. */
export function proveKeys({ store, block }: ReadContext, keys: readonly StoreKey[]): ProvenKeys {
  const { proofs } = store
  if (!proofs) throw queryError('internal', 'only committed states have proofs')
  return { height: block.height, proofs: keys.map(({ store, key }) => proofs.prove(store, key)) }
}
