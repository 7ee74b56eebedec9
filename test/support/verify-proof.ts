/** Verification of an ICS-23 proof by a client that trusts only a header. */
import { iavlSpec, ics23, tendermintSpec, verifyExistence, verifyNonExistence } from '@confio/ics23'
import { formatHex, utf8 } from '../../src/primitives/bytes.ts'

interface Proven {
  readonly store: string
  readonly key: Uint8Array
  /** Expected value; empty if the key is absent. */
  readonly value: Uint8Array
  /** Proof from the key to the root of its store. */
  readonly keyProof: Uint8Array
  /** Proof from that root to the app hash. */
  readonly storeProof: Uint8Array
}

/** Throws if the proof does not lead to the app hash. */
export function verifyProof({ store, key, value, keyProof, storeProof }: Proven, appHash: Uint8Array): void {
  const outer = ics23.CommitmentProof.decode(storeProof).exist
  const inner = ics23.CommitmentProof.decode(keyProof)
  if (!outer?.value) throw new Error('no proof of the store')
  verifyExistence(outer, tendermintSpec, appHash, utf8(store), outer.value)
  if (value.length > 0) {
    if (!inner.exist) throw new Error('no proof of presence')
    verifyExistence(inner.exist, iavlSpec, outer.value, key, value)
    return
  }
  if (!inner.nonexist?.key || formatHex(inner.nonexist.key) !== formatHex(key)) throw new Error('another key')
  verifyNonExistence(inner.nonexist, iavlSpec, outer.value, key)
}
