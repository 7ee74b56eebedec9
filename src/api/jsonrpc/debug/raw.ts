/** `debug_getRaw*` and the node's own figures: blocks, headers, receipts and transactions in Ethereum's encodings. */
import { PerformanceObserver } from 'node:perf_hooks'
import type { EvmTx, StoredBlock } from '../../../app/records.ts'
import { concat, EMPTY, formatHex0x, hex } from '../../../primitives/bytes.ts'
import { decode, encode, fromUint, type RlpItem } from '../../../primitives/rlp.ts'
import type { GatewayNode } from '../../gateway.ts'
import { blockOf } from '../eth/block-ref.ts'
import { rawTransaction } from '../eth/transactions.ts'
import { bloomOf, EMPTY_TRIE_ROOT, EMPTY_UNCLES, formatBlock } from '../format.ts'
import { type Methods, method } from '../method.ts'
import { block, hash, optional, quantity64 } from '../params.ts'

const NANOS = 1_000_000_000n
const WORD = new Uint8Array(32)
const wordOrZero = (bytes: Uint8Array): Uint8Array => (bytes.length === 32 ? bytes : WORD)

/** The fields that the JSON of the header shows, as Ethereum lists them. Its hash is not the block's: that one is the engine's. */
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
    fromUint(header.timeNs / NANOS),
    EMPTY,
    found.prevRandao ?? WORD,
    new Uint8Array(8),
    fromUint(found.baseFeeWei),
  ]
}

/** Header, transactions, no uncles. A typed transaction stands in the list as a string. */
function blockItem(found: StoredBlock): RlpItem {
  return [headerItem(found), found.evmTxs.map(({ raw }) => (raw[0]! >= 0xc0 ? decode(raw) : raw)), []]
}

/** The block in the encoding of `debug_getRawBlock`. */
export const encodeBlock = (found: StoredBlock): Uint8Array => encode(blockItem(found))

/** The receipt in the encoding that receipts' roots are made of. */
function rawReceipt({ status, cumulativeGasUsed, bloom, logs, type }: EvmTx): Uint8Array {
  const fields = encode([
    fromUint(BigInt(status)),
    fromUint(cumulativeGasUsed),
    bloom,
    logs.map(({ address, topics, data }) => [address, topics, data]),
  ])
  return type === 0 ? fields : concat(Uint8Array.of(type), fields)
}

/** Collections of garbage since this file was loaded. */
const collections = { count: 0, pauseMs: 0 }
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) {
    collections.count++
    collections.pauseMs += duration
  }
}).observe({ entryTypes: ['gc'] })

/** The process's memory under the names that geth's runtime has for it. Unit: bytes. */
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

const rawHeader = method([block], ({ node }, ref) => encoded(node, ref, headerItem))
const rawBlock = method([block], ({ node }, ref) => encoded(node, ref, blockItem))

export const rawMethods: Methods = {
  debug_getRawHeader: rawHeader,
  debug_getRawBlock: rawBlock,
  debug_getHeaderRlp: rawHeader,
  debug_getBlockRlp: rawBlock,
  debug_getRawTransaction: method([hash], ({ node }, wanted) => rawTransaction(node, wanted)),
  debug_getRawReceipts: method([block], ({ node }, ref) => {
    const found = blockOf(node, ref)
    return found ? found.evmTxs.map((tx) => formatHex0x(rawReceipt(tx))) : null
  }),
  debug_printBlock: method([block], ({ node }, ref) => {
    const found = blockOf(node, ref)
    return found ? JSON.stringify(formatBlock(found, true), undefined, 2) : null
  }),
  debug_intermediateRoots: method([block, optional(quantity64, 0n)], () => null),
  debug_getBadBlocks: method([], () => []),
  debug_gcStats: method([], () => ({ NumGC: collections.count, PauseTotal: Math.round(collections.pauseMs * 1e6) })),
  debug_memStats: method([], memoryFigures),
}
