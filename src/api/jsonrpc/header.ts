/** Ethereum headers of stored blocks, and block 0. Their hash is not that of the block, which is CometBFT's, except at block 0. */
import type { EvmTx, StoredBlock } from '../../app/records.ts'
import { NO_COMMIT } from '../../consensus/comet/hashes.ts'
import { type EthereumHeader, encodeReceipt, forkFields, headerItem } from '../../evm/ethereum-block.ts'
import { EMPTY_TRIE_ROOT, listTrieRoot } from '../../evm/trie.ts'
import * as evm from '../../modules/evm/keeper.ts'
import { EMPTY, equal, ZERO_ADDRESS, ZERO_WORD } from '../../primitives/bytes.ts'
import { cachePerObject } from '../../primitives/cache.ts'
import { keccak256 } from '../../primitives/hash.ts'
import { encode } from '../../primitives/rlp.ts'
import { NS_PER_SECOND } from '../../primitives/time.ts'
import type { GatewayNode } from '../gateway.ts'

/** Shown limit of a block without a gas limit: many clients accept neither zero nor more than 32 bits. */
const NO_GAS_LIMIT = 0xffff_ffffn

/** Returns the shown gas limit of a block. */
export function gasLimitOf(block: StoredBlock): bigint {
  return block.gasLimit || NO_GAS_LIMIT
}

const wordOrZero = (bytes: Uint8Array): Uint8Array => (bytes.length === 32 ? bytes : ZERO_WORD)

/** Combines the blooms of all receipts. */
function bloomOf(txs: readonly EvmTx[]): Uint8Array {
  const bloom = new Uint8Array(256)
  for (const tx of txs) for (let i = 0; i < 256; i++) bloom[i]! |= tx.bloom[i]!
  return bloom
}

/** Returns the header fields that every profile has. */
function commonFields(block: StoredBlock) {
  const { header, evmTxs } = block
  return {
    parentHash: wordOrZero(header.lastBlockId.hash),
    coinbase: block.coinbase,
    stateRoot: wordOrZero(header.appHash),
    bloom: bloomOf(evmTxs),
    number: header.height,
    gasLimit: gasLimitOf(block),
    gasUsed: block.evmGasUsed,
    timestamp: header.timeNs / NS_PER_SECOND,
  }
}

function makeHeader(node: GatewayNode, block: StoredBlock): EthereumHeader {
  const { header, evmTxs } = block
  const common = commonFields(block)
  if (node.identity.behaviours.bareHeaders) {
    return {
      ...common,
      transactionsRoot: evmTxs.length === 0 ? EMPTY_TRIE_ROOT : wordOrZero(header.dataHash),
      receiptsRoot: EMPTY_TRIE_ROOT,
      prevRandao: block.prevRandao ?? ZERO_WORD,
      baseFeeWei: block.baseFeeWei,
    }
  }
  return {
    ...common,
    parentHash: header.height === 1n ? (genesisBlock(node)?.hash ?? ZERO_WORD) : common.parentHash,
    transactionsRoot: listTrieRoot(evmTxs.map(({ raw }) => raw)),
    receiptsRoot: listTrieRoot(evmTxs.map(encodeReceipt)),
    prevRandao: block.prevRandao ?? evm.prevRandaoOf(header, block.hash),
    ...node.withContext(undefined, (ctx) => forkFields(evm.chainRules(ctx).fork, block.baseFeeWei)),
  }
}

const headers = cachePerObject((node: GatewayNode) => cachePerObject((block: StoredBlock) => makeHeader(node, block)))

/** Returns the Ethereum header of a block. Its roots are computed once for each block object. */
export const ethereumHeader = (node: GatewayNode, block: StoredBlock): EthereumHeader => headers(node)(block)

/**
 * Returns block 0, which stands for genesis: the parent of block 1, with its time and limits, and the app hash of genesis. It
 * is not a block of the engine, so its hash is that of its Ethereum header. Undefined if the chain does not begin at block 1.
 */
export function genesisBlock(node: GatewayNode): StoredBlock | undefined {
  const first = node.identity.behaviours.bareHeaders ? undefined : node.blocks.block(1n)
  if (!first) return undefined
  const block: StoredBlock = {
    header: {
      ...first.header,
      height: 0n,
      lastBlockId: NO_COMMIT.blockId,
      lastCommitHash: EMPTY,
      dataHash: EMPTY,
      proposer: EMPTY,
    },
    hash: EMPTY,
    blockId: NO_COMMIT.blockId,
    txs: [],
    results: [],
    lastCommit: undefined,
    commit: NO_COMMIT,
    blockEvents: [],
    evmTxs: [],
    evmGasUsed: 0n,
    baseFeeWei: first.baseFeeWei,
    gasLimit: first.gasLimit,
    coinbase: ZERO_ADDRESS,
    prevRandao: ZERO_WORD,
    nextAppHash: first.header.appHash,
  }
  return { ...block, hash: keccak256(encode(headerItem(makeHeader(node, block)))) }
}

/** Returns block 0 if the hash is its own. */
export function genesisByHash(node: GatewayNode, hash: Uint8Array): StoredBlock | undefined {
  const block = genesisBlock(node)
  return block && equal(block.hash, hash) ? block : undefined
}
