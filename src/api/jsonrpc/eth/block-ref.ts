/** Finds the height or the block that a request names. */
import { isMessage } from '@bufbuild/protobuf'
import type { StoredBlock } from '../../../app/records.ts'
import { HeightBoundsSchema } from '../../../gen/chain/errors/v1/errors_pb.ts'
import { formatHex0x } from '../../../primitives/bytes.ts'
import { ChainError } from '../../../primitives/errors.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import type { GatewayNode } from '../../gateway.ts'
import { withPending } from '../../pending-block.ts'
import { serverError } from '../errors.ts'
import { genesisBlock, genesisByHash } from '../header.ts'
import { type BlockRef, type BlockTag, isPending } from '../params.ts'

/** Epochs of Ethereum from a tag to the latest block: blocks are safe after one, and final after two. */
const EPOCHS_BEHIND: Readonly<Partial<Record<BlockTag, bigint>>> = { safe: 1n, finalized: 2n }

/** Returns the named height; undefined for an unknown hash. `earliest` is the first stored block, before which no tag is. */
export function heightOf(node: GatewayNode, ref: BlockRef): bigint | undefined {
  if ('hash' in ref) return node.blocks.heightOfHash(ref.hash)
  if ('number' in ref) return ref.number
  const { blocks, settings } = node
  const height = blocks.latestHeight() - (EPOCHS_BEHIND[ref.tag] ?? 0n) * BigInt(settings.slotsInAnEpoch)
  const earliest = blocks.earliestHeight()
  return ref.tag === 'earliest' || height < earliest ? earliest : height
}

/** Returns the named block; undefined if it does not exist. `earliest` is block 0, if there is one. */
export function blockOf(node: GatewayNode, ref: BlockRef): StoredBlock | undefined {
  const height = heightOf(node, ref)
  const isFirst = 'tag' in ref ? ref.tag === 'earliest' : height === 0n
  const found = height === undefined || isFirst ? undefined : node.blocks.block(height)
  if (found) return found
  if ('hash' in ref) return genesisByHash(node, ref.hash)
  return isFirst ? (genesisBlock(node) ?? node.blocks.block(height!)) : undefined
}

/** Returns the named block, to be executed again. Throws -32000 if it is not stored. */
export function storedBlock(node: GatewayNode, ref: BlockRef): StoredBlock {
  const found = blockOf(node, ref)
  if (found?.header.height === 0n) throw serverError('genesis is not traceable')
  if (!found) throw serverError(`block ${nameOf(ref)} not found`)
  return found
}

/** Returns the name of a block in errors. */
function nameOf(ref: BlockRef): string {
  if ('hash' in ref) return formatHex0x(ref.hash)
  return `#${'number' in ref ? ref.number : ref.tag}`
}

/** Returns the first height whose state is stored: the first stored block, or a later one on a pruned chain. */
export function firstStateHeight(node: GatewayNode): bigint {
  const first = node.blocks.earliestHeight()
  try {
    return node.withContext(first, () => first)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    const bounds = error.details.find((detail) => isMessage(detail, HeightBoundsSchema))
    if (bounds === undefined || bounds.earliest <= first) throw error
    return bounds.earliest
  }
}

/**
 * Returns the height whose state a method reads; undefined for the latest at the time of the read. Throws -32000
 * `header not found` for an unknown hash or a future block.
 */
export function stateHeight(node: GatewayNode, ref: BlockRef): bigint | undefined {
  if ('tag' in ref && ref.tag === 'earliest') return firstStateHeight(node)
  const isLatest = 'tag' in ref && (node.settings.slotsInAnEpoch === 0 || EPOCHS_BEHIND[ref.tag] === undefined)
  if (isLatest) return undefined
  const height = heightOf(node, ref)
  const isGenesis = 'hash' in ref ? height === undefined && genesisByHash(node, ref.hash) : height === 0n
  if (isGenesis && genesisBlock(node)) {
    throw serverError('block 0 has no state of its own: genesis is committed with block 1')
  }
  if (height === undefined || height > node.blocks.latestHeight()) throw serverError('header not found')
  return height
}

/** Reads the state at a block; at `pending` a promise of it, unless no transaction waits. Throws -32000 as `stateHeight`. */
export function readAt<T>(node: GatewayNode, ref: BlockRef, read: (ctx: ReadContext) => T): T | Promise<T> {
  return isPending(ref) ? withPending(node, read) : node.withContext(stateHeight(node, ref), read)
}
