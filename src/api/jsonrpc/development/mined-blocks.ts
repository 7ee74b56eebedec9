/** `evm_mine`, and its form that answers with the blocks and the outputs of their transactions. */
import { decodeResponse } from '../../../app/evm/response.ts'
import type { EvmTx, StoredBlock } from '../../../app/records.ts'
import { decodeRevert } from '../../../evm/revert.ts'
import { EMPTY, formatHex0x } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import type { GatewayNode } from '../../gateway.ts'
import { longList } from '../../long-json.ts'
import { inPieces } from '../eth/receipts.ts'
import { formatBlock, formatMined, type JsonObject } from '../format.ts'
import { type Methods, mainMethod } from '../method.ts'
import { json, optional } from '../params.ts'
import { count, developmentOf } from './verbs.ts'

/** Blocks of one `evm_mine_detailed` (development). Beyond: an error. */
const MAX_DETAILED = 1000n

const asked = optional(json, undefined)

/** Reads the time of the block, or an object with time and number of blocks as in Ganache. */
function readOptions(given: unknown): { readonly blocks: bigint; readonly timestamp: bigint | undefined } {
  const isObject = typeof given === 'object' && given !== null
  const { timestamp, blocks } = (isObject ? given : { timestamp: given }) as Record<string, unknown>
  return {
    blocks: blocks === undefined || blocks === null ? 1n : count.read(blocks),
    timestamp: timestamp === undefined || timestamp === null ? undefined : count.read(timestamp),
  }
}

async function mine(node: GatewayNode, { blocks, timestamp }: ReturnType<typeof readOptions>): Promise<void> {
  const development = developmentOf(node)
  if (timestamp !== undefined) development.setNextTime(timestamp)
  await development.mine(blocks)
}

/** Returns a transaction with its output, and the reason of a revert. */
function detailed(block: StoredBlock, tx: EvmTx): JsonObject {
  const output = decodeResponse(block.results[tx.txIndex]!.data)?.ret ?? EMPTY
  const reason = tx.status === 0 ? decodeRevert(output) : undefined
  return {
    ...formatMined(block, tx),
    output: formatHex0x(output),
    ...(reason !== undefined && { revertReason: reason }),
  }
}

function* blocksFrom(node: GatewayNode, first: bigint, last: bigint): Iterable<JsonObject> {
  for (let height = first; height <= last; height++) {
    const block = node.blocks.block(height)
    if (!block) continue
    const transactions = longList(function* () {
      for (const tx of block.evmTxs) yield detailed(block, tx)
    })
    yield { ...formatBlock(node, block, false), transactions }
  }
}

/** Methods by name without prefix. */
export const mineVerbs: Methods = {
  mine_detailed: mainMethod([asked], async (call, given) => {
    const { node } = call
    const options = readOptions(given)
    if (options.blocks > MAX_DETAILED) {
      throw queryError('invalidArgument', `${options.blocks} blocks exceed the limit of ${MAX_DETAILED} in one answer`)
    }
    const before = node.blocks.latestHeight()
    await mine(node, options)
    const last = before + options.blocks
    return inPieces(
      call,
      longList(() => blocksFrom(node, before + 1n, last)),
    )
  }),
}

/** `evm_mine`. */
export const mineOne = mainMethod([asked], async ({ node }, given) => {
  await mine(node, readOptions(given))
  return '0x0'
})
