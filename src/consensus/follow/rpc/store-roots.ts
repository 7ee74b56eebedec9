/** Root hashes of a node's stores, from the proofs of its ABCI queries (docs/state-layout.md#app-hash). */
import { parseBase64 } from '../../../primitives/bytes.ts'
import { ChainError } from '../../../primitives/errors.ts'
import type { NodeRpc } from './node-rpc.ts'

/** Type of the step from a store to the app hash. */
const STORE_STEP = 'ics23:simple'
/** Field of `CommitmentProof`, and of `ExistenceProof` in it. */
const EXIST = 1
const VALUE = 2
const BYTES = 2

interface AbciResponse {
  readonly response?: {
    readonly proofOps?: { readonly ops?: readonly { readonly type?: string; readonly data?: string }[] }
  }
}

/** Resolves with the root hash of a store at a height; undefined if the node does not prove it, as for a pruned height. */
export async function storeRootOf(
  rpc: NodeRpc,
  height: bigint,
  store: string,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  // The proof that a key is absent has the same step.
  const params = { path: `/store/${store}/key`, data: '00', height: height.toString(), prove: true }
  try {
    const { response } = (await rpc.call('abci_query', params, signal)) as AbciResponse
    const step = response?.proofOps?.ops?.find(({ type }) => type === STORE_STEP)
    const proof = step && parseBase64(step.data ?? '')
    const existence = proof && fieldOf(proof, EXIST)
    return existence && fieldOf(existence, VALUE)
  } catch (error) {
    if (error instanceof ChainError && error.status === 'unknown') return undefined
    throw error
  }
}

/** Returns a field of bytes of a message whose fields are all bytes; undefined if it is absent. */
function fieldOf(message: Uint8Array, wanted: number): Uint8Array | undefined {
  for (let at = 0; at < message.length; ) {
    const tag = message[at]!
    let length = 0
    let scale = 1
    do {
      length += (message[++at]! & 0x7f) * scale
      scale *= 0x80
    } while (message[at]! >= 0x80)
    at++
    if (tag === ((wanted << 3) | BYTES)) return message.subarray(at, at + length)
    at += length
  }
  return undefined
}
