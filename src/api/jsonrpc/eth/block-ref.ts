/** From a block as a caller names it to a kept height or block. */
import type { StoredBlock } from '../../../app/records.ts'
import { formatHex0x } from '../../../primitives/bytes.ts'
import type { GatewayNode } from '../../gateway.ts'
import { serverError } from '../errors.ts'
import type { BlockRef } from '../params.ts'

/** The height meant; undefined for a hash that no kept block has. `earliest` is the first kept block. */
export function heightOf(node: GatewayNode, ref: BlockRef): bigint | undefined {
  if ('hash' in ref) return node.blocks.heightOfHash(ref.hash)
  if ('number' in ref) return ref.number
  return ref.tag === 'earliest' ? node.blocks.earliestHeight() : node.blocks.latestHeight()
}

/** The block meant, undefined if it is not kept (or not made yet). */
export function blockOf(node: GatewayNode, ref: BlockRef): StoredBlock | undefined {
  const height = heightOf(node, ref)
  return height === undefined ? undefined : node.blocks.block(height)
}

/** The block meant. Throws -32000 for one that is not kept. */
export function keptBlock(node: GatewayNode, ref: BlockRef): StoredBlock {
  const found = blockOf(node, ref)
  if (!found) throw serverError(`block ${nameOf(ref)} not found`)
  return found
}

/** How an error names a block. */
function nameOf(ref: BlockRef): string {
  if ('hash' in ref) return formatHex0x(ref.hash)
  return `#${'number' in ref ? ref.number : ref.tag}`
}

/**
 * The height whose state a method reads; undefined means the latest, whatever it then is.
 * Throws -32000 `header not found` for a block that is not kept.
 */
export function stateHeight(node: GatewayNode, ref: BlockRef): bigint | undefined {
  if ('tag' in ref && ref.tag !== 'earliest') return undefined
  const height = heightOf(node, ref)
  if (height === undefined || height > node.blocks.latestHeight()) throw serverError('header not found')
  return height
}
