/** Finds the height or the block that a request names. */
import type { StoredBlock } from '../../../app/records.ts'
import { formatHex0x } from '../../../primitives/bytes.ts'
import type { GatewayNode } from '../../gateway.ts'
import { serverError } from '../errors.ts'
import type { BlockRef } from '../params.ts'

/** Returns the named height; undefined for an unknown hash. `earliest` is the first stored block. */
export function heightOf(node: GatewayNode, ref: BlockRef): bigint | undefined {
  if ('hash' in ref) return node.blocks.heightOfHash(ref.hash)
  if ('number' in ref) return ref.number
  return ref.tag === 'earliest' ? node.blocks.earliestHeight() : node.blocks.latestHeight()
}

/** Returns the named block; undefined if it is not stored. */
export function blockOf(node: GatewayNode, ref: BlockRef): StoredBlock | undefined {
  const height = heightOf(node, ref)
  return height === undefined ? undefined : node.blocks.block(height)
}

/** Returns the named block. Throws -32000 if it is not stored. */
export function storedBlock(node: GatewayNode, ref: BlockRef): StoredBlock {
  const found = blockOf(node, ref)
  if (!found) throw serverError(`block ${nameOf(ref)} not found`)
  return found
}

/** Returns the name of a block in errors. */
function nameOf(ref: BlockRef): string {
  if ('hash' in ref) return formatHex0x(ref.hash)
  return `#${'number' in ref ? ref.number : ref.tag}`
}

/**
 * Returns the height whose state a method reads; undefined for the latest at the time of the read. Throws -32000
 * `header not found` for an unknown hash or a future block.
 */
export function stateHeight(node: GatewayNode, ref: BlockRef): bigint | undefined {
  if ('tag' in ref && ref.tag !== 'earliest') return undefined
  const height = heightOf(node, ref)
  if (height === undefined || height > node.blocks.latestHeight()) throw serverError('header not found')
  return height
}
