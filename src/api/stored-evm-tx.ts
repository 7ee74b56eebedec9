/** EVM transactions of stored blocks. */
import type { EvmTx, StoredBlock } from '../app/records.ts'
import type { GatewayNode } from './gateway.ts'

export interface StoredEvmTx {
  readonly block: StoredBlock
  readonly tx: EvmTx
}

/** Finds a transaction by its Ethereum hash; undefined if no stored block contains it. */
export function findStoredEvmTx({ blocks }: GatewayNode, hash: Uint8Array): StoredEvmTx | undefined {
  const position = blocks.evmTx(hash)
  const block = position && blocks.block(position.height)
  const tx = position && block?.evmTxs[position.evmIndex]
  return block && tx ? { block, tx } : undefined
}
