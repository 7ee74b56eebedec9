/** Blocks by number, and their transactions; at `pending` the one that is not made yet. */
import type { StoredBlock } from '../../../app/records.ts'
import type { GatewayNode } from '../../gateway.ts'
import { pendingBlock } from '../../pending-block.ts'
import { formatBlock, formatHeader, formatMined, type JsonObject } from '../format.ts'
import { type BlockRef, isPending } from '../params.ts'
import { blockOf } from './block-ref.ts'

/** A block that a request names, and whether it is not made yet. */
interface Named {
  readonly block: StoredBlock
  readonly isPending: boolean
}

/** Fields that nobody knows before the block is made; geth shows them as null, too. */
const UNKNOWN = { hash: null, nonce: null, miner: null }

/** Returns the named block; undefined if it does not exist. A promise for a block that is not made yet. */
function named(node: GatewayNode, ref: BlockRef): Named | undefined | Promise<Named | undefined> {
  const stored = (): Named | undefined => {
    const block = blockOf(node, ref)
    return block && { block, isPending: false }
  }
  if (!isPending(ref)) return stored()
  const whole = (found: ReturnType<typeof pendingBlock>) =>
    found && 'block' in found ? { block: found.block, isPending: true } : stored()
  const found = pendingBlock(node)
  return found instanceof Promise ? found.then(whole) : whole(found)
}

/** Shows the named block; null if it does not exist. */
export function showBlock<T>(
  node: GatewayNode,
  ref: BlockRef,
  show: (found: Named) => T,
): T | null | Promise<T | null> {
  const found = named(node, ref)
  const shown = (one: Named | undefined): T | null => (one ? show(one) : null)
  return found instanceof Promise ? found.then(shown) : shown(found)
}

/** `eth_getBlockByNumber`: the block with its transactions, as hashes or whole. */
export const blockByNumber = (node: GatewayNode, ref: BlockRef, whole: boolean) =>
  showBlock(node, ref, (found): JsonObject => {
    const shown = formatBlock(node, found.block, whole)
    if (!found.isPending) return shown
    const transactions = whole ? found.block.evmTxs.map((_, i) => transactionOf(found, i)) : shown['transactions']
    return { ...shown, ...UNKNOWN, transactions }
  })

/** `eth_getHeaderByNumber`. */
export const headerByNumber = (node: GatewayNode, ref: BlockRef) =>
  showBlock(
    node,
    ref,
    ({ block, isPending }): JsonObject => ({
      ...formatHeader(node, block),
      ...(isPending && UNKNOWN),
    }),
  )

/** Formats a transaction of a block; null if it has no such index. */
export function transactionOf({ block, isPending }: Named, index: number): JsonObject | null {
  const tx = block.evmTxs[index]
  return tx ? { ...formatMined(block, tx), ...(isPending && { blockHash: null }) } : null
}
