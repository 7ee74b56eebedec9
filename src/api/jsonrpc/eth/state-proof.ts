/** `eth_getProof`: proofs of an account and its slots, as ICS-23 proofs of this chain's trees (docs/json-rpc.md#eth_getproof, D28). */
import type { ProvenKeys, StoreKey } from '../../../app/proofs.ts'
import * as auth from '../../../modules/auth/keeper.ts'
import * as evm from '../../../modules/evm/keeper.ts'
import { decodeUint, formatHex0x, ZERO_WORD_HEX } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import type { StoreProof } from '../../../store/types.ts'
import { DISCONNECTED } from '../../disconnected.ts'
import type { GatewayNode } from '../../gateway.ts'
import { createSignalPause } from '../../transport/slices.ts'
import { type JsonObject, quantity } from '../format.ts'
import type { RpcCall } from '../method.ts'
import { type BlockRef, type Param, storageKey } from '../params.ts'
import { stateHeight } from './block-ref.ts'

/** Slots in one `eth_getProof`, as in geth. Beyond: -32602. */
const MAX_KEYS = 1024
/** Number of keys proved between two checks of the time. */
const KEYS_AT_ONCE = 16
/** Storage root in the answer. Slots are not below their account here: both are proved against the app hash. */
const NO_STORAGE_HASH = ZERO_WORD_HEX

interface AskedSlot {
  readonly text: string
  readonly slot: Uint8Array
}

export const slotsToProve: Param<readonly AskedSlot[]> = {
  required: true,
  read: (value) => {
    if (!Array.isArray(value)) throw queryError('invalidArgument', 'storage keys must be a list')
    if (value.length > MAX_KEYS)
      throw queryError('invalidArgument', `too many keys: ${value.length}, at most ${MAX_KEYS}`)
    return value.map((text: unknown) => ({ slot: storageKey.read(text), text: text as string }))
  },
}

/** Returns the proof from the key to the root of its store, and from there to the app hash. */
const steps = ({ keyProof, storeProof }: StoreProof): readonly string[] => [keyProof, storeProof].map(formatHex0x)

/** Proves keys at one height in time slices: a thousand proofs take as long as a block. */
async function proveInSlices(
  node: GatewayNode,
  asked: bigint | undefined,
  keys: readonly StoreKey[],
  signal: AbortSignal,
): Promise<ProvenKeys> {
  const pause = createSignalPause(signal)
  const proofs: StoreProof[] = []
  let height = asked
  for (let from = 0; from < keys.length; from += KEYS_AT_ONCE) {
    await pause()
    if (signal.aborted) throw DISCONNECTED
    const part = await node.prove(height, keys.slice(from, from + KEYS_AT_ONCE))
    height = part.height
    proofs.push(...part.proofs)
  }
  return { height: height!, proofs }
}

/** Returns an account at a stored height with its proofs. Throws -32000 `header not found`. */
export async function getProof(
  { node, signal }: RpcCall,
  address: Uint8Array,
  slots: readonly AskedSlot[],
  block: BlockRef,
): Promise<JsonObject> {
  const keys = [auth.accountStoreKey(address), ...slots.map(({ slot }) => evm.slotStoreKey(address, slot))]
  const { height, proofs } = await proveInSlices(node, stateHeight(node, block), keys, signal())
  const account = node.withContext(height, (ctx) => ({
    balance: quantity(evm.balanceWei(ctx, address)),
    codeHash: formatHex0x(evm.codeHash(ctx, address)),
    nonce: quantity(evm.nonce(ctx, address)),
  }))
  const [ofAccount, ...ofSlots] = proofs
  return {
    address: formatHex0x(address),
    accountProof: steps(ofAccount!),
    ...account,
    storageHash: NO_STORAGE_HASH,
    storageProof: ofSlots.map((proof, i) => ({
      key: slots[i]!.text,
      value: quantity(proof.value ? decodeUint(proof.value) : 0n),
      proof: steps(proof),
    })),
  }
}
