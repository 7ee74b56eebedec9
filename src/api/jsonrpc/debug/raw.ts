/** `debug_getRaw*`: blocks, headers, receipts and transactions in the encodings of Ethereum; and figures of the process. */

import { PerformanceObserver } from 'node:perf_hooks'
import type { StoredBlock } from '../../../app/records.ts'
import { encodeReceipt, headerItem } from '../../../evm/ethereum-block.ts'
import { formatHex0x } from '../../../primitives/bytes.ts'
import { decode, encode, type RlpItem } from '../../../primitives/rlp.ts'
import type { GatewayNode } from '../../gateway.ts'
import { blockOf } from '../eth/block-ref.ts'
import { rawTransaction } from '../eth/transactions.ts'
import { formatBlock } from '../format.ts'
import { ethereumHeader } from '../header.ts'
import { anyMethod, committedMethod, type Methods } from '../method.ts'
import { block, hash } from '../params.ts'

/** Returns header, transactions, no uncles and, from Shanghai on, no withdrawals. A typed transaction is a string in the list. */
function blockItem(node: GatewayNode, found: StoredBlock): RlpItem {
  const header = ethereumHeader(node, found)
  const transactions = found.evmTxs.map(({ raw }) => (raw[0]! >= 0xc0 ? decode(raw) : raw))
  return [headerItem(header), transactions, [], ...(header.withdrawalsRoot ? [[]] : [])]
}

/** Encodes a block as `debug_getRawBlock` does. */
export const encodeBlock = (node: GatewayNode, found: StoredBlock): Uint8Array => encode(blockItem(node, found))

/** Garbage collections since this file was loaded. */
const collections = { count: 0, pauseMs: 0 }
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) {
    collections.count++
    collections.pauseMs += duration
  }
}).observe({ entryTypes: ['gc'] })

/** Returns the memory of the process under the names of Go's runtime. Unit: bytes. */
function memoryFigures() {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage()
  return {
    Alloc: heapUsed + external,
    Sys: rss,
    HeapAlloc: heapUsed,
    HeapSys: heapTotal,
    HeapIdle: heapTotal - heapUsed,
  }
}

function encoded(
  node: GatewayNode,
  ref: Parameters<typeof blockOf>[1],
  item: (node: GatewayNode, found: StoredBlock) => RlpItem,
) {
  const found = blockOf(node, ref)
  return found ? formatHex0x(encode(item(node, found))) : null
}

const rawHeader = anyMethod([block], ({ node }, ref) =>
  encoded(node, ref, (_, found) => headerItem(ethereumHeader(node, found))),
)
const rawBlock = anyMethod([block], ({ node }, ref) => encoded(node, ref, blockItem))

export const rawMethods: Methods = {
  debug_getRawHeader: rawHeader,
  debug_getRawBlock: rawBlock,
  debug_getHeaderRlp: rawHeader,
  debug_getBlockRlp: rawBlock,
  debug_getRawTransaction: committedMethod(
    [hash],
    (result) => result === null,
    ({ node }, wanted) => rawTransaction(node, wanted),
  ),
  debug_getRawReceipts: anyMethod([block], ({ node }, ref) => {
    const found = blockOf(node, ref)
    return found ? found.evmTxs.map((tx) => formatHex0x(encodeReceipt(tx))) : null
  }),
  debug_printBlock: anyMethod([block], ({ node }, ref) => {
    const found = blockOf(node, ref)
    return found ? JSON.stringify(formatBlock(node, found, true), undefined, 2) : null
  }),
  debug_getBadBlocks: anyMethod([], () => []),
  debug_gcStats: anyMethod([], () => ({ NumGC: collections.count, PauseTotal: Math.round(collections.pauseMs * 1e6) })),
  debug_memStats: anyMethod([], memoryFigures),
}
