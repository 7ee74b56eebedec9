/** `debug_getRaw*`: blocks, headers, receipts and transactions in the encodings of Ethereum; and figures of the process. */

import { PerformanceObserver } from 'node:perf_hooks'
import type { EvmTx, StoredBlock } from '../../../app/records.ts'
import { concat, EMPTY, formatHex0x, hex, ZERO_WORD } from '../../../primitives/bytes.ts'
import { decode, encode, fromUint, type RlpItem } from '../../../primitives/rlp.ts'
import { NS_PER_SECOND } from '../../../primitives/time.ts'
import type { GatewayNode } from '../../gateway.ts'
import { blockOf } from '../eth/block-ref.ts'
import { rawTransaction } from '../eth/transactions.ts'
import { bloomOf, EMPTY_TRIE_ROOT, EMPTY_UNCLES, formatBlock } from '../format.ts'
import { anyMethod, type Methods, mainMethod } from '../method.ts'
import { block, hash, optional, quantity64 } from '../params.ts'

const wordOrZero = (bytes: Uint8Array): Uint8Array => (bytes.length === 32 ? bytes : ZERO_WORD)

/** Returns the fields of the header in the order of Ethereum. Their hash is not the hash of the block, which is CometBFT's. */
function headerItem(found: StoredBlock): RlpItem {
  const { header } = found
  return [
    wordOrZero(header.lastBlockId.hash),
    hex(EMPTY_UNCLES.slice(2)),
    found.coinbase,
    wordOrZero(header.appHash),
    found.txs.length === 0 ? hex(EMPTY_TRIE_ROOT.slice(2)) : wordOrZero(header.dataHash),
    hex(EMPTY_TRIE_ROOT.slice(2)),
    bloomOf(found.evmTxs),
    EMPTY,
    fromUint(header.height),
    fromUint(found.gasLimit),
    fromUint(found.evmGasUsed),
    fromUint(header.timeNs / NS_PER_SECOND),
    EMPTY,
    found.prevRandao ?? ZERO_WORD,
    new Uint8Array(8),
    fromUint(found.baseFeeWei),
  ]
}

/** Returns header, transactions, and no uncles. A typed transaction is a string in the list. */
function blockItem(found: StoredBlock): RlpItem {
  return [headerItem(found), found.evmTxs.map(({ raw }) => (raw[0]! >= 0xc0 ? decode(raw) : raw)), []]
}

/** Encodes a block as `debug_getRawBlock` does. */
export const encodeBlock = (found: StoredBlock): Uint8Array => encode(blockItem(found))

/** Encodes a receipt as in the trie of receipts. */
function rawReceipt({ status, cumulativeGasUsed, bloom, logs, type }: EvmTx): Uint8Array {
  const fields = encode([
    fromUint(BigInt(status)),
    fromUint(cumulativeGasUsed),
    bloom,
    logs.map(({ address, topics, data }) => [address, topics, data]),
  ])
  return type === 0 ? fields : concat(Uint8Array.of(type), fields)
}

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

function encoded(node: GatewayNode, ref: Parameters<typeof blockOf>[1], item: (found: StoredBlock) => RlpItem) {
  const found = blockOf(node, ref)
  return found ? formatHex0x(encode(item(found))) : null
}

const rawHeader = anyMethod([block], ({ node }, ref) => encoded(node, ref, headerItem))
const rawBlock = anyMethod([block], ({ node }, ref) => encoded(node, ref, blockItem))

export const rawMethods: Methods = {
  debug_getRawHeader: rawHeader,
  debug_getRawBlock: rawBlock,
  debug_getHeaderRlp: rawHeader,
  debug_getBlockRlp: rawBlock,
  debug_getRawTransaction: mainMethod([hash], ({ node }, wanted) => rawTransaction(node, wanted)),
  debug_getRawReceipts: anyMethod([block], ({ node }, ref) => {
    const found = blockOf(node, ref)
    return found ? found.evmTxs.map((tx) => formatHex0x(rawReceipt(tx))) : null
  }),
  debug_printBlock: anyMethod([block], ({ node }, ref) => {
    const found = blockOf(node, ref)
    return found ? JSON.stringify(formatBlock(found, true), undefined, 2) : null
  }),
  debug_intermediateRoots: anyMethod([block, optional(quantity64, 0n)], () => null),
  debug_getBadBlocks: anyMethod([], () => []),
  debug_gcStats: anyMethod([], () => ({ NumGC: collections.count, PauseTotal: Math.round(collections.pauseMs * 1e6) })),
  debug_memStats: anyMethod([], memoryFigures),
}
