/** Logs as messages carry them: those of the response, and those of events (evm.md §1.3, §1.5). */
import type { EvmLog } from '../../evm/state.ts'
import { formatEip55 } from '../../primitives/address.ts'
import { formatHex0x } from '../../primitives/bytes.ts'
import type { ReadContext } from '../../sdk/context.ts'
import type { BlockPlace } from './block-values.ts'

/** Logs of a transaction, `hash` as hexadecimal text, with their places in the block. */
export function logMessages(
  ctx: ReadContext,
  logs: readonly EvmLog[],
  hash: string,
  place: Pick<BlockPlace, 'evmIndex' | 'firstLogIndex'>,
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

/** Logs of what a message did in the EVM, which no transaction of the EVM has. */
export function lightLogs(logs: readonly EvmLog[]) {
  return logs.map(({ address, topics, data }) => ({
    address: formatEip55(address),
    topics: topics.map(formatHex0x),
    data,
  }))
}
