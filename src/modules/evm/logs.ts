/** EVM logs as messages: the full form of responses and the short form of events. */
import type { EvmLog } from '../../evm/state.ts'
import { formatEip55 } from '../../primitives/address.ts'
import { formatHex0x } from '../../primitives/bytes.ts'
import type { ReadContext } from '../../sdk/context.ts'
import type { BlockPosition } from './block-totals.ts'

/** Returns the logs of a transaction with their positions in the block. `hash` is hexadecimal text. */
export function logMessages(
  ctx: { readonly block: Pick<ReadContext['block'], 'height' | 'hash'> },
  logs: readonly EvmLog[],
  hash: string,
  place: Pick<BlockPosition, 'evmIndex' | 'firstLogIndex'>,
) {
  const blockHash = formatHex0x(ctx.block.hash)
  return logs.map(({ address, topics, data }, i) => ({
    address: formatEip55(address),
    topics: topics.map(formatHex0x),
    data,
    blockNumber: ctx.block.height,
    txHash: hash,
    txIndex: BigInt(place.evmIndex),
    blockHash,
    index: BigInt(place.firstLogIndex + i),
    removed: false,
  }))
}

/** Returns the logs of a message's calls, which belong to no EVM transaction and have no position. */
export function lightLogs(logs: readonly EvmLog[]) {
  return logs.map(({ address, topics, data }) => ({
    address: formatEip55(address),
    topics: topics.map(formatHex0x),
    data,
  }))
}
