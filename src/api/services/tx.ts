/** `sdk.tx.v1beta1.Service`: simulates, broadcasts and finds transactions (docs/gateways.md#broadcasting). */
import { type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { blockIdInit } from '../../app/header.ts'
import type { StoredBlock } from '../../app/records.ts'
import { formatUpperHex } from '../../consensus/comet/block-json.ts'
import type { TxResponseSchema } from '../../gen/sdk/base/abci/v1beta1/abci_pb.ts'
import { BroadcastMode, OrderBy, Service } from '../../gen/sdk/tx/v1beta1/service_pb.ts'
import { type Tx, TxSchema } from '../../gen/sdk/tx/v1beta1/tx_pb.ts'
import { parseHex } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { sha256 } from '../../primitives/hash.ts'
import { withWholeBlock } from '../cometbft/engine.ts'
import { DISCONNECTED } from '../disconnected.ts'
import type { GatewayNode } from '../gateway.ts'
import { parseSearch } from '../search/either-name.ts'
import { page, requireShort } from '../search/page.ts'
import { SEARCH_BUDGET_MS, searchTxs, type TxPosition } from '../search/search.ts'
import { answerSize } from '../stored-results.ts'
import { createSignalPause } from '../transport/slices.ts'
import { aminoTxOf } from './amino-tx.ts'
import { blockInit, requireBlock } from './blocks.ts'
import { defineService } from './service.ts'
import { decodeTx, readTx, simulate, tryDecodeTx, txResponse } from './tx-response.ts'

const DEFAULT_LIMIT = 100n

type TxResponseInit = MessageInitShape<typeof TxResponseSchema>

export const txService = defineService(Service, {
  simulate({ nodeInfo, signal }, { txBytes, tx }) {
    return simulate(nodeInfo, txBytes.length > 0 || !tx ? txBytes : toBinary(TxSchema, tx), signal)
  },

  getTx({ node }, { hash }) {
    if (hash === '') throw queryError('invalidArgument', 'tx hash cannot be empty')
    const bytes = parseHex(hash)
    if (bytes?.length !== 32) throw queryError('invalidArgument', `tx hash ${hash} is not 32 bytes of hexadecimal text`)
    const position = node.blocks.tx(bytes)
    const found = position && readTxAt(node, position)
    if (!found) throw queryError('notFound', `tx not found: ${hash}`)
    return found
  },

  /** Broadcasts a transaction. A refusal by the mempool is an answer with its code, not an error. */
  async broadcastTx({ node }, { txBytes, mode }) {
    if (txBytes.length === 0) throw queryError('invalidArgument', 'invalid empty tx')
    if (mode === BroadcastMode.ASYNC) return { txResponse: sendWithoutWaiting(node, txBytes) }
    if (mode !== BroadcastMode.SYNC) {
      const name = mode === BroadcastMode.BLOCK ? 'BROADCAST_MODE_BLOCK' : 'BROADCAST_MODE_UNSPECIFIED'
      throw queryError('invalidArgument', `unsupported return type ${name}; supported types: sync, async`)
    }
    const admission = await node.driver.submit(txBytes)
    return {
      txResponse: {
        txhash: formatUpperHex(admission.hash),
        codespace: admission.codespace,
        code: admission.code,
        rawLog: admission.log,
      },
    }
  },

  async getTxsEvent({ node, signal }, request) {
    const conditions = request.query !== '' ? [request.query] : request.events
    if (conditions.length === 0) throw queryError('invalidArgument', 'must declare at least one event to search')
    const positions = await searchTxs(node.blocks, parseSearch(node.identity, conditions.join(' AND ')), {
      newestFirst: request.orderBy === OrderBy.DESC,
      now: node.now,
      budgetMs: SEARCH_BUDGET_MS,
      signal,
    })
    const limit = request.limit || request.pagination?.limit || DEFAULT_LIMIT
    const number = request.page || (request.pagination?.offset ?? 0n) / limit + 1n
    const wanted = page(positions, number, limit)
    await requireShort(wanted, (position) => sizeAt(node, position), 'limit', signal)
    const txs: Tx[] = []
    const txResponses: TxResponseInit[] = []
    const pause = createSignalPause(signal)
    for (const position of wanted.items) {
      await pause()
      if (signal?.aborted) throw DISCONNECTED
      const found = readTxAt(node, position)
      if (!found) continue
      txs.push(found.tx)
      txResponses.push(found.txResponse)
    }
    return { txs, txResponses, total: BigInt(wanted.total) }
  },

  getBlockWithTxs({ node, nodeInfo }, { height, pagination }) {
    const block = requireBlock(node, height)
    const offset = pagination?.offset ?? 0n
    const limit = pagination?.limit || DEFAULT_LIMIT
    if (offset > 0n && offset >= BigInt(block.txs.length)) {
      throw queryError(
        'outOfRange',
        `out of range: cannot paginate ${block.txs.length} txs with offset ${offset} and limit ${limit}`,
      )
    }
    const txs = pagination?.reverse ? block.txs.toReversed() : block.txs
    return withWholeBlock(nodeInfo, block, (whole) => ({
      txs: txs.slice(Number(offset), Number(offset + limit)).map(decodeTx),
      blockId: blockIdInit(whole.blockId),
      block: blockInit(whole),
      pagination: { total: BigInt(block.txs.length) },
    }))
  },

  txDecode({ node }, { txBytes }) {
    if (txBytes.length === 0) throw queryError('invalidArgument', 'invalid empty tx bytes')
    return { tx: readTx(node.identity, txBytes) }
  },

  txEncode(_, { tx }) {
    if (!tx) throw queryError('invalidArgument', 'invalid empty tx')
    return { txBytes: toBinary(TxSchema, tx) }
  },

  txEncodeAmino({ node }, { aminoJson }) {
    if (aminoJson === '') throw queryError('invalidArgument', 'invalid empty tx json')
    return { aminoBinary: aminoTxOf(node.identity).encode(aminoJson) }
  },

  txDecodeAmino({ node }, { aminoBinary }) {
    if (aminoBinary.length === 0) throw queryError('invalidArgument', 'invalid empty tx bytes')
    return { aminoJson: aminoTxOf(node.identity).decode(aminoBinary) }
  },
})

function sendWithoutWaiting(node: GatewayNode, tx: Uint8Array): TxResponseInit {
  node.driver.submit(tx).catch((error: unknown) => {
    node.log('debug', 'a transaction sent without waiting was refused', { error: String(error) })
  })
  return { txhash: formatUpperHex(sha256(tx)) }
}

/** Returns the approximate size of the answer for a transaction. Unit: bytes. */
function sizeAt({ blocks }: GatewayNode, { height, index }: TxPosition): number {
  const block = blocks.block(height)
  return block ? answerSize(block, index) : 0
}

/** Reads a transaction and its result; undefined if the block is not stored, or its bytes are malformed. */
function readTxAt(
  node: GatewayNode,
  { height, index }: TxPosition,
): { tx: Tx; txResponse: TxResponseInit } | undefined {
  const block: StoredBlock | undefined = node.blocks.block(height)
  const tx = block?.txs[index] && tryDecodeTx(block.txs[index])
  return block && tx ? { tx, txResponse: txResponse(node, block, index) } : undefined
}
