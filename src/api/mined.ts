/** EVM transactions of stored blocks. */
import type { EvmTx, StoredBlock } from '../app/records.ts'
import type { GatewayNode } from './gateway.ts'

export interface Mined {
  readonly block: StoredBlock
  readonly tx: EvmTx
}

/** Finds a transaction by its Ethereum hash; undefined if no stored block holds it. */
export function findMined({ blocks }: GatewayNode, hash: Uint8Array): Mined | undefined {
  const place = blocks.evmTx(hash)
  const block = place && blocks.block(place.height)
  const tx = place && block?.evmTxs[place.evmIndex]
  return block && tx ? { block, tx } : undefined
}
